/**
 * Arguments of a call that the wire carries as JSON text (OpenAI). What is no JSON object is one argument under the
 * name `input`: it stays readable, counts as sent, and is written back as the text it was.
 */
import type { JsonObject, JsonValue } from '../core/transcript.ts'
import { fieldsOf } from './fields.ts'
import { spanOf, spliceText } from './json-spans.ts'

export function argumentsOf(recorded: unknown): JsonObject {
  return objectIn(recorded) ?? { input: typeof recorded === 'string' ? recorded : ((recorded as JsonValue) ?? '') }
}

function objectIn(recorded: unknown): JsonObject | undefined {
  if (typeof recorded !== 'string') return fieldsOf(recorded) as JsonObject | undefined
  try {
    return fieldsOf(JSON.parse(recorded)) as JsonObject | undefined
  } catch {
    return undefined
  }
}

/** The recorded arguments with the strings that differ between the two readings; all else keeps its spelling. */
export function argumentsWith(recorded: JsonValue | undefined, before: JsonObject, after: JsonObject): JsonValue {
  if (objectIn(recorded) === undefined) return after.input ?? ''
  if (typeof recorded !== 'string') return after
  const splices = changedStrings(before, after).flatMap(({ path, text }) => {
    const span = spanOf(recorded, path)
    return span ? [{ ...span, text: JSON.stringify(text) }] : []
  })
  return spliceText(recorded, splices)
}

interface ChangedString {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** `apply` shares what it does not change, so only the changed branches are walked. */
export function changedStrings(before: JsonValue | undefined, after: JsonValue | undefined): ChangedString[] {
  const changed: ChangedString[] = []
  const open = [{ before, after, path: [] as (string | number)[] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { before: was, after: is, path } = next
    if (was === is) continue
    if (typeof is === 'string') changed.push({ path, text: is })
    else if (Array.isArray(is)) {
      const old: readonly JsonValue[] = Array.isArray(was) ? was : []
      for (const [index, item] of is.entries()) open.push({ before: old[index], after: item, path: [...path, index] })
    } else {
      const old = fieldsOf(was) ?? {}
      for (const [key, item] of Object.entries(fieldsOf(is) ?? {})) {
        open.push({ before: old[key] as JsonValue | undefined, after: item as JsonValue, path: [...path, key] })
      }
    }
  }
  return changed
}
