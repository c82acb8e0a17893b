/** What `fit` may be told. Everything but the messages is optional. */
import type { BudgetOptions } from '../planning/budget/index.ts'
import type { ContentArchive } from './content-archive.ts'
import type { FitState } from './fit-state.ts'
import type { PutBack } from './put-back.ts'

/** Message arrays that `fit` knows: Anthropic Messages, OpenAI Chat and Responses, AI SDK ModelMessage and UIMessage. */
export const SHAPES = ['messages', 'chat', 'responses', 'ai-sdk', 'ai-sdk-ui'] as const
export type Shape = (typeof SHAPES)[number]

export interface FitOptions extends BudgetOptions {
  /** The model that will read it: its window, its rules about thinking, its provider's about roles. */
  readonly model?: string
  /** Tokens; overrides whatever is known of the model. */
  readonly window?: number
  /** The provider's description of the model, where its window may stand. */
  readonly metadata?: unknown
  /** Tools as the request carries them, in any shape; only measured. */
  readonly tools?: unknown
  /** System prompt that stands beside the messages: a string or blocks; only measured. */
  readonly system?: unknown
  /** What the call before returned; undefined at the first. */
  readonly state?: FitState | undefined
  /** Where everything goes that leaves; default: in memory, returned as `archive`. */
  readonly archive?: ContentArchive
  /** Default: detected. */
  readonly shape?: Shape
  /** What the provider counted for the request made of what `fit` returned last: calibrates the estimates. */
  readonly usage?: unknown
  /** The error with which that request was refused: the window is learned from "prompt is too long". */
  readonly error?: unknown
  /** What comes back after an eviction; what is left out is found in the messages. */
  readonly putBack?: PutBack
  /** Files are re-read only inside this folder; default the working folder. */
  readonly folder?: string
  /**
   * Puts what leaves into words; `earlier` are the words of the call before, which must stay in it. Without one, or
   * when it fails, a factual note stands alone.
   */
  readonly summarize?: (evicted: readonly unknown[], earlier: string | undefined) => string | Promise<string>
}
