/** Anthropic Messages requests: `{system, tools, messages}`, or the array of messages alone. */
import type { Block, JsonObject, JsonValue, ResultBlock } from '../../core/transcript.ts'
import { arrayFormat } from '../array-format.ts'
import { rebuiltParts } from '../array-writing.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { messagesOf } from './content.ts'
import { endingsOfMessages } from './endings.ts'
import { repairsOfMessages } from './repairs.ts'

const ROLES = new Set(['user', 'assistant', 'system'])
/** Block types that other array formats have and this one has not. */
const FOREIGN = /^(image_url|input_|output_text|refusal|file|reasoning|tool-|step-start|source-|data-)/

function fits(item: unknown): boolean {
  const message = fieldsOf(item)
  if (!message || !ROLES.has(textOf(message.role) ?? '') || 'tool_calls' in message) return false
  if (typeof message.content === 'string') return true
  if (!Array.isArray(message.content)) return false
  return message.content.every((block: unknown) => {
    const type = textOf(fieldsOf(block)?.type)
    return type !== undefined && !FOREIGN.test(type) && !(type === 'image' && fieldsOf(block)?.source === undefined)
  })
}

function rebuilt(item: JsonValue, before: readonly Block[], after: readonly Block[]): JsonValue {
  const message = item as JsonObject
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: rebuiltParts(content, before, after, patched) }
  const [only] = after
  return only?.type === 'text' ? { ...message, content: only.text } : message
}

/** A cache mark stands on a block, whatever the block becomes. */
function markOf(part: JsonObject): JsonObject {
  return part.cache_control === undefined ? {} : { cache_control: part.cache_control }
}

function patched(native: JsonValue, before: Block, after: Block): JsonValue {
  const part = native as JsonObject
  if (after.type === 'text') return { type: 'text', text: after.text, ...markOf(part) }
  if (after.type === 'call') return { ...part, input: after.input }
  return before.type === 'result' && after.type === 'result' ? patchedResult(part, before, after) : part
}

function patchedResult(part: JsonObject, before: ResultBlock, after: ResultBlock): JsonObject {
  const { is_error: _, ...rest } = part
  const flag = after.isError === before.isError ? part : { ...rest, ...(after.isError ? { is_error: true } : {}) }
  return { ...flag, content: patchedBody(part.content, before, after) }
}

function patchedBody(content: JsonValue | undefined, before: ResultBlock, after: ResultBlock): JsonValue {
  const [only] = after.parts
  if (!Array.isArray(content)) return only?.type === 'text' ? only.text : ''
  if (after.parts.length === before.parts.length) {
    return content.map((item: JsonValue, index) => {
      const part = after.parts[index]
      return part === before.parts[index] || part?.type !== 'text' ? item : { type: 'text', text: part.text }
    })
  }
  return after.parts.map((part) => ({ type: 'text', text: part.type === 'text' ? part.text : '' }))
}

export const messages = arrayFormat({
  name: 'messages',
  key: 'messages',
  systemKey: 'system',
  wire: 'anthropic-messages',
  fieldRepairs: [],
  repairs: repairsOfMessages,
  endings: endingsOfMessages,
  fits,
  messagesOf,
  rebuilt: (item, before, after) => [rebuilt(item, before, after)],
  answer: ({ callId, parts, isError }) => {
    const [part] = parts
    const content = part?.type === 'text' ? part.text : ''
    return {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: callId, content, ...(isError ? { is_error: true } : {}) }],
    }
  },
  spoken: (role, { text }) => ({ role, content: [{ type: 'text', text }] }),
})
