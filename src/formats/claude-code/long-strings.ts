/** Strings over ARGUMENT_CHARS anywhere inside a value: what leaves a `toolUseResult` copy together with its result. */
import { ARGUMENT_CHARS } from '../../core/blocks.ts'

/** Does the value hold one? Recursion is bounded by the nesting the line reader accepts. */
export function holdsLongString(value: unknown): boolean {
  if (typeof value === 'string') return value.length > ARGUMENT_CHARS
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(holdsLongString)
}
