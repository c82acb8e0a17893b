/** A request has no room for a mark: an answer that a repair made up is known by its words. */
import type { ResultPart } from '../core/transcript.ts'

/** How core's rule `dangling` starts the text of every answer it makes up. */
const NO_RESULT = '[no result recorded: '

export function isNoResult(parts: readonly ResultPart[]): boolean {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && only.text.startsWith(NO_RESULT)
}
