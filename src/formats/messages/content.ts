/** Blocks of an Anthropic Messages request (message-rules A). Every native block is one neutral block. */
import { callBlock, mediaBlock, opaqueBlock, resultBlock, textBlock, thinkingBlock } from '../../core/blocks.ts'
import type { Address, Block, JsonObject, JsonValue, MediaPart, Message, ResultPart } from '../../core/transcript.ts'
import { ARRAY_THREAD } from '../array-format.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isNoResult } from '../made-up.ts'
import { inlineMedia, mediaAt } from '../media.ts'

export function messagesOf(items: readonly JsonValue[]): Message[] {
  const programmatic = new Set(items.flatMap(programmaticCalls))
  return items.map((item, entry): Message => {
    const message = fieldsOf(item) ?? {}
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user'
    const at = { thread: ARRAY_THREAD, entry, block: 0 }
    return { role, blocks: blocksOf(message.content, at, programmatic), entries: [entry] }
  })
}

/** Calls that code execution made belong to its span: they stay whole, with their results (A25-A27). */
function programmaticCalls(item: JsonValue): string[] {
  const content = fieldsOf(item)?.content
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) => {
    const fields = fieldsOf(block)
    const caller = fieldsOf(fields?.caller)?.type
    return fields?.type === 'tool_use' && caller !== undefined && caller !== 'direct' ? [textOf(fields.id) ?? ''] : []
  })
}

function blocksOf(content: unknown, at: Address, programmatic: ReadonlySet<string>): Block[] {
  if (typeof content === 'string') return [textBlock(at, content)]
  if (!Array.isArray(content)) return []
  return content.map((item: unknown, block) => blockOf(item, { ...at, block }, programmatic))
}

function blockOf(item: unknown, at: Address, programmatic: ReadonlySet<string>): Block {
  const block = fieldsOf(item) ?? {}
  const name = textOf(block.type) ?? 'unknown'
  const opaque = (): Block => opaqueBlock(at, name, JSON.stringify(item) ?? '')
  switch (name) {
    case 'text':
      return textBlock(at, textOf(block.text) ?? '')
    case 'thinking': {
      const signature = textOf(block.signature) ?? ''
      const facts = { redacted: false, signed: signature !== '', signatureChars: signature.length }
      return thinkingBlock(at, textOf(block.thinking) ?? '', facts)
    }
    case 'redacted_thinking': {
      const data = textOf(block.data) ?? ''
      return thinkingBlock(at, '', { redacted: true, signed: true, signatureChars: data.length })
    }
    case 'tool_use': {
      const id = textOf(block.id) ?? ''
      const input = (fieldsOf(block.input) ?? {}) as JsonObject
      return programmatic.has(id) ? opaque() : callBlock(at, { id, tool: textOf(block.name) ?? '', input })
    }
    case 'tool_result': {
      const callId = textOf(block.tool_use_id) ?? ''
      return programmatic.has(callId) ? opaque() : resultOf(block, callId, at)
    }
    case 'image':
    case 'document': {
      const media = mediaOf(name, block)
      return media ? mediaBlock(at, media) : opaque()
    }
    default:
      return opaque()
  }
}

function resultOf(block: Fields, callId: string, at: Address): Block {
  const { content } = block
  const list: readonly unknown[] = Array.isArray(content) ? content : []
  const parts: ResultPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : list.map(partOf)
  const isOneText = parts.length === 1 && parts[0]?.type === 'text'
  return resultBlock(at, {
    callId,
    parts,
    shape: typeof content === 'string' ? 'string' : Array.isArray(content) ? 'array' : 'absent',
    ...(isOneText || list.length === 0 ? {} : { raw: JSON.stringify(content) }),
    isError: block.is_error === true,
    invented: isNoResult(parts),
  })
}

function partOf(item: unknown): ResultPart {
  const part = fieldsOf(item) ?? {}
  const name = textOf(part.type) ?? 'unknown'
  if (name === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const media = name === 'image' || name === 'document' ? mediaOf(name, part) : undefined
  return media ?? { type: 'opaque', name, json: JSON.stringify(item) ?? '' }
}

/** Undefined for what only the provider can resolve (a file id) or a document that is text itself. */
function mediaOf(type: MediaPart['type'], block: Fields): MediaPart | undefined {
  const source = fieldsOf(block.source) ?? {}
  const fallback = type === 'image' ? 'image/png' : 'application/pdf'
  if (source.type === 'base64' && typeof source.data === 'string') {
    return inlineMedia(type, textOf(source.media_type) ?? fallback, source.data)
  }
  if (source.type === 'url' && typeof source.url === 'string') return mediaAt(type, source.url, fallback)
  return undefined
}
