/** Which rules a run uses, and the limit it works towards. */
import { SpillwayError } from '../core/errors.ts'
import { windowOf } from '../core/models.ts'
import { chooseAll, DEFAULT_POLICY, type Policy } from '../core/policy.ts'
import { RULES, type RuleOptions } from '../core/rules/index.ts'
import type { Session } from '../formats/format.ts'
import { promptTokens } from './usage.ts'

/** Tokens kept free for the answer and the next prompt (DESIGN, Limit). */
const RESERVE_TOKENS = 16_000
/** The window of the long-context models, assumed once a request has shown that the usual one does not bind. */
const LONG_WINDOW = 1_000_000
/** As a rule list: nothing at all, not even repairs. */
const NO_RULES = 'none'

export const RULE_NAMES: readonly string[] = RULES.map((rule) => rule.name)

export interface ChosenPolicy {
  readonly policy: Policy
  /** False for `none` only: the session is written as it is. */
  readonly repair: boolean
}

/** No economy: what `doctor` repairs with. */
export const REPAIR_ONLY: Policy = { name: 'repair', rules: {}, choose: chooseAll }

/**
 * The default policy, or only the named rules of it.
 * @throws SpillwayError `usage` for an unknown rule, naming the valid ones
 */
export function choosePolicy(rules?: readonly string[]): ChosenPolicy {
  if (rules === undefined) return { policy: DEFAULT_POLICY, repair: true }
  const unknown = rules.find((rule) => rule !== NO_RULES && !RULE_NAMES.includes(rule))
  if (unknown !== undefined || rules.length === 0) {
    const valid = [...RULE_NAMES, NO_RULES].join(', ')
    throw new SpillwayError('usage', `--rules: unknown rule "${unknown ?? ''}"; the rules are ${valid}`)
  }
  if (!rules.includes(NO_RULES)) return { policy: onlyRules(rules), repair: true }
  if (rules.length > 1) throw new SpillwayError('usage', `--rules: ${NO_RULES} stands alone`)
  return { policy: REPAIR_ONLY, repair: false }
}

/** The default policy with these rules alone. */
export function onlyRules(names: readonly string[]): Policy {
  const chosen = Object.entries(DEFAULT_POLICY.rules).filter(([name]) => names.includes(name))
  const rules: RuleOptions = Object.fromEntries(chosen)
  return { name: names.join('+'), rules, choose: chooseAll }
}

/** The prompt's limit in tokens: the model's window less a reserve. */
export function limitOf(session: Session): number {
  const window = windowOf(session.main.model)
  const isLong = session.facts.requests.some((request) => promptTokens(request) > window)
  return (isLong ? Math.max(window, LONG_WINDOW) : window) - RESERVE_TOKENS
}
