/**
 * Neighbouring messages of the user as one (Messages, Chat, AI SDK): where turns between them left, chat templates
 * that want roles to alternate refuse what remains. The words stay as they are, each as a part of its own.
 */
import type { JsonObject, JsonValue } from '../core/transcript.ts'
import { fieldsOf } from './fields.ts'

/** The one message, or undefined where the two are not both messages of the same user. */
export function joinedUsers(first: JsonValue, second: JsonValue): JsonValue | undefined {
  const one = fieldsOf(first)
  const other = fieldsOf(second)
  if (one?.role !== 'user' || other?.role !== 'user') return undefined
  const names = Object.keys({ ...one, ...other })
  if (names.some((name) => name !== 'content' && one[name] !== other[name])) return undefined
  return { ...(first as JsonObject), content: [...partsOf(one.content), ...partsOf(other.content)] }
}

function partsOf(content: unknown): JsonValue[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as JsonValue[]) : []
}
