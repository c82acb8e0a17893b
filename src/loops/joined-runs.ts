/** Neighbours that an eviction made are joined: see formats/user-runs. */
import type { JsonValue } from '../core/transcript.ts'
import { fieldsOf, textOf } from '../formats/fields.ts'
import { joinedUsers } from '../formats/user-runs.ts'
import { isNote } from '../planning/budget/index.ts'
import type { Shaped } from './request.ts'

/**
 * Messages of the user that only became neighbours because turns between them left are one; those the caller put side
 * by side stay as they are. Nothing behind the note is touched.
 */
export function joinedRuns(
  before: readonly unknown[],
  after: readonly unknown[],
  { format }: Shaped,
): readonly unknown[] {
  if (format.name === 'responses' || format.name === 'ai-sdk-ui') return after
  const places = new Map(before.map((item, index) => [item, index]))
  const note = after.findLastIndex((item) => !places.has(item) && holdsNote(item))
  const out: unknown[] = []
  let previous: unknown
  after.forEach((item, index) => {
    const wereNeighbours = places.has(item) && places.get(item) === (places.get(previous) ?? Number.NaN) + 1
    const joined =
      index > note || out.length === 0 || wereNeighbours
        ? undefined
        : joinedUsers(out.at(-1) as JsonValue, item as JsonValue)
    if (joined === undefined) out.push(item)
    else out[out.length - 1] = joined
    previous = item
  })
  return out
}

function holdsNote(item: unknown): boolean {
  const content = fieldsOf(item)?.content
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }]
  return parts.some((part) => isNote(textOf(fieldsOf(part)?.text) ?? ''))
}
