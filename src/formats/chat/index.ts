/** OpenAI Chat requests: `{messages}`, or the array of messages alone. */
import type { Block, CallBlock, JsonObject, JsonValue, ResultBlock, ResultPart } from '../../core/transcript.ts'
import { argumentsWith } from '../arguments.ts'
import { arrayFormat, separatedResults } from '../array-format.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { type ChatPlace, messagesOf, placesOf } from './content.ts'

const ROLES = new Set(['user', 'assistant', 'system', 'developer', 'tool', 'function'])
const PARTS = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal'])

function fits(item: unknown): boolean {
  const message = fieldsOf(item)
  if (!message || !ROLES.has(textOf(message.role) ?? '') || 'parts' in message) return false
  if (message.content == null || typeof message.content === 'string') return true
  if (!Array.isArray(message.content)) return false
  return message.content.every((part: unknown) => {
    const fields = fieldsOf(part)
    return PARTS.has(textOf(fields?.type) ?? '') && !(fields?.type === 'file' && fields.file === undefined)
  })
}

function rebuilt(item: JsonValue, before: readonly Block[], after: readonly Block[]): JsonValue {
  const message = item as JsonObject
  if (message.role === 'tool') return rebuiltResult(message, before[0], after[0])
  const places = placesOf(message)
  const was = new Map(before.map((block) => [block.at.block, block]))
  const content: JsonValue[] = []
  const calls: JsonValue[] = []
  const keys = new Map<string, Block>()
  for (const block of after) {
    const place = places[block.at.block ?? 0]
    const recorded = was.get(block.at.block)
    const native = place && nativeAt(message, place)
    if (place?.kind === 'key' && place.key !== 'content') keys.set(place.key, block)
    else if (block.type === 'call')
      calls.push(block === recorded ? (native as JsonValue) : callWith(native, recorded, block))
    else content.push(block === recorded && place?.kind === 'part' ? (native as JsonValue) : partOf(block, native))
  }
  const fields: Record<string, JsonValue> = { ...message, content: contentFrom(content, message) }
  if (calls.length > 0) fields.tool_calls = calls
  else delete fields.tool_calls
  for (const place of places) {
    if (place.kind !== 'key' || place.key === 'content') continue
    const left = keys.get(place.key)
    if (left === undefined) delete fields[place.key]
    else if (left.type === 'text') fields[place.key] = left.text
  }
  return fields
}

function nativeAt(message: JsonObject, place: ChatPlace): JsonValue | undefined {
  if (place.kind === 'key') return message[place.key]
  const list = (place.kind === 'part' ? message.content : message.tool_calls) as readonly JsonValue[]
  return list[place.index]
}

/** A part for this block; what is not text stays as it was. */
function partOf(block: Block, native: JsonValue | undefined): JsonValue {
  if (block.type !== 'text') return native ?? null
  return fieldsOf(native)?.type === 'text' ? { ...(native as JsonObject), text: block.text } : textPart(block.text)
}

function textPart(text: string): JsonObject {
  return { type: 'text', text }
}

/** One text stays a string where it was one; nothing at all is null, which a message with calls may hold (B05). */
function contentFrom(parts: readonly JsonValue[], message: JsonObject): JsonValue {
  const [only] = parts
  if (only === undefined) return null
  const text = fieldsOf(only)?.text
  return parts.length === 1 && typeof text === 'string' && !Array.isArray(message.content) ? text : parts
}

function callWith(native: JsonValue | undefined, before: Block | undefined, after: CallBlock): JsonValue {
  const call = native as JsonObject
  const made = call.function as JsonObject
  if (before?.type !== 'call') return call
  return { ...call, function: { ...made, arguments: argumentsWith(made.arguments, before.input, after.input) } }
}

function rebuiltResult(message: JsonObject, before: Block | undefined, after: Block | undefined): JsonValue {
  if (after?.type === 'text') return { role: 'user', content: after.text }
  if (before?.type !== 'result' || after?.type !== 'result') return message
  return { ...message, content: contentOf(message.content, before, after) }
}

function contentOf(content: JsonValue | undefined, before: ResultBlock, after: ResultBlock): JsonValue {
  const words = (part: ResultPart | undefined): string => (part?.type === 'text' ? part.text : '')
  if (!Array.isArray(content)) return words(after.parts[0])
  if (after.parts.length !== before.parts.length)
    return after.parts.map((part) => ({ type: 'text', text: words(part) }))
  return content.map((item: JsonValue, index) => {
    const part = after.parts[index]
    return part === before.parts[index] || part?.type !== 'text' ? item : { type: 'text', text: part.text }
  })
}

export const chat = arrayFormat({
  name: 'chat',
  key: 'messages',
  wire: 'openai-chat',
  fieldRepairs: [
    { rules: ['B04'], field: 'tool_calls', value: null, reason: 'an empty list of calls is left out' },
    { rules: ['B05'], field: 'content', value: '', reason: 'content that is nothing becomes an empty text' },
  ],
  repairs: (_, transcript) => separatedResults(transcript, 'B02'),
  fits,
  messagesOf,
  rebuilt: (item, before, after) => [rebuilt(item, before, after)],
  answer: ({ callId, parts }) => {
    const [part] = parts
    return { role: 'tool', tool_call_id: callId, content: part?.type === 'text' ? part.text : '' }
  },
  spoken: (role, { text }) => ({ role, content: text }),
})
