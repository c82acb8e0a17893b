/** AI SDK: arrays of ModelMessage (`messages` of generateText and its kin) and of UIMessage (useChat). */
import type { Block, JsonObject, JsonValue } from '../../core/transcript.ts'
import { arrayFormat } from '../array-format.ts'
import { rebuiltParts } from '../array-writing.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { outputWith } from './content.ts'
import { messagesOf, partsOf } from './model-messages.ts'

export { aiSdkUi } from './ui-messages.ts'

const ROLES = new Set(['user', 'assistant', 'system', 'tool'])
const PARTS = /^(text|image|file|reasoning|tool-call|tool-result|tool-approval-request|tool-approval-response)$/

function fits(item: unknown): boolean {
  const message = fieldsOf(item)
  if (!message || !ROLES.has(textOf(message.role) ?? '')) return false
  if ('tool_calls' in message || 'tool_call_id' in message || 'parts' in message) return false
  if (typeof message.content === 'string') return message.role !== 'tool'
  if (!Array.isArray(message.content)) return false
  return message.content.every((part: unknown) => {
    const fields = fieldsOf(part)
    return PARTS.test(textOf(fields?.type) ?? '') && fields?.source === undefined
  })
}

function rebuilt(item: JsonValue, before: readonly Block[], after: readonly Block[]): readonly JsonValue[] {
  const message = item as JsonObject
  const { content } = message
  const [only] = after
  if (!Array.isArray(content)) return [only?.type === 'text' ? { ...message, content: only.text } : message]
  const left = gone(item, before, after)
  const parts = rebuiltParts(content, before, after, patched).filter((part) => !isAskedAbout(part, left))
  if (message.role !== 'tool') return [{ ...message, content: parts }]
  const words = parts.filter((part) => fieldsOf(part)?.type === 'text')
  const results = parts.filter((part) => !words.includes(part))
  return [
    ...(results.length > 0 ? [{ ...message, content: results }] : []),
    ...(words.length > 0 ? [{ role: 'user', content: words }] : []),
  ]
}

/** Ids of the calls that leave this message, or are calls no longer. */
function gone(item: JsonValue, before: readonly Block[], after: readonly Block[]): Set<string> {
  const kept = new Set(after.map((block) => `${block.type} ${block.at.block}`))
  const parts = partsOf(item)
  return new Set(
    before.flatMap(({ type, at }) =>
      kept.has(`${type} ${at.block}`) ? [] : (textOf(parts[at.block ?? 0]?.toolCallId) ?? []),
    ),
  )
}

/** What a person was asked about a call leaves with it. */
function isAskedAbout(value: JsonValue, left: ReadonlySet<string>): boolean {
  const part = fieldsOf(value)
  return part?.type === 'tool-approval-request' && left.has(textOf(part.toolCallId) ?? '')
}

function requestsIn(items: readonly JsonValue[]): Set<string> {
  const requests = items.flatMap(partsOf).filter((part) => part.type === 'tool-approval-request')
  return new Set(requests.map((part) => textOf(part.approvalId) ?? ''))
}

/** A person's answer leaves with the question (C05). */
function finished(items: readonly JsonValue[], recorded: readonly JsonValue[]): JsonValue[] {
  const before = requestsIn(recorded)
  const after = requestsIn(items)
  if (before.size === after.size) return [...items]
  const isStray = (value: JsonValue): boolean => {
    const part = fieldsOf(value)
    const id = textOf(part?.approvalId) ?? ''
    return part?.type === 'tool-approval-response' && before.has(id) && !after.has(id)
  }
  return items.flatMap((item): JsonValue[] => {
    const content = fieldsOf(item)?.content
    if (!Array.isArray(content) || !content.some(isStray)) return [item]
    const parts = content.filter((part: JsonValue) => !isStray(part))
    return parts.length > 0 ? [{ ...(item as JsonObject), content: parts }] : []
  })
}

function patched(value: JsonValue, before: Block, after: Block): JsonValue {
  const part = value as JsonObject
  if (after.type === 'text')
    return part.type === 'text' ? { ...part, text: after.text } : { type: 'text', text: after.text }
  if (after.type === 'call') return { ...part, input: after.input }
  if (before.type !== 'result' || after.type !== 'result') return part
  return { ...part, output: outputWith(part.output, before, after) }
}

export const aiSdk = arrayFormat({
  name: 'ai-sdk',
  key: 'messages',
  systemKey: 'system',
  wire: 'ai-sdk',
  fieldRepairs: [],
  fits,
  messagesOf,
  rebuilt,
  answer: ({ callId, parts, isError }, call) => {
    const [part] = parts
    const output = { type: isError ? 'error-text' : 'text', value: part?.type === 'text' ? part.text : '' }
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: callId, toolName: call?.tool ?? '', output }],
    }
  },
  spoken: (role, { text }) => ({ role, content: [{ type: 'text', text }] }),
  finished,
})
