/** From a native message's content (a string or an array of blocks) to measured neutral blocks. */
import { callBlock, mediaBlock, opaqueBlock, resultBlock, textBlock, thinkingBlock } from '../../core/blocks.ts'
import type { Address, Block, JsonObject, MediaPart, ResultBlock, ResultPart, Usage } from '../../core/transcript.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'
import { base64Bytes, imageSize } from '../image-size.ts'
import { denialOf, partialOutput } from './denial.ts'
import { taskMark } from './task-mark.ts'

/** The harness's own answer to a call that a crash left open (message-rules D06). */
const HARNESS_ANSWER = "[Tool call interrupted: the session ended before this call's result was recorded"
const OUR_ANSWER = '[no result recorded: '
const PERSISTED_OUTPUT = '<persisted-output>'

export interface ContentContext {
  readonly thread: string
  readonly entry: number
  readonly sizesOnly: boolean
  /** The entry's own fields: who refused a call stands there, not in the block. */
  readonly fields: Fields
  /** The entry's identity is one that a repair derived from the call it answers. */
  readonly derived: (callId: string) => boolean
  /** The raw JSON of block `index`'s body. */
  readonly rawBody: (index: number) => string | undefined
}

/** A string is one text block; an empty string and anything that is no content give no blocks. */
export function readContent(content: unknown, context: ContentContext): Block[] {
  const options = { sizesOnly: context.sizesOnly }
  if (typeof content === 'string') {
    return content === '' ? [] : [textBlock(placeOf(context, 0), content, options)]
  }
  if (!Array.isArray(content)) return []
  return content.map((item: unknown, index) => readBlock(item, index, context))
}

function placeOf(context: ContentContext, block: number): Address {
  return { thread: context.thread, entry: context.entry, block }
}

function readBlock(item: unknown, index: number, context: ContentContext): Block {
  const at = placeOf(context, index)
  const options = { sizesOnly: context.sizesOnly }
  const block = fieldsOf(item)
  if (typeof item === 'string') return textBlock(at, item, options)
  if (!block) return opaqueBlock(at, 'unknown', JSON.stringify(item) ?? '')
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') break
      return textBlock(at, block.text, options)
    case 'thinking':
      return sealedThinking(at, block, options)
    case 'redacted_thinking':
      return thinkingBlock(
        at,
        '',
        { redacted: true, signed: true, signatureChars: (textOf(block.data) ?? '').length },
        options,
      )
    case 'tool_use':
      return readCall(at, block, options)
    case 'tool_result':
      return readResult(block, index, context)
    case 'image':
    case 'document': {
      const media = readMedia(block)
      if (media) return mediaBlock(at, media, options)
    }
  }
  return opaqueBlock(at, textOf(block.type) ?? 'unknown', JSON.stringify(block))
}

/**
 * Claude Code writes the plan's file into the recorded call of ExitPlanMode; the model is sent the call as it made
 * it: in 10 of 10 recorded calls the prompt did not grow by the plan (docs/tokens.md).
 */
function readCall(at: Address, block: Fields, options: { readonly sizesOnly: boolean }): Block {
  const call = {
    id: textOf(block.id) ?? '',
    tool: textOf(block.name) ?? '',
    input: (fieldsOf(block.input) ?? {}) as JsonObject,
  }
  if (call.tool !== 'ExitPlanMode') return callBlock(at, call, options)
  const { plan: _, ...sent } = call.input
  return callBlock(at, { ...call, sent }, options)
}

function sealedThinking(at: Address, block: Fields, options: { readonly sizesOnly: boolean }): Block {
  const signatureChars = (textOf(block.signature) ?? '').length
  const text = textOf(block.thinking) ?? ''
  return thinkingBlock(at, text, { redacted: false, signed: signatureChars > 0, signatureChars }, options)
}

function readResult(block: Fields, index: number, context: ContentContext): ResultBlock {
  const callId = textOf(block.tool_use_id) ?? ''
  const { content } = block
  const parts = readParts(content)
  const words = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const isError = block.is_error === true
  const denied = denialOf(context.fields, isError, words)
  const single = parts.length <= 1 && parts.every((part) => part.type === 'text')
  const raw = single || context.sizesOnly ? undefined : context.rawBody(index)
  const task = taskMark(fieldsOf(context.fields.toolUseResult))
  const result = resultBlock(
    placeOf(context, index),
    {
      callId,
      parts,
      shape: Array.isArray(content) ? 'array' : typeof content === 'string' ? 'string' : 'absent',
      ...(raw === undefined ? {} : { raw }),
      isError,
      ...(denied === undefined ? {} : { denied }),
      ...(denied === 'stopped' ? { partial: partialOutput(words) } : {}),
      invented: words.startsWith(HARNESS_ANSWER) || words.startsWith(OUR_ANSWER) || context.derived(callId),
      ...(task === undefined ? {} : { task }),
    },
    { sizesOnly: context.sizesOnly },
  )
  return words.startsWith(PERSISTED_OUTPUT) ? { ...result, spilled: true } : result
}

function readParts(content: unknown): ResultPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map((item: unknown): ResultPart => {
    const part = fieldsOf(item)
    if (part?.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
    const media = part && readMedia(part)
    return media ?? { type: 'opaque', name: textOf(part?.type) ?? 'unknown', json: JSON.stringify(item) ?? '' }
  })
}

/** An image or document with a source of its own; a document of text parts is none (it stays opaque). */
function readMedia(block: Fields): MediaPart | undefined {
  const source = fieldsOf(block.source)
  if (!source || (block.type !== 'image' && block.type !== 'document')) return undefined
  const { type } = block
  const mediaType = textOf(source.media_type) ?? ''
  const data = textOf(source.data)
  if (data === undefined) {
    if (source.type !== 'url' && source.type !== 'file') return undefined
    return { type, mediaType, bytes: 0, width: 0, height: 0 }
  }
  if (source.type === 'text') return { type, mediaType, bytes: Buffer.byteLength(data), width: 0, height: 0, data }
  if (type === 'document') return { type, mediaType, bytes: base64Bytes(data), width: 0, height: 0, data }
  return { type, mediaType, ...imageSize(data), data }
}

/** Text that the harness rendered from an attachment: one block an item. */
export function readRendered(rendered: unknown, context: ContentContext): Block[] {
  if (!Array.isArray(rendered)) return []
  return rendered.flatMap((item: unknown, index): Block[] => {
    const content = fieldsOf(item)?.content
    if (typeof content === 'string') return [textBlock(placeOf(context, index), content, context)]
    if (!Array.isArray(content)) return []
    return [opaqueBlock(placeOf(context, index), 'rendered', JSON.stringify(content))]
  })
}

/** Tokens a request was billed for, as recorded; undefined where the entry has none. */
export function usageOf(value: unknown): Usage | undefined {
  const usage = fieldsOf(value)
  if (!usage) return undefined
  return {
    input: numberOf(usage.input_tokens) ?? 0,
    cacheRead: numberOf(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: numberOf(usage.cache_creation_input_tokens) ?? 0,
    output: numberOf(usage.output_tokens) ?? 0,
  }
}
