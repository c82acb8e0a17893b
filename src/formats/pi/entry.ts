/**
 * One native entry of a pi or OpenClaw session, reduced to what walking, checking and writing need
 * (reference/openclaw-and-pi section 2.2). Unknown types are entries like any other: they are chain links.
 */
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'

export interface PiEntry {
  /** Counts parsed entries from 0, the header included. */
  readonly ordinal: number
  /** 1-based. */
  readonly line: number
  readonly type: string
  readonly id?: string
  /** As recorded; undefined where the field is missing or no id. */
  readonly parent?: string | null
  /** Appended beside the active branch (OpenClaw v4). */
  readonly side: boolean
  /** What a label, an edit or a leaf control is about. */
  readonly target?: string | null
  /** Of a leaf control: what the next entry hangs off, where that is not the target. */
  readonly appendParent?: string | null
  /** Of a compaction or reset; a number is version 1's index into the file's entries. */
  readonly firstKept?: string | number
  /** Of a branch summary. */
  readonly from?: string
  /** Role of the message, for messages. */
  readonly role?: string
  /** Never sent: an assistant message that failed or was stopped. */
  readonly skipped?: 'error' | 'aborted'
  /** Of an assistant message: the model had said all it wanted to. */
  readonly finished?: true
  /** Kept out of the context on request. */
  readonly hidden: boolean
  /** Of a result. */
  readonly callId?: string
  /** Of an assistant message: the ids of its calls, where it has any. */
  readonly callIds?: readonly string[]
  /** How the content is spelled, where the entry has one. */
  readonly content?: 'array' | 'string' | 'other'
  /** Of a context edit: whether its replacement is one pi accepts. */
  readonly replaces?: 'nothing' | 'content' | 'malformed'
  /** Milliseconds since the epoch. */
  readonly time?: number
}

type Building = { -readonly [K in keyof PiEntry]: PiEntry[K] }

/** Fields are assigned one by one, only where there is a value: a large file has a million entries. */
export function entryOf(value: Fields, ordinal: number, line: number): PiEntry {
  const type = textOf(value.type) ?? ''
  const message = type === 'message' ? fieldsOf(value.message) : undefined
  const hidden = (message ?? value).excludeFromContext === true
  const entry: Building = { ordinal, line, type, side: value.appendMode === 'side', hidden }
  if (type !== 'session' && typeof value.id === 'string' && value.id !== '') entry.id = value.id
  if (value.parentId === null || typeof value.parentId === 'string') entry.parent = value.parentId
  if (message) addMessageFacts(entry, message)
  else addRareFacts(entry, value)
  const content = spellingOf(type, value, message)
  if (content !== undefined) entry.content = content
  const time = entryTime(value, message)
  if (time !== undefined) entry.time = time
  return entry
}

/** What only entries other than messages have. */
function addRareFacts(entry: Building, value: Fields): void {
  if (value.targetId === null || typeof value.targetId === 'string') entry.target = value.targetId
  if (value.appendParentId === null || typeof value.appendParentId === 'string')
    entry.appendParent = value.appendParentId
  const firstKept = textOf(value.firstKeptEntryId) ?? numberOf(value.firstKeptEntryIndex)
  if (firstKept !== undefined) entry.firstKept = firstKept
  if (typeof value.fromId === 'string') entry.from = value.fromId
  if (entry.type === 'context_edit') entry.replaces = replacementOf(value.replacement)
}

function addMessageFacts(entry: Building, message: Fields): void {
  if (typeof message.role !== 'string') return
  entry.role = message.role
  if (message.role === 'toolResult' && typeof message.toolCallId === 'string') entry.callId = message.toolCallId
  if (message.role !== 'assistant') return
  if (message.stopReason === 'error' || message.stopReason === 'aborted') entry.skipped = message.stopReason
  if (message.stopReason === 'stop') entry.finished = true
  const callIds = callIdsOf(message.content)
  if (callIds !== undefined) entry.callIds = callIds
}

function callIdsOf(content: unknown): string[] | undefined {
  if (!Array.isArray(content)) return undefined
  const ids: string[] = []
  for (const block of content) {
    const fields = fieldsOf(block)
    if (fields?.type === 'toolCall' && typeof fields.id === 'string') ids.push(fields.id)
  }
  return ids.length === 0 ? undefined : ids
}

function spellingOf(type: string, value: Fields, message: Fields | undefined): PiEntry['content'] {
  if (!message && type !== 'custom_message') return undefined
  const { content } = message ?? value
  if (Array.isArray(content)) return 'array'
  return typeof content === 'string' ? 'string' : 'other'
}

function replacementOf(value: unknown): NonNullable<PiEntry['replaces']> {
  if (value === null) return 'nothing'
  const content = fieldsOf(value)?.content
  return typeof content === 'string' || Array.isArray(content) ? 'content' : 'malformed'
}

function entryTime(value: Fields, message: Fields | undefined): number | undefined {
  const sent = numberOf(message?.timestamp)
  if (sent !== undefined) return sent
  const written = typeof value.timestamp === 'string' ? Date.parse(value.timestamp) : Number.NaN
  return Number.isNaN(written) ? undefined : written
}

/** Puts words before the model when it stands in the context (a custom entry, a label, a model change do not). */
export function speaks(entry: PiEntry): boolean {
  if (entry.type === 'message') return !entry.hidden && entry.role !== 'system'
  return entry.type === 'custom_message' || entry.type === 'branch_summary' || entry.type === 'compaction'
}
