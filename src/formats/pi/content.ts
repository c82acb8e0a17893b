/** From a native entry to a neutral message: what pi or OpenClaw would put before the model. */
import { callBlock, mediaBlock, opaqueBlock, resultBlock, textBlock, thinkingBlock } from '../../core/blocks.ts'
import type {
  Address,
  Block,
  JsonObject,
  MediaPart,
  Message,
  MessageKind,
  ResultBlock,
  ResultPart,
  Usage,
} from '../../core/transcript.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'
import { imageSize } from '../image-size.ts'
import { type PiEntry, speaks } from './entry.ts'
import { announcementMark, replyMark, spawnMark } from './task-marks.ts'

/** Marks an answer that a repair made up, in the details of a result (they are never sent). */
export const INVENTED_MARK = 'spillwayInvented'
const OPENCLAW_INVENTED_MARK = 'openclawSyntheticMissingToolResult'
/** OpenClaw's note that a turn ended to wait for workers. */
const YIELD_NOTE = 'openclaw.sessions_yield'
/** The words of pi's own tools for a call that was stopped while it ran. */
const STOPPED = /(?:^|\n\n)(?:Command aborted|Operation aborted)$/

export interface ContentContext {
  readonly thread: string
  readonly sizesOnly: boolean
  /** The raw JSON at a path of this entry. */
  readonly raw: (path: readonly string[]) => string | undefined
}

/** The neutral message of an entry, undefined when it puts nothing before the model. */
export function messageOf(entry: PiEntry, value: Fields, context: ContentContext): Message | undefined {
  if (!speaks(entry)) return undefined
  const common = { entries: [entry.ordinal], ...(entry.time === undefined ? {} : { time: entry.time }) }
  const at = { thread: context.thread, entry: entry.ordinal, block: 0 }
  if (entry.type === 'compaction' || entry.type === 'branch_summary') {
    const summary = textOf(value.summary) ?? ''
    const kind = entry.type === 'compaction' ? 'compaction-summary' : 'meta'
    if (summary.trim() === '') return undefined
    return { ...common, role: 'user', kind, blocks: [textBlock(at, summary, context)] }
  }
  if (entry.type === 'custom_message') {
    const blocks = blocksOf(value.content, at, context)
    const kind = value.customType === YIELD_NOTE ? 'task-event' : 'meta'
    return blocks.length === 0 ? undefined : { ...common, role: 'user', kind, blocks }
  }
  const message = fieldsOf(value.message) ?? {}
  if (entry.role === 'assistant') return assistantMessage(entry, message, common, context)
  if (entry.role === 'toolResult') {
    return { ...common, role: 'user', blocks: [resultOf(at, message, context)] }
  }
  return { ...userMessage(entry, message, at, context), ...common }
}

function assistantMessage(
  entry: PiEntry,
  message: Fields,
  common: Pick<Message, 'entries' | 'time'>,
  context: ContentContext,
): Message | undefined {
  const at = { thread: context.thread, entry: entry.ordinal, block: 0 }
  if (entry.skipped) {
    // Never sent. What failed before a word was said may leave; partial words stay in the file as they are.
    const isEmpty = Array.isArray(message.content) && message.content.length === 0
    return entry.skipped === 'error' && isEmpty
      ? { ...common, role: 'assistant', kind: 'api-error', blocks: [] }
      : undefined
  }
  const id = textOf(message.responseId)
  const model = textOf(message.model)
  const usage = usageOf(message.usage)
  const task = replyMark(message)
  return {
    ...common,
    role: 'assistant',
    blocks: blocksOf(message.content, at, context),
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(task === undefined ? {} : { task }),
  }
}

function userMessage(entry: PiEntry, message: Fields, at: Address, context: ContentContext): Message {
  const task = announcementMark(message)
  const blocks =
    entry.role === 'bashExecution'
      ? [opaqueBlock(at, 'bashExecution', shellRecord(message))]
      : blocksOf(message.content, at, context)
  const kind = task ? 'task-event' : kindOf(entry)
  return {
    role: 'user',
    blocks,
    entries: [entry.ordinal],
    ...(kind === undefined ? {} : { kind }),
    ...(task === undefined ? {} : { task }),
  }
}

function kindOf(entry: PiEntry): MessageKind | undefined {
  return entry.role === 'user' ? undefined : 'meta'
}

/** A command that the person ran themselves, as its words weigh in the context. */
function shellRecord(message: Fields): string {
  return `Ran \`${textOf(message.command) ?? ''}\`\n${textOf(message.output) ?? ''}`
}

/** Recorded usage in tokens; undefined where nothing was counted. */
export function usageOf(value: unknown): Usage | undefined {
  const usage = fieldsOf(value)
  if (!usage) return undefined
  const count = (key: string): number => numberOf(usage[key]) ?? 0
  const counted = {
    input: count('input'),
    cacheRead: count('cacheRead'),
    cacheWrite: count('cacheWrite'),
    output: count('output'),
  }
  return counted.input + counted.cacheRead + counted.cacheWrite + counted.output > 0 ? counted : undefined
}

/** A string is one text block. Blank texts are not sent (pi leaves them out), so they are no blocks here either. */
function blocksOf(content: unknown, at: Address, context: ContentContext): Block[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [textBlock(at, content, context)]
  if (!Array.isArray(content)) return []
  return content.flatMap((item: unknown, index) => blockOf(item, { ...at, block: index }, context) ?? [])
}

function blockOf(item: unknown, at: Address, context: ContentContext): Block | undefined {
  const block = fieldsOf(item) ?? {}
  switch (block.type) {
    case 'text': {
      const text = textOf(block.text) ?? ''
      return text.trim() === '' ? undefined : textBlock(at, text, context)
    }
    case 'thinking': {
      const signed = (textOf(block.thinkingSignature) ?? '').trim() !== ''
      return thinkingBlock(at, textOf(block.thinking) ?? '', { redacted: block.redacted === true, signed }, context)
    }
    case 'toolCall': {
      const input = (fieldsOf(block.arguments) ?? {}) as JsonObject
      return callBlock(at, { id: textOf(block.id) ?? '', tool: textOf(block.name) ?? '', input }, context)
    }
    case 'image':
      return mediaBlock(at, imageOf(block), context)
    default:
      return opaqueBlock(at, textOf(block.type) ?? 'unknown', JSON.stringify(item))
  }
}

function imageOf(block: Fields): MediaPart {
  const data = textOf(block.data) ?? ''
  return { type: 'image', mediaType: textOf(block.mimeType) ?? 'image/png', ...imageSize(data), data }
}

function partOf(item: unknown): ResultPart | undefined {
  const part = fieldsOf(item) ?? {}
  if (part.type === 'text') {
    const text = textOf(part.text) ?? ''
    return text.trim() === '' ? undefined : { type: 'text', text }
  }
  if (part.type === 'image') return imageOf(part)
  return { type: 'opaque', name: textOf(part.type) ?? 'unknown', json: JSON.stringify(item) }
}

/** Where the parts of a result's body stand in its content array: blank texts are no parts. */
export function partIndexes(content: readonly unknown[]): number[] {
  return content.flatMap((item, index) => (partOf(item) === undefined ? [] : [index]))
}

function bodyOf(content: unknown, raw: () => string | undefined): Pick<ResultBlock, 'parts' | 'raw'> {
  const items: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const parts = items.flatMap((item) => partOf(item) ?? [])
  if (parts.length === 0 || (parts.length === 1 && parts[0]?.type === 'text')) return { parts }
  const slice = raw()
  return slice === undefined ? { parts } : { parts, raw: slice }
}

function listOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : []
}

function resultOf(at: Address, message: Fields, context: ContentContext): ResultBlock {
  const details = fieldsOf(message.details)
  const isError = message.isError === true
  const body = bodyOf(message.content, () => context.raw(['message', 'content']))
  const stopped = isError ? stoppedOutput(body.parts) : undefined
  const task = spawnMark(details)
  return resultBlock(
    at,
    {
      callId: textOf(message.toolCallId) ?? '',
      ...body,
      shape: 'array',
      isError,
      invented: details?.[INVENTED_MARK] === true || details?.[OPENCLAW_INVENTED_MARK] === true,
      ...(stopped === undefined ? {} : { denied: 'stopped' as const, partial: stopped }),
      ...(task === undefined ? {} : { task }),
    },
    context,
  )
}

/** What a stopped call had put out; undefined when it was not stopped. */
function stoppedOutput(parts: readonly ResultPart[]): string | undefined {
  const [part] = parts
  if (parts.length !== 1 || part?.type !== 'text' || !STOPPED.test(part.text)) return undefined
  return part.text.replace(STOPPED, '')
}

/** The message with the content that a context edit gives it; its addresses stay those of the edited entry. */
export function editedMessage(message: Message, value: Fields, context: ContentContext): Message {
  const content = fieldsOf(value.replacement)?.content
  const entry = message.entries[0] ?? 0
  const at = { thread: context.thread, entry, block: 0 }
  const [first] = message.blocks
  if (first?.type !== 'result') return { ...message, blocks: blocksOf(content, at, context) }
  const { raw: _, ...facts } = first
  const body = bodyOf(content, () => context.raw(['replacement', 'content']))
  return { ...message, blocks: [resultBlock(at, { ...facts, ...body }, context)] }
}
