/** What a conversation teaches about its provider: how it counts, and how much it takes (seeds C1, C7). */
import { fieldsOf } from '../formats/fields.ts'
import { learnedAccepted, learnedRefusal, overflowOf, promptTokensOf } from '../planning/budget/index.ts'
import type { FitOptions } from './fit-options.ts'
import type { FitState } from './fit-state.ts'

/** Older ratios say less about what is sent now. */
const MOST_RATIOS = 5
/** No tokenizer is further off than this; what is, was counted of something else. */
const LEAST_RATIO = 0.3
const MOST_RATIO = 5

/** The state with what usage and error of the request before say. */
export function learned(state: FitState, messages: readonly unknown[], { usage, error }: FitOptions): FitState {
  const given = promptTokensOf(usage)
  const found = given === undefined ? usageIn(messages) : undefined
  // What an answer says is learned from once, however often it is seen.
  const prompt = given ?? (found === state.found ? undefined : found)
  let next: FitState = found === undefined ? state : { ...state, found }
  if (prompt !== undefined) {
    next = { ...withRatio(next, prompt), learned: learnedAccepted(next.learned, prompt) }
  }
  if (error === undefined) return next
  const refused = overflowOf(error)
  if (refused?.prompt !== undefined) next = withRatio(next, refused.prompt)
  const sent = state.sent === undefined ? undefined : Math.round(state.sent * scaleOf(next))
  return { ...next, learned: learnedRefusal(next.learned, error, sent) }
}

function withRatio(state: FitState, prompt: number): FitState {
  const ratio = prompt / Math.max(1, state.sent ?? 0)
  if (state.sent === undefined || ratio < LEAST_RATIO || ratio > MOST_RATIO) return state
  return { ...state, ratios: [...state.ratios, ratio].slice(-MOST_RATIOS) }
}

/** The provider's tokens for each that we estimate: the median of the newest ratios. */
export function scaleOf({ ratios }: FitState): number {
  const sorted = ratios.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 1
}

/** The newest answer stands before at most these (its results, a word of the user). */
const MOST_BEHIND = 64

/** Usage that a caller keeps with the newest answer. */
function usageIn(messages: readonly unknown[]): number | undefined {
  for (const message of messages.slice(-MOST_BEHIND).toReversed()) {
    const fields = fieldsOf(message)
    if (fields?.role !== 'assistant') continue
    const found = promptTokensOf(fields.usage) ?? promptTokensOf(fieldsOf(fields.metadata)?.usage)
    return found
  }
  return undefined
}
