/**
 * Two numbers (seed C1, C2): how much of the window a prompt may take, and at which share of that we act. The rest of
 * the window pays for the answer and for the gap between our estimate and the provider's count.
 */
import { SpillwayError } from '../../core/errors.ts'

/** Share of the window that the prompt may take. */
export const DEFAULT_FRACTION = 0.6
/** Share of the budget at which the history is compacted: compaction needs room to compact in. */
export const DEFAULT_TRIGGER = 0.8

export interface BudgetOptions {
  /** Default DEFAULT_FRACTION; above 0, at most 1. */
  readonly fraction?: number
  /** Default DEFAULT_TRIGGER; above 0, at most 1. */
  readonly trigger?: number
}

/** All in tokens but the two shares. */
export interface Budget {
  readonly window: number
  readonly fraction: number
  readonly trigger: number
  /** `floor(window * fraction)`: no prompt is larger. */
  readonly budget: number
  /** `floor(budget * trigger)`: a prompt of this size or more is compacted (DESIGN, Limit). */
  readonly limit: number
}

/** Products of decimal fractions miss whole numbers by less than this. */
const ROUNDING = 1e-6

/** @throws SpillwayError `usage` for a window that is no positive number or a share outside (0, 1] */
export function budgetOf(window: number, options: BudgetOptions = {}): Budget {
  const { fraction = DEFAULT_FRACTION, trigger = DEFAULT_TRIGGER } = options
  if (!(window > 0 && Number.isFinite(window))) {
    throw new SpillwayError('usage', `window: expected a positive number of tokens, got ${String(window)}`)
  }
  for (const [name, share] of Object.entries({ fraction, trigger })) {
    if (!(share > 0 && share <= 1)) {
      throw new SpillwayError('usage', `${name}: expected a number above 0 and at most 1, got ${String(share)}`)
    }
  }
  const budget = Math.floor(window * fraction + ROUNDING)
  return { window, fraction, trigger, budget, limit: Math.floor(budget * trigger + ROUNDING) }
}
