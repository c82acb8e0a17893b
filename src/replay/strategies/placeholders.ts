/** What peers leave in place of a result, and the results of a recording in the order in which they were sent. */
import type { Prompt } from '../prompt.ts'
import type { Recording } from '../recording.ts'

/** A fixed short text such as "[Old tool result content cleared]" with its block. */
export const PLACEHOLDER_TOKENS = 20

export function resultItems(recording: Recording): number[] {
  return recording.items.flatMap((item, index) => (item.kind === 'result' ? [index] : []))
}

/** How many of `results` were sent by now; ask with growing prompts only. */
export function sentCounter(results: readonly number[]): (prompt: Prompt) => number {
  let sent = 0
  return (prompt) => {
    while ((results[sent] ?? Number.POSITIVE_INFINITY) < prompt.length) sent++
    return sent
  }
}

/** Tokens that clearing would free; 0 where it already is cleared or small. */
export function clearable(prompt: Prompt, item: number): number {
  return prompt.isWhole(item) ? Math.max(0, prompt.size(item) - PLACEHOLDER_TOKENS) : 0
}

export function clear(prompt: Prompt, item: number): void {
  if (clearable(prompt, item) > 0) prompt.replace(item, PLACEHOLDER_TOKENS)
}
