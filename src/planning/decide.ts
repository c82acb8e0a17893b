/**
 * When to rewrite the history (reference/planner.md section 7): collect what may change, and change it all together
 * at the first call where the cache is cold, or waiting has cost what the rewrite costs, or the prompt would not fit.
 *
 * No forecast of what is still to come is needed: a rewrite never costs more than waiting has cost already.
 */
import type { Prices } from './prices.ts'

/** Tokens kept free for the answer and the next prompt. */
export const RESERVE_TOKENS = 16_000
/** Waiting may cost this many times what the rewrite costs: "beta" in the measurements. */
export const DEFAULT_PATIENCE = 1

export interface Situation {
  /** Nothing of the prompt is in the cache any more. */
  readonly cold: boolean
  /** Tokens of the prompt as it would be sent unchanged. */
  readonly prompt: number
  /** Tokens the prompt may have. */
  readonly limit: number
  /** Tokens that what may change would free. */
  readonly saves: number
  /** Tokens already sent behind the first place that may change, that stay: they would be written again. */
  readonly rewritten: number
  /** What not changing it has cost in all calls before this one, in uncached input tokens. */
  readonly waited: number
}

/** Why: nothing may change, it waits, the cache is cold, waiting has cost enough, the prompt would not fit. */
export type Cause = 'nothing' | 'waits' | 'cold' | 'paid' | 'full'

export interface Decision extends Situation {
  readonly rewrite: boolean
  readonly cause: Cause
  /** What rewriting costs now, in uncached input tokens. */
  readonly price: number
  /** `waited` with this call. */
  readonly waiting: number
}

export function decide(situation: Situation, prices: Prices, patience: number = DEFAULT_PATIENCE): Decision {
  const price = situation.cold ? 0 : Math.max(0, prices.write - prices.read) * situation.rewritten
  const waiting = situation.waited + prices.read * situation.saves
  const cause = causeOf(situation, price, waiting, patience)
  return { ...situation, rewrite: cause !== 'nothing' && cause !== 'waits', cause, price, waiting }
}

function causeOf({ saves, cold, prompt, limit }: Situation, price: number, waiting: number, patience: number): Cause {
  if (saves <= 0) return 'nothing'
  if (cold) return 'cold'
  if (waiting >= patience * price) return 'paid'
  return prompt > limit ? 'full' : 'waits'
}
