/** What an economy does (rules, options, chooser) and what it may know; planning/ builds priced ones. */
import type { Edit } from './edits.ts'
import { DEFAULT_RULES, type RuleOptions } from './rules/index.ts'
import type { EconomyState } from './state.ts'
import type { TaskOptions, TaskRecord } from './tasks/index.ts'
import type { Transcript } from './transcript.ts'

export interface EconomyContext {
  /** Milliseconds since the epoch; only plans look at it, no text does. */
  readonly now: number
  readonly lastCallAt?: number
  /** The model that will read the result; default: the transcript's own. */
  readonly model?: string
  /** Tokens the prompt may have (DESIGN, Limit). */
  readonly limit: number
  /** What stands before the view, in tokens, and the provider's tokens for each estimated one; default 0 and 1. */
  readonly measure?: { readonly floor: number; readonly scale: number }
  readonly epoch?: 'asked' | 'resume' | 'handoff'
  /** The format's own repairs (relink, split lines), carried out first. */
  readonly repairs?: readonly Edit[]
  /** Structure ends in repair; false only for a run that must not touch anything. */
  readonly repair?: boolean
  /** Also answer calls at the very end: the result will be resumed. */
  readonly answerLast?: boolean
  /** How tasks are found: spawn tools by name, workers' threads at hand. */
  readonly tasks?: TaskOptions
  /** Records of finished tasks that a model has written, by task id; each stands only where it can (`recordFault`). */
  readonly summaries?: ReadonlyMap<string, TaskRecord>
}

export interface Plan {
  /** What happens in this epoch, in order. */
  readonly edits: readonly Edit[]
  /** What is allowed but waits. */
  readonly waiting: readonly Edit[]
  /** What each of `waiting` has cost so far by not happening, in uncached input tokens; default 0. */
  readonly waited?: readonly number[]
  /** Why it cannot fit, whatever is done. */
  readonly shortfall?: Shortfall
  /** One line a decision, for people. */
  readonly explanation?: readonly string[]
}

/** In tokens: `needed` is what may never leave (the floor included where `reason` says so), `limit` what there is. */
export interface Shortfall {
  readonly reason: 'floor-too-large' | 'cannot-fit'
  readonly needed: number
  readonly limit: number
}

/** What the rules propose under other options: how a plan cuts deeper. */
export type Propose = (rules: RuleOptions) => readonly Edit[]

export interface Policy {
  readonly name: string
  readonly rules: RuleOptions
  /** Turns at the end that no economy edit touches (DESIGN invariant 6); default 1. */
  readonly newestTurns?: number
  choose(
    edits: readonly Edit[],
    transcript: Transcript,
    context: EconomyContext,
    state: EconomyState,
    propose: Propose,
  ): Plan
}

/** Takes every proposed edit: what a person's explicit `compact` does. */
export function chooseAll(edits: readonly Edit[]): Plan {
  return { edits, waiting: [] }
}

/** Everything that is worth it, all at once. */
export const DEFAULT_POLICY: Policy = { name: 'default', rules: DEFAULT_RULES, choose: chooseAll }

/** Only what makes a conversation legal. */
export const REPAIR_ONLY: Policy = { name: 'repair', rules: {}, choose: chooseAll }
