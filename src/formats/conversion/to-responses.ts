/** OpenAI Responses (message-rules B20-B31): every call, result and run of words is an item. */
import type { Block, JsonObject, JsonValue, MediaPart, Message, ResultBlock } from '../../core/transcript.ts'
import { urlOf } from '../media.ts'
import { type Conversion, type Target, textPart, UNHELD } from './target.ts'

function mediaPart(media: Omit<MediaPart, 'type'> & { readonly type: MediaPart['type'] }): JsonObject | undefined {
  const url = urlOf(media)
  if (url === undefined) return undefined
  if (media.type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' }
  return media.data === undefined
    ? { type: 'input_file', file_url: url }
    : { type: 'input_file', filename: 'document', file_data: url }
}

function resultItem(block: ResultBlock, conversion: Conversion): JsonObject {
  if (block.isError) conversion.report(block.at, UNHELD.flag)
  const parts = block.parts.flatMap((part): JsonObject[] => {
    if (part.type === 'text') return [textPart(part.text, 'input_text')]
    const held = part.type === 'opaque' ? undefined : mediaPart(part)
    if (!held) conversion.report(block.at, part.type === 'opaque' ? UNHELD.opaque : UNHELD.media)
    return held ? [held] : []
  })
  const [only] = block.parts
  const isText = block.parts.length === 1 && only?.type === 'text' && block.shape !== 'array'
  const output = isText ? only.text : parts.length > 0 ? parts : ''
  return { type: 'function_call_output', call_id: conversion.idOf(block), output }
}

/** What one block becomes: an item of its own, or a part of a message. */
function pieceOf(
  block: Block,
  role: Message['role'],
  conversion: Conversion,
): { readonly item: JsonObject } | { readonly part: JsonObject } | undefined {
  switch (block.type) {
    case 'text':
      if (block.text === '') return undefined
      return {
        part:
          role === 'assistant'
            ? { ...textPart(block.text, 'output_text'), annotations: [] }
            : textPart(block.text, 'input_text'),
      }
    case 'call':
      if (role === 'assistant') {
        const made = { name: block.tool, arguments: JSON.stringify(block.input) }
        return { item: { type: 'function_call', call_id: conversion.idOf(block), ...made } }
      }
      break
    case 'result':
      if (role === 'user') return { item: resultItem(block, conversion) }
      break
    case 'image':
    case 'document': {
      const held = role === 'user' ? mediaPart(block) : undefined
      if (held) return { part: held }
      conversion.report(block.at, UNHELD.media)
      return undefined
    }
    default:
      conversion.report(block.at, block.type === 'thinking' ? UNHELD.thinking : UNHELD.opaque)
      return undefined
  }
  conversion.report(block.at, UNHELD.misplaced)
  return undefined
}

function itemsOf(message: Message, conversion: Conversion): JsonValue[] {
  const items: JsonValue[] = []
  let parts: JsonObject[] = []
  const close = (): void => {
    if (parts.length > 0) items.push({ type: 'message', role: message.role, content: parts })
    parts = []
  }
  for (const block of message.blocks) {
    const piece = pieceOf(block, message.role, conversion)
    if (piece === undefined) continue
    if ('part' in piece) parts.push(piece.part)
    else {
      close()
      items.push(piece.item)
    }
  }
  close()
  return items
}

export const toResponses: Target = {
  callId: /^[\s\S]{1,64}$/,
  valueOf(messages, system, conversion) {
    const [instructions, ...others] = system
    const more = others.map((text) => ({ type: 'message', role: 'system', content: [textPart(text, 'input_text')] }))
    const input = [...more, ...messages.flatMap((message) => itemsOf(message, conversion))]
    return { ...(instructions === undefined ? {} : { instructions }), input }
  },
}
