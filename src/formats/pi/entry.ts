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

/** Adds a field only where there is a value, so that a million entries stay small. */
function maybe<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V })
}

function nullableText(value: unknown): string | null | undefined {
  return value === null ? null : textOf(value)
}

export function entryOf(value: Fields, ordinal: number, line: number): PiEntry {
  const type = textOf(value.type) ?? ''
  const message = type === 'message' ? fieldsOf(value.message) : undefined
  return {
    ordinal,
    line,
    type,
    side: value.appendMode === 'side',
    hidden: (message ?? value).excludeFromContext === true,
    ...maybe('id', type === 'session' ? undefined : textOf(value.id) || undefined),
    ...maybe('parent', nullableText(value.parentId)),
    ...maybe('target', nullableText(value.targetId)),
    ...maybe('appendParent', nullableText(value.appendParentId)),
    ...maybe('firstKept', textOf(value.firstKeptEntryId) ?? numberOf(value.firstKeptEntryIndex)),
    ...maybe('from', textOf(value.fromId)),
    ...maybe('content', spellingOf(type, value, message)),
    ...maybe('replaces', type === 'context_edit' ? replacementOf(value.replacement) : undefined),
    ...maybe('time', entryTime(value, message)),
    ...(message ? messageFacts(message) : {}),
  }
}

function messageFacts(message: Fields): Partial<PiEntry> {
  const role = textOf(message.role)
  const skipped = role === 'assistant' && (message.stopReason === 'error' || message.stopReason === 'aborted')
  return {
    ...maybe('role', role),
    ...maybe('skipped', skipped ? (message.stopReason as 'error' | 'aborted') : undefined),
    ...maybe('callId', role === 'toolResult' ? textOf(message.toolCallId) : undefined),
    ...maybe('callIds', role === 'assistant' ? callIdsOf(message.content) : undefined),
  }
}

function callIdsOf(content: unknown): string[] | undefined {
  if (!Array.isArray(content)) return undefined
  const ids = content.flatMap((block: unknown) => {
    const fields = fieldsOf(block)
    return fields?.type === 'toolCall' && typeof fields.id === 'string' ? [fields.id] : []
  })
  return ids.length === 0 ? undefined : ids
}

function spellingOf(type: string, value: Fields, message: Fields | undefined): PiEntry['content'] {
  if (!message && type !== 'custom_message') return undefined
  const { content } = message ?? value
  if (Array.isArray(content)) return 'array'
  return typeof content === 'string' ? 'string' : 'other'
}

function replacementOf(value: unknown): PiEntry['replaces'] {
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
