/**
 * Formats whose conversation is one JSON value: the array that a request carries, alone or inside the request's
 * object (Anthropic Messages, OpenAI Chat and Responses, AI SDK). Values are plain JSON; none is ever modified.
 */
import { apply } from '../core/apply.ts'
import type { Edit } from '../core/edits.ts'
import { check, type Violation } from '../core/legality/index.ts'
import type { JsonObject, JsonValue, Link, Message, ToolNames, Transcript } from '../core/transcript.ts'
import { type ItemDialect, writtenItems } from './array-writing.ts'
import { fieldsOf, textOf } from './fields.ts'

/** The one thread of a request. */
export const ARRAY_THREAD = 'main'
/** A request does not say which of its tools read files: the names that the known harnesses give them. */
const TOOLS: ToolNames = {
  reads: new Set(['Read', 'NotebookRead', 'read', 'read_file']),
  shells: new Set(['Bash', 'bash', 'exec', 'shell', 'local_shell']),
}

/** What `write` needs to know; nobody else looks inside. */
export interface ArrayNative {
  readonly value: JsonValue
  readonly transcript: Transcript
}

export interface ArrayReading {
  readonly transcript: Transcript
  /** The texts of the system prompt that stands beside the array; part of the floor, not of the transcript. */
  readonly system: readonly string[]
  readonly native: ArrayNative
}

export interface ArrayFormat {
  readonly name: string
  /** Is this an array of this format's messages, or a request that holds one? Plain texts fit several formats. */
  detect(value: unknown): boolean
  /** @throws TypeError when the value holds no array where this format has one */
  read(value: JsonValue): ArrayReading
  /** A new value with the edits carried out; what no edit touches is the same object as before. */
  write(native: ArrayNative, edits: readonly Edit[]): JsonValue
  /** The turn rules (core/legality) on this value, and what of its shape a transcript cannot show. */
  check(value: JsonValue, at: 'rest' | 'request'): Violation[]
  /** Repairs for what only the value shows, as ordinary legality edits. */
  repairs(native: ArrayNative): Edit[]
}

/** What one format says about itself; `arrayFormat` makes the rest. */
export interface ArrayDialect extends ItemDialect {
  readonly name: string
  /** Where the array stands inside a request's object. */
  readonly key: string
  /** Is this one of the format's messages? */
  fits(item: unknown): boolean
  /** The neutral messages of these items; `Address.entry` is the item's index. */
  messagesOf(items: readonly JsonValue[]): Message[]
  /** Where the request's object keeps the system prompt. */
  readonly systemKey?: string
}

export function arrayFormat(dialect: ArrayDialect): ArrayFormat {
  function read(value: JsonValue): ArrayReading {
    const items = itemsOf(value, dialect.key)
    if (!items) throw new TypeError(`${dialect.name}: expected an array, or an object with an array "${dialect.key}"`)
    const transcript = arrayTranscript(dialect.name, value, dialect.messagesOf(items), [...items.keys()])
    const system = dialect.systemKey === undefined ? [] : systemTexts(fieldsOf(value)?.[dialect.systemKey])
    return { transcript, system, native: { value, transcript } }
  }
  return {
    name: dialect.name,
    detect(value) {
      const items = itemsOf(value, dialect.key)
      return items !== undefined && items.length > 0 && items.every(dialect.fits)
    },
    read,
    write({ value, transcript }, edits) {
      if (edits.length === 0) return value
      const items = itemsOf(value, dialect.key) ?? []
      return withItems(value, dialect.key, writtenItems(items, transcript, apply(transcript, edits), dialect))
    },
    check: (value, at) => checkArray(read(value).transcript, at),
    repairs: ({ transcript }) => emptyRepairs(transcript),
  }
}

/** The array itself, or the one under this key; a string there is one message of the user (Responses). */
export function itemsOf(value: unknown, key: string): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value
  const inside = fieldsOf(value)?.[key]
  if (typeof inside === 'string') return [{ role: 'user', content: inside }]
  return Array.isArray(inside) ? inside : undefined
}

export function withItems(value: JsonValue, key: string, items: readonly JsonValue[]): JsonValue {
  return Array.isArray(value) ? items : { ...(value as JsonObject), [key]: items }
}

function systemTexts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.flatMap((part: unknown) => textOf(fieldsOf(part)?.text) ?? []) : []
}

/** `places`: the item each entry stands in. */
export function arrayTranscript(
  format: string,
  value: JsonValue,
  messages: readonly Message[],
  places: readonly number[],
): Transcript {
  const model = textOf(fieldsOf(value)?.model)
  const links = places.map((item, entry): Link => ({ entry, thread: ARRAY_THREAD, line: item + 1 }))
  return {
    thread: ARRAY_THREAD,
    format,
    ...(model === undefined ? {} : { model }),
    messages,
    links,
    tools: TOOLS,
  }
}

/** A harness leaves an emptied answer out; in a request it stands and is refused (A06), unless it is the last. */
function emptyAnswers(transcript: Transcript): Message[] {
  return transcript.messages.filter(({ role, blocks }) => role === 'assistant' && blocks.length === 0)
}

export function checkArray(transcript: Transcript, at: 'rest' | 'request'): Violation[] {
  const last = transcript.messages.at(-1)
  const empty = emptyAnswers(transcript)
    .filter((message) => message !== last)
    .map(({ entries }): Violation => {
      const message = 'assistant message has no content'
      return { rule: 'A06', severity: 'reject', message, at: { thread: transcript.thread, entry: entries[0] ?? 0 } }
    })
  return [...check(transcript, { at }), ...empty]
}

export function emptyRepairs(transcript: Transcript): Edit[] {
  return emptyAnswers(transcript).map(dropped)
}

function dropped(message: Message): Edit {
  return {
    kind: 'drop-message',
    entries: message.entries,
    rule: 'A06',
    reason: 'assistant message has no content',
    purpose: 'legality',
    class: 'worthless',
    frees: 0,
    removed: [],
    at: { thread: ARRAY_THREAD, entry: message.entries[0] ?? 0 },
  }
}
