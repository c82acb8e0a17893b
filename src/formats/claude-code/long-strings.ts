/** Strings over ARGUMENT_CHARS anywhere inside a value: what leaves a `toolUseResult` copy together with its result. */
import { ARGUMENT_CHARS } from '../../core/blocks.ts'
import { elementsAt, membersAt, type Span } from '../json-spans.ts'

/** Does the value hold one that `counts`? Recursion is bounded by the nesting the line reader accepts. */
export function holdsLongString(value: unknown, counts: (text: string) => boolean): boolean {
  if (typeof value === 'string') return value.length > ARGUMENT_CHARS && counts(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((member) => holdsLongString(member, counts))
}

/** Where such strings stand in the JSON text of a value; keys are none. */
export function longStringsAt(text: string, value: Span): Span[] {
  const found: Span[] = []
  const open: Span[] = [value]
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    if (span.end - span.start <= ARGUMENT_CHARS) continue
    const first = text[span.start]
    if (first === '"') {
      if (isLong(text.slice(span.start, span.end))) found.push(span)
    } else if (first === '[') for (const each of elementsAt(text, span.start)) open.push(each)
    else if (first === '{')
      for (const each of membersAt(text, span.start).map((member) => member.value)) open.push(each)
  }
  return found
}

function isLong(json: string): boolean {
  const decoded: unknown = json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
  return typeof decoded === 'string' && decoded.length > ARGUMENT_CHARS
}
