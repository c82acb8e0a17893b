/** OpenAI Responses requests: `{input}`, or the array of items alone. */
import type { Block, JsonObject, JsonValue, Message, ResultBlock, ResultPart } from '../../core/transcript.ts'
import { argumentsWith } from '../arguments.ts'
import { ARRAY_THREAD, arrayFormat } from '../array-format.ts'
import { rebuiltParts } from '../array-writing.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { answersOf } from './answers.ts'
import { readItem } from './items.ts'
import { lastEntry, loneReasoning } from './lone-reasoning.ts'
import { answerItem, answerText, userText } from './made-items.ts'

const ROLES = new Set(['user', 'assistant', 'system', 'developer'])
const PARTS = /^(input_|output_)(text|image|file|audio)$|^refusal$|^summary_text$/

function fits(value: unknown): boolean {
  const item = fieldsOf(value)
  if (!item || 'parts' in item || 'tool_calls' in item) return false
  if (item.role === undefined) return typeof item.type === 'string'
  if (!ROLES.has(textOf(item.role) ?? '')) return false
  if (typeof item.content === 'string') return true
  if (!Array.isArray(item.content)) return false
  return item.content.every((part: unknown) => PARTS.test(textOf(fieldsOf(part)?.type) ?? ''))
}

function messagesOf(items: readonly JsonValue[]): Message[] {
  return answersOf(items.map((item, entry) => ({ entry, ...readItem(item, { thread: ARRAY_THREAD, entry }) })))
}

function rebuilt(value: JsonValue, before: readonly Block[], after: readonly Block[]): JsonValue {
  const item = value as JsonObject
  const [was] = before
  const [is] = after
  if (was?.type === 'call' && is?.type === 'call') {
    if (item.type === 'local_shell_call') return { ...item, action: is.input }
    if (item.type === 'custom_tool_call') return { ...item, input: is.input.input ?? '' }
    return { ...item, arguments: argumentsWith(item.arguments, was.input, is.input) }
  }
  if (was?.type === 'result' && is?.type === 'result') return { ...item, output: outputOf(item.output, was, is) }
  if (was?.type === 'result' && is?.type === 'text') return userText(is.text)
  if (was?.type === 'call' && is?.type === 'text') return answerText(is.text)
  if (Array.isArray(item.content)) {
    const type = item.role === 'assistant' ? 'output_text' : 'input_text'
    return { ...item, content: rebuiltParts(item.content, before, after, (part, _, to) => patchedPart(part, to, type)) }
  }
  return is?.type === 'text' && typeof item.content === 'string' ? { ...item, content: is.text } : item
}

function patchedPart(part: JsonValue, after: Block, type: string): JsonValue {
  if (after.type !== 'text') return part
  const old = part as JsonObject
  return typeof old.text === 'string' ? { ...old, text: after.text } : { type, text: after.text }
}

function outputOf(output: JsonValue | undefined, before: ResultBlock, after: ResultBlock): JsonValue {
  const words = (part: ResultPart | undefined): string => (part?.type === 'text' ? part.text : '')
  if (!Array.isArray(output)) return words(after.parts[0])
  if (after.parts.length !== before.parts.length) {
    return after.parts.map((part) => ({ type: 'input_text', text: words(part) }))
  }
  return output.map((item: JsonValue, index) => {
    const part = after.parts[index]
    return part === before.parts[index] || part?.type !== 'text' ? item : { type: 'input_text', text: part.text }
  })
}

/** Ids of what the model put out behind reasoning of the same turn of the user. */
function reasonedIds(items: readonly JsonValue[]): Set<string> {
  const ids = new Set<string>()
  let reasoned = false
  for (const value of items) {
    const item = fieldsOf(value)
    if (item?.type === 'reasoning') reasoned = true
    else if (isUsers(item)) reasoned = false
    else if (reasoned && typeof item?.id === 'string') ids.add(item.id)
  }
  return ids
}

function isUsers(item: ReturnType<typeof fieldsOf>): boolean {
  return item?.role !== undefined && item.role !== 'assistant'
}

/** An item whose reasoning left is sent as new, without the id that asks for the reasoning (B23). */
function finished(items: readonly JsonValue[], recorded: readonly JsonValue[]): JsonValue[] {
  const before = reasonedIds(recorded)
  const after = reasonedIds(items)
  return items.map((value) => {
    const { id, ...item } = (fieldsOf(value) ?? {}) as JsonObject
    const isOrphan = typeof id === 'string' && before.has(id) && !after.has(id)
    const isPaired = item.role === 'assistant' || item.call_id !== undefined
    return isOrphan && isPaired ? item : value
  })
}

export const responses = arrayFormat({
  name: 'responses',
  key: 'input',
  systemKey: 'instructions',
  wire: 'openai-responses',
  fieldRepairs: [
    {
      rules: ['B23', 'B25', 'B30'],
      field: 'id',
      value: null,
      reason: 'an id that the provider cannot resolve is left out: the item is sent as new',
    },
  ],
  // At the very end its answer may still come, unless the request is to be sent.
  repairs: (request, transcript) =>
    loneReasoning(request, transcript).filter((edit) => edit.at.entry !== lastEntry(transcript)),
  endings: loneReasoning,
  fits,
  messagesOf,
  rebuilt: (item, before, after) => [rebuilt(item, before, after)],
  answer: (result, _, item) => answerItem(result, fieldsOf(item)?.type),
  spoken: (role, { text }) => (role === 'user' ? userText(text) : answerText(text)),
  finished,
})
