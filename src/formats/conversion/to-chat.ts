/** OpenAI Chat (message-rules B01-B12): a result is a message, words and calls of an answer stand apart. */
import type { Block, JsonObject, JsonValue, MediaPart, Message, ResultBlock } from '../../core/transcript.ts'
import { urlOf } from '../media.ts'
import { type Conversion, type Target, textPart, UNHELD } from './target.ts'

function mediaPart(media: Omit<MediaPart, 'type'> & { readonly type: MediaPart['type'] }): JsonObject | undefined {
  const url = urlOf(media)
  if (media.type === 'image') return url === undefined ? undefined : { type: 'image_url', image_url: { url } }
  const isFile = media.data !== undefined && url !== undefined
  return isFile ? { type: 'file', file: { filename: 'document', file_data: url } } : undefined
}

function resultItem(block: ResultBlock, conversion: Conversion): JsonObject {
  if (block.isError) conversion.report(block.at, UNHELD.flag)
  const parts = block.parts.map((part): JsonObject => {
    if (part.type === 'text') return textPart(part.text)
    conversion.report(block.at, part.type === 'opaque' ? UNHELD.opaque : UNHELD.media)
    return textPart(`[${part.type}]`)
  })
  const isArray = parts.length > 1 || block.shape === 'array'
  return {
    role: 'tool',
    tool_call_id: conversion.idOf(block),
    content: isArray && parts.length > 0 ? parts : ((parts[0]?.text as string | undefined) ?? ''),
  }
}

/** The parts of a person's message, or of an answer's words. */
function partsOf(message: Message, conversion: Conversion): JsonObject[] {
  return message.blocks.flatMap((block): JsonObject[] => {
    if (block.type === 'text') return block.text === '' ? [] : [textPart(block.text)]
    if (block.type === 'call' || block.type === 'result') {
      const isHeld = message.role === (block.type === 'call' ? 'assistant' : 'user')
      if (!isHeld) conversion.report(block.at, UNHELD.misplaced)
      return []
    }
    const isMedia = block.type === 'image' || block.type === 'document'
    const held = isMedia && message.role === 'user' ? mediaPart(block) : undefined
    if (held) return [held]
    conversion.report(block.at, isMedia ? UNHELD.media : block.type === 'thinking' ? UNHELD.thinking : UNHELD.opaque)
    return []
  })
}

function contentOf(parts: readonly JsonObject[]): JsonValue {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? (only.text as string) : parts
}

function answerItem(message: Message, conversion: Conversion): JsonObject[] {
  const firstCall = message.blocks.findIndex((block) => block.type === 'call')
  const late = message.blocks.find((block, index) => block.type === 'text' && firstCall >= 0 && index > firstCall)
  if (late) conversion.report(late.at, UNHELD.order)
  const calls = message.blocks.flatMap((block: Block): JsonObject[] => {
    if (block.type !== 'call') return []
    const made = { name: block.tool, arguments: JSON.stringify(block.input) }
    return [{ id: conversion.idOf(block), type: 'function', function: made }]
  })
  const parts = partsOf(message, conversion)
  if (parts.length === 0 && calls.length === 0) return []
  const content = parts.length === 0 ? null : contentOf(parts)
  return [{ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
}

export const toChat: Target = {
  callId: /^[\s\S]{1,40}$/,
  valueOf(messages, system, conversion) {
    const items = messages.flatMap((message): JsonValue[] => {
      if (message.role === 'assistant') return answerItem(message, conversion)
      const results = message.role === 'user' ? message.blocks.filter((block) => block.type === 'result') : []
      const parts = partsOf(message, conversion)
      return [
        ...results.map((block) => resultItem(block, conversion)),
        ...(parts.length > 0 ? [{ role: message.role, content: contentOf(parts) }] : []),
      ]
    })
    return { messages: [...system.map((content) => ({ role: 'system', content })), ...items] }
  },
}
