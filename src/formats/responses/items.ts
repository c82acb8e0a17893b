/**
 * Items of an OpenAI Responses request (message-rules B20-B31), which Codex rollouts record too. An item is an entry;
 * what one answer of the model put out (reasoning, words, calls) is one message of several entries.
 */
import {
  type BlockOptions,
  callBlock,
  mediaBlock,
  opaqueBlock,
  resultBlock,
  textBlock,
  thinkingBlock,
} from '../../core/blocks.ts'
import type { Address, Block, JsonObject, MediaPart, ResultPart, Role } from '../../core/transcript.ts'
import { argumentsOf } from '../arguments.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isNoResult } from '../made-up.ts'
import { inlineMedia, mediaAt } from '../media.ts'

/** Types of calls that the caller answers, with the types of their answers; all others stay opaque. */
export const ANSWERS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
}
const OUTPUTS = new Set(Object.values(ANSWERS))
/** Items that come from the caller; every other type without a role comes from the model. */
const FROM_USER = /(_output|_response)$/

export interface ItemReading {
  readonly role: Role
  readonly blocks: readonly Block[]
  /** Starts what the model put out anew: its item must follow it (B22). */
  readonly isReasoning: boolean
}

/** Calls that a program item made stay whole with their results (B31). `at` names the entry. */
export function readItem(value: unknown, at: Address, options: BlockOptions = {}): ItemReading {
  const item = fieldsOf(value) ?? {}
  const type = textOf(item.type) ?? (item.role === undefined ? 'unknown' : 'message')
  const whole = (): Block[] => [opaqueBlock({ ...at, block: 0 }, type, JSON.stringify(value) ?? '')]
  if (type === 'message') {
    return { role: roleOf(item.role), blocks: contentOf(item.content, at, options), isReasoning: false }
  }
  const role = FROM_USER.test(type) ? 'user' : 'assistant'
  if (item.caller !== undefined) return { role, blocks: whole(), isReasoning: false }
  if (type === 'reasoning') return { role, blocks: [reasoningOf(item, at, options)], isReasoning: true }
  if (type in ANSWERS) return { role, blocks: [callOf(item, at, options)], isReasoning: false }
  if (OUTPUTS.has(type)) return { role, blocks: [resultOf(item, at, options)], isReasoning: false }
  return { role, blocks: whole(), isReasoning: false }
}

function roleOf(role: unknown): Role {
  if (role === 'assistant') return 'assistant'
  return role === 'system' || role === 'developer' ? 'system' : 'user'
}

function contentOf(content: unknown, at: Address, options: BlockOptions): Block[] {
  if (typeof content === 'string') return [textBlock({ ...at, block: 0 }, content, options)]
  if (!Array.isArray(content)) return []
  return content.map((value: unknown, block): Block => {
    const part = fieldsOf(value) ?? {}
    const place = { ...at, block }
    if (isText(part)) return textBlock(place, part.text, options)
    const media = mediaOf(part)
    if (media) return mediaBlock(place, media, options)
    return opaqueBlock(place, textOf(part.type) ?? 'unknown', JSON.stringify(value) ?? '')
  })
}

function isText(part: Fields): part is Fields & { readonly text: string } {
  return typeof part.text === 'string' && /^(input_|output_)?text$/.test(textOf(part.type) ?? '')
}

function mediaOf(part: Fields): MediaPart | undefined {
  const image = textOf(part.image_url)
  if (part.type === 'input_image' && image !== undefined) return mediaAt('image', image, 'image/png')
  if (part.type !== 'input_file') return undefined
  const data = textOf(part.file_data)
  const url = textOf(part.file_url)
  if (data?.startsWith('data:')) return mediaAt('document', data, 'application/pdf')
  if (data !== undefined) return inlineMedia('document', 'application/pdf', data)
  return url === undefined ? undefined : mediaAt('document', url, 'application/pdf')
}

function reasoningOf(item: Fields, at: Address, options: BlockOptions): Block {
  const texts = [item.summary, item.content].flatMap((list) => (Array.isArray(list) ? list : []))
  const text = texts.flatMap((part: unknown) => textOf(fieldsOf(part)?.text) ?? []).join('\n')
  const sealed = textOf(item.encrypted_content) ?? ''
  const signed = sealed !== '' || item.id !== undefined
  const facts = { redacted: text === '' && sealed !== '', signed, signatureChars: sealChars(sealed.length) }
  return thinkingBlock({ ...at, block: 0 }, text, facts, options)
}

/**
 * A seal's length as that of a Claude signature over the same thinking, which is what core/tokens counts by. Fitted
 * on the recorded rollout: 101 requests, one token for each 6 characters above 1,130.
 */
function sealChars(length: number): number {
  return Math.max(0, Math.round((length - 930) * 0.85))
}

function callOf(item: Fields, at: Address, options: BlockOptions): Block {
  const isShell = item.type === 'local_shell_call'
  const input: JsonObject = isShell
    ? ((fieldsOf(item.action) ?? {}) as JsonObject)
    : item.type === 'custom_tool_call'
      ? { input: textOf(item.input) ?? '' }
      : argumentsOf(item.arguments)
  const tool = textOf(item.name) ?? (isShell ? 'local_shell' : '')
  return callBlock({ ...at, block: 0 }, { id: callIdOf(item), tool, input }, options)
}

/** Local shell answers name their call by `id`. */
function callIdOf(item: Fields): string {
  return textOf(item.call_id) ?? textOf(item.id) ?? ''
}

function resultOf(item: Fields, at: Address, options: BlockOptions): Block {
  const { output } = item
  const parts = partsOf(output)
  const isOneText = parts.length === 1 && parts[0]?.type === 'text'
  return resultBlock(
    { ...at, block: 0 },
    {
      callId: callIdOf(item),
      parts,
      shape: typeof output === 'string' ? 'string' : Array.isArray(output) ? 'array' : 'absent',
      ...(isOneText || parts.length === 0 ? {} : { raw: JSON.stringify(output) }),
      isError: false,
      invented: isNoResult(parts),
    },
    options,
  )
}

function partsOf(output: unknown): ResultPart[] {
  if (typeof output === 'string') return [{ type: 'text', text: output }]
  if (!Array.isArray(output)) return output == null ? [] : [{ type: 'text', text: JSON.stringify(output) }]
  return output.map((value: unknown): ResultPart => {
    const part = fieldsOf(value) ?? {}
    if (isText(part)) return { type: 'text', text: part.text }
    return mediaOf(part) ?? { type: 'opaque', name: textOf(part.type) ?? 'unknown', json: JSON.stringify(value) ?? '' }
  })
}
