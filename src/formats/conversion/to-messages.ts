/** Anthropic Messages (message-rules A). */
import type { Block, JsonObject, JsonValue, MediaPart, Message, ResultBlock } from '../../core/transcript.ts'
import { type Conversion, type Target, textPart, UNHELD } from './target.ts'

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const PDF = 'application/pdf'

function mediaPart(media: Omit<MediaPart, 'type'> & { readonly type: MediaPart['type'] }): JsonObject | undefined {
  const { type, mediaType, data, url } = media
  const source = data === undefined ? url && { type: 'url', url } : { type: 'base64', media_type: mediaType, data }
  const isKnown = url !== undefined || (type === 'image' ? IMAGES.has(mediaType) : mediaType === PDF)
  return source && isKnown ? { type, source } : undefined
}

function resultOf(block: ResultBlock, conversion: Conversion): JsonObject {
  const parts = block.parts.flatMap((part): JsonObject[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [textPart(part.text)]
    const held = part.type === 'opaque' ? undefined : mediaPart(part)
    if (!held) conversion.report(block.at, part.type === 'opaque' ? UNHELD.opaque : UNHELD.media)
    return held ? [held] : []
  })
  const [only] = block.parts
  const isText = block.parts.length === 1 && only?.type === 'text' && block.shape !== 'array'
  return {
    type: 'tool_result',
    tool_use_id: conversion.idOf(block),
    content: isText ? only.text : parts,
    ...(block.isError ? { is_error: true } : {}),
  }
}

function partOf(block: Block, role: Message['role'], conversion: Conversion): JsonObject[] {
  const unheld = (what: string): JsonObject[] => {
    conversion.report(block.at, what)
    return []
  }
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [textPart(block.text)]
    case 'thinking':
      return unheld(UNHELD.thinking)
    case 'call':
      if (role !== 'assistant') return unheld(UNHELD.misplaced)
      return [{ type: 'tool_use', id: conversion.idOf(block), name: block.tool, input: block.input }]
    case 'result':
      return role === 'user' ? [resultOf(block, conversion)] : unheld(UNHELD.misplaced)
    case 'image':
    case 'document': {
      const held = role === 'user' ? mediaPart(block) : undefined
      return held ? [held] : unheld(UNHELD.media)
    }
    default:
      return unheld(UNHELD.opaque)
  }
}

export const toMessages: Target = {
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  valueOf(messages, system, conversion) {
    const items = messages.flatMap((message): JsonValue[] => {
      const content = message.blocks.flatMap((block) => partOf(block, message.role, conversion))
      return content.length > 0 ? [{ role: message.role, content }] : []
    })
    return { ...(system.length > 0 ? { system: system.map((text) => textPart(text)) } : {}), messages: items }
  },
}
