/** Which rules a run uses, and the limit it works towards. */

import { SpillwayError } from '../core/errors.ts'
import { windowOf } from '../core/models.ts'
import { chooseAll, DEFAULT_POLICY, type Policy } from '../core/policy.ts'
import { RULES } from '../core/rules/index.ts'
import type { Session } from '../formats/format.ts'

/** Tokens kept free for the answer and the next prompt (DESIGN, Limit). */
const RESERVE_TOKENS = 16_000
/** The window of the long-context models, assumed once a request has shown that the usual one does not bind. */
const LONG_WINDOW = 1_000_000
/** As a rule list: nothing at all, not even repairs. */
export const NO_RULES = 'none'

export const RULE_NAMES: readonly string[] = RULES.map((rule) => rule.name)

export interface ChosenPolicy {
  readonly policy: Policy
  /** False for `none` only: the session is written as it is. */
  readonly repair: boolean
}

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
  if (rules.includes(NO_RULES)) {
    if (rules.length > 1) throw new SpillwayError('usage', `--rules: ${NO_RULES} stands alone`)
    return { policy: REPAIR_ONLY, repair: false }
  }
  const chosen = Object.entries(DEFAULT_POLICY.rules).filter(([name]) => rules.includes(name))
  return { policy: { name: rules.join('+'), rules: Object.fromEntries(chosen), choose: chooseAll }, repair: true }
}

/** No economy: what `doctor` repairs with. */
export const REPAIR_ONLY: Policy = { name: 'repair', rules: {}, choose: chooseAll }

/** The prompt's limit in tokens: the model's window less a reserve. */
export function limitOf(session: Session): number {
  const { model } = session.main
  let window = windowOf(model)
  for (const { usage } of session.facts.requests) {
    if (usage.input + usage.cacheRead + usage.cacheWrite > window) window = Math.max(window, LONG_WINDOW)
  }
  return window - RESERVE_TOKENS
}
