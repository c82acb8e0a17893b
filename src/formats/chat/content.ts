/**
 * Blocks of an OpenAI Chat request (message-rules B01-B12). A message keeps its words, its reasoning and its calls
 * under different keys, so a block's number is its place in the order reasoning, words, calls.
 */
import { callBlock, mediaBlock, opaqueBlock, resultBlock, textBlock, thinkingBlock } from '../../core/blocks.ts'
import type { Address, Block, JsonValue, MediaPart, Message, ResultPart, Role } from '../../core/transcript.ts'
import { argumentsOf } from '../arguments.ts'
import { ARRAY_THREAD } from '../array-format.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isNoResult } from '../made-up.ts'
import { inlineMedia, mediaAt } from '../media.ts'

/** Reasoning that some providers want back (F10). */
const REASONING_KEY = 'reasoning_content'
/** Keys of an answer that are carried as they are: the old form of a call, sound, a refusal. */
const OPAQUE_KEYS = ['refusal', 'audio', 'function_call'] as const

/** One place of a native message that is a block. */
export type ChatPlace =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'part'; readonly index: number }
  | { readonly kind: 'call'; readonly index: number }

/** The places of a message in the order of their block numbers. */
export function placesOf(message: Fields): ChatPlace[] {
  const key = (name: string): ChatPlace[] => [{ kind: 'key', key: name }]
  const each = (list: unknown, kind: 'part' | 'call'): ChatPlace[] =>
    Array.isArray(list) ? list.map((_, index) => ({ kind, index })) : []
  return [
    ...(textOf(message[REASONING_KEY]) ? key(REASONING_KEY) : []),
    ...(textOf(message.content) ? key('content') : each(message.content, 'part')),
    ...OPAQUE_KEYS.filter((name) => message[name] != null).flatMap(key),
    ...each(message.tool_calls, 'call'),
  ]
}

export function messagesOf(items: readonly JsonValue[]): Message[] {
  return items.map((item, entry): Message => {
    const message = fieldsOf(item) ?? {}
    const at = { thread: ARRAY_THREAD, entry, block: 0 }
    if (message.role === 'tool') return { role: 'user', blocks: [resultOf(message, at)], entries: [entry] }
    const blocks = placesOf(message).map((place, block) => blockOf(message, place, { ...at, block }))
    return { role: roleOf(message.role), blocks, entries: [entry] }
  })
}

function roleOf(role: unknown): Role {
  if (role === 'assistant') return 'assistant'
  return role === 'system' || role === 'developer' ? 'system' : 'user'
}

function blockOf(message: Fields, place: ChatPlace, at: Address): Block {
  if (place.kind === 'call') return callOf((message.tool_calls as unknown[])[place.index], at)
  if (place.kind === 'part') return partBlock((message.content as unknown[])[place.index], at)
  const value = message[place.key]
  if (place.key === REASONING_KEY) return thinkingBlock(at, textOf(value) ?? '', { redacted: false, signed: false })
  return place.key === 'content'
    ? textBlock(at, textOf(value) ?? '')
    : opaqueBlock(at, place.key, JSON.stringify(value))
}

function callOf(item: unknown, at: Address): Block {
  const call = fieldsOf(item) ?? {}
  const made = fieldsOf(call.function)
  if (!made) return opaqueBlock(at, textOf(call.type) ?? 'unknown', JSON.stringify(item) ?? '')
  return callBlock(at, { id: textOf(call.id) ?? '', tool: textOf(made.name) ?? '', input: argumentsOf(made.arguments) })
}

function partBlock(item: unknown, at: Address): Block {
  const part = fieldsOf(item) ?? {}
  if (part.type === 'text' && typeof part.text === 'string') return textBlock(at, part.text)
  const media = mediaOf(part)
  return media ? mediaBlock(at, media) : opaqueBlock(at, textOf(part.type) ?? 'unknown', JSON.stringify(item) ?? '')
}

function mediaOf(part: Fields): MediaPart | undefined {
  const url = textOf(fieldsOf(part.image_url)?.url)
  if (part.type === 'image_url' && url !== undefined) return mediaAt('image', url, 'image/png')
  const data = textOf(fieldsOf(part.file)?.file_data)
  if (part.type !== 'file' || data === undefined) return undefined
  return data.startsWith('data:')
    ? mediaAt('document', data, 'application/pdf')
    : inlineMedia('document', 'application/pdf', data)
}

function resultOf(message: Fields, at: Address): Block {
  const { content } = message
  const parts: ResultPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const isOneText = parts.length === 1 && parts[0]?.type === 'text'
  return resultBlock(at, {
    callId: textOf(message.tool_call_id) ?? '',
    parts,
    shape: typeof content === 'string' ? 'string' : Array.isArray(content) ? 'array' : 'absent',
    ...(isOneText || parts.length === 0 ? {} : { raw: JSON.stringify(content) }),
    isError: false,
    invented: isNoResult(parts),
  })
}

function listOf(content: unknown): ResultPart[] {
  if (!Array.isArray(content)) return []
  return content.map((item: unknown): ResultPart => {
    const part = fieldsOf(item) ?? {}
    if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
    return mediaOf(part) ?? { type: 'opaque', name: textOf(part.type) ?? 'unknown', json: JSON.stringify(item) ?? '' }
  })
}
