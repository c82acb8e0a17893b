/** AI SDK ModelMessages (message-rules C01-C09): results stand in tool messages. */
import type { Block, JsonObject, JsonValue, MediaPart, Message, ResultBlock } from '../../core/transcript.ts'
import { type Conversion, type Target, textPart, UNHELD } from './target.ts'

function mediaPart(media: Omit<MediaPart, 'type'> & { readonly type: MediaPart['type'] }): JsonObject | undefined {
  const recorded = media.data ?? media.url
  if (recorded === undefined) return undefined
  return media.type === 'image'
    ? { type: 'image', image: recorded, mediaType: media.mediaType }
    : { type: 'file', data: recorded, mediaType: media.mediaType }
}

function contentPart(media: MediaPart): JsonObject | undefined {
  const kind = media.type === 'image' ? 'image' : 'file'
  if (media.data !== undefined) return { type: `${kind}-data`, data: media.data, mediaType: media.mediaType }
  return media.url === undefined ? undefined : { type: `${kind}-url`, url: media.url }
}

function outputOf(block: ResultBlock, conversion: Conversion): JsonObject {
  const [only] = block.parts
  if (block.parts.length <= 1 && (only === undefined || only.type === 'text')) {
    return { type: block.isError ? 'error-text' : 'text', value: only?.text ?? '' }
  }
  if (block.isError) conversion.report(block.at, UNHELD.flag)
  const value = block.parts.flatMap((part): JsonObject[] => {
    if (part.type === 'text') return [textPart(part.text)]
    const held = part.type === 'opaque' ? undefined : contentPart(part)
    if (!held) conversion.report(block.at, part.type === 'opaque' ? UNHELD.opaque : UNHELD.media)
    return held ? [held] : []
  })
  return { type: 'content', value }
}

function resultPart(block: ResultBlock, conversion: Conversion): JsonObject {
  const toolCallId = conversion.idOf(block)
  return { type: 'tool-result', toolCallId, toolName: conversion.toolOf(block), output: outputOf(block, conversion) }
}

function partOf(block: Block, role: Message['role'], conversion: Conversion): JsonObject[] {
  const unheld = (what: string): JsonObject[] => {
    conversion.report(block.at, what)
    return []
  }
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [textPart(block.text)]
    case 'thinking':
      if (role !== 'assistant' || block.text === '') return unheld(UNHELD.thinking)
      if (block.signed) conversion.report(block.at, UNHELD.seal)
      return [textPart(block.text, 'reasoning')]
    case 'call':
      if (role !== 'assistant') return unheld(UNHELD.misplaced)
      return [{ type: 'tool-call', toolCallId: conversion.idOf(block), toolName: block.tool, input: block.input }]
    case 'result':
      return role === 'user' ? [] : unheld(UNHELD.misplaced)
    case 'image':
    case 'document': {
      const held = role === 'user' ? mediaPart(block) : undefined
      return held ? [held] : unheld(UNHELD.media)
    }
    default:
      return unheld(UNHELD.opaque)
  }
}

function itemsOf(message: Message, conversion: Conversion): JsonValue[] {
  const parts = message.blocks.flatMap((block) => partOf(block, message.role, conversion))
  if (message.role === 'system') {
    // Its content is one string (C03).
    return parts.map((part) => ({ role: 'system', content: part.text as string }))
  }
  const results = message.role === 'user' ? message.blocks.filter((block) => block.type === 'result') : []
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results.map((block) => resultPart(block, conversion)) }] : []),
    ...(parts.length > 0 ? [{ role: message.role, content: parts }] : []),
  ]
}

export const toAiSdk: Target = {
  callId: /^[\s\S]+$/,
  valueOf(messages, system, conversion) {
    const items = messages.flatMap((message) => itemsOf(message, conversion))
    return { ...(system.length > 0 ? { system: system.join('\n\n') } : {}), messages: items }
  },
}
