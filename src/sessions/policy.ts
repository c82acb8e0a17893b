/** Which rules a run uses, and the limit it works towards. */
import { SpillwayError } from '../core/errors.ts'
import { type Policy, REPAIR_ONLY } from '../core/policy.ts'
import { RULES, type RuleOptions } from '../core/rules/index.ts'
import type { Session } from '../formats/format.ts'
import { promptLimit } from '../planning/limit.ts'
import { plannedPolicy } from '../planning/plan.ts'
import { DEFAULT_PRESET, PRESET_NAMES, PRESETS, type Preset } from '../planning/presets.ts'
import { type PriceChoice, pricesFor } from '../planning/prices.ts'

/** As a rule list: nothing at all, not even repairs. */
const NO_RULES = 'none'

export const RULE_NAMES: readonly string[] = RULES.map((rule) => rule.name)

export interface ChosenPolicy {
  readonly policy: Policy
  readonly preset: string
  /** What the sum rests on. */
  readonly prices: PriceChoice
  /** False for `none` only: the session is written as it is. */
  readonly repair: boolean
}

export interface PolicyChoice {
  /** Default: `default`. */
  readonly preset?: string | undefined
  /** Only these rules of it; one that the preset leaves out gets the numbers of the preset that has it. */
  readonly rules?: readonly string[] | undefined
  /** The model whose prices decide. */
  readonly model?: string | undefined
}

/**
 * A preset's policy, or only the named rules of it.
 * @throws SpillwayError `usage` for an unknown preset or rule, naming the valid ones
 */
export function choosePolicy({ preset: name, rules, model }: PolicyChoice): ChosenPolicy {
  const preset = presetNamed(name)
  const prices = pricesFor(model)
  const chosen = { preset: preset.name, prices, repair: true }
  if (rules === undefined) return { ...chosen, policy: plannedPolicy(preset, prices.prices) }
  const unknown = rules.find((rule) => rule !== NO_RULES && !RULE_NAMES.includes(rule))
  if (unknown !== undefined || rules.length === 0) {
    const valid = [...RULE_NAMES, NO_RULES].join(', ')
    throw new SpillwayError('usage', `--rules: unknown rule "${unknown ?? ''}"; the rules are ${valid}`)
  }
  if (rules.includes(NO_RULES)) {
    if (rules.length > 1) throw new SpillwayError('usage', `--rules: ${NO_RULES} stands alone`)
    return { ...chosen, policy: REPAIR_ONLY, repair: false }
  }
  const all: RuleOptions = { ...PRESETS.long.rules, ...preset.rules }
  const only: RuleOptions = Object.fromEntries(Object.entries(all).filter(([rule]) => rules.includes(rule)))
  return { ...chosen, policy: plannedPolicy({ ...preset, name: rules.join('+'), rules: only }, prices.prices) }
}

/** @throws SpillwayError `usage` naming the presets */
export function presetNamed(name: string = DEFAULT_PRESET): Preset {
  const preset = Object.entries(PRESETS).find(([key]) => key === name)?.[1]
  if (!preset) throw new SpillwayError('usage', `--preset: no "${name}"; the presets are ${PRESET_NAMES.join(', ')}`)
  return preset
}

/** The prompt's limit in tokens: the window of the model that will read it, less a reserve. */
export function limitOf(session: Session, model = session.main.model): number {
  return promptLimit(model, session.facts.requests)
}
