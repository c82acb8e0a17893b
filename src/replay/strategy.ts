/** What a replay compares: a policy of the prompt, told before every recorded call what it may still change. */
import type { Prices } from '../planning/prices.ts'
import type { Prompt } from './prompt.ts'
import type { Recording } from './recording.ts'

export interface Terms {
  readonly prices: Prices
  /** Tokens. */
  readonly window: number
}

export interface Moment {
  /** Index of the call that is about to be made. */
  readonly call: number
  /** Nothing of the prompt is cached: the first call, or one after a pause longer than the cache lives. */
  readonly cold: boolean
  /** Milliseconds since the call before. */
  readonly gap: number
}

/** Changes the prompt before each call, in order. */
export type Player = (moment: Moment, prompt: Prompt) => void

export interface Strategy {
  readonly name: string
  /** What it takes out can be brought back, word for word. */
  readonly recoverable: boolean
  player(recording: Recording, terms: Terms): Player
}
