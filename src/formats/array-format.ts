/**
 * Formats whose conversation is one JSON value: the array that a request carries, alone or inside the request's
 * object (Anthropic Messages, OpenAI Chat and Responses, AI SDK). Values are plain JSON; none is ever modified.
 */
import { apply } from '../core/apply.ts'
import type { Edit, EditChange } from '../core/edits.ts'
import { check, type Violation } from '../core/legality/index.ts'
import type { JsonObject, JsonValue, Link, Message, ToolNames, Transcript } from '../core/transcript.ts'
import { type ItemDialect, writtenItems } from './array-writing.ts'
import { fieldsOf, textOf } from './fields.ts'
import { checkRequest, type Finding, type RequestFormat } from './legality/index.ts'

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
  /** `request`: every rule of its provider; `rest`: a history that may end anywhere. `at.entry` is the item's index. */
  check(value: JsonValue, at: 'rest' | 'request'): Violation[]
  /** Repairs for what only the value shows, as ordinary legality edits. */
  repairs(native: ArrayNative): Edit[]
  /** What the end of a conversation needs to be sent as it is (A04, A05), to be carried out after all repairs. */
  endings(native: ArrayNative): Edit[]
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
  /** The wire whose rules decide. */
  readonly wire: RequestFormat
  readonly fieldRepairs: readonly FieldRepair[]
  /** As `ArrayFormat.endings`; default: nothing. */
  endings?(request: JsonValue, transcript: Transcript): Edit[]
  /** Repairs that take more than a field. */
  repairs?(request: JsonValue, transcript: Transcript): Edit[]
}

export function arrayFormat(dialect: ArrayDialect): ArrayFormat {
  const requestOf = (value: JsonValue): JsonValue => (Array.isArray(value) ? { [dialect.key]: value } : value)
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
      const set = withFields(items, edits)
      return withItems(value, dialect.key, writtenItems(set, transcript, apply(transcript, edits), dialect))
    },
    check: (value, at) => checkArray(dialect.wire, requestOf(value), read(value).transcript, at),
    repairs: ({ value, transcript }) => {
      const request = requestOf(value)
      const own = dialect.repairs?.(request, transcript) ?? []
      return [...emptyRepairs(transcript), ...fieldRepairs(dialect, request), ...own]
    },
    endings: ({ value, transcript }) => dialect.endings?.(requestOf(value), transcript) ?? [],
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

export function emptyRepairs(transcript: Transcript): Edit[] {
  return emptyAnswers(transcript).map(({ entries }) => {
    return repair('A06', 'assistant message has no content', entries[0] ?? 0, { kind: 'drop-message', entries })
  })
}

/**
 * Results that a system message separates from their call move next to it (A16, B02). Core takes system messages for
 * transparent, since harnesses place reminders themselves; in a request they stand where they are.
 */
export function separatedResults(transcript: Transcript, rule: string): Edit[] {
  const edits: Edit[] = []
  let behind: number | undefined
  let isSeparated = false
  for (const { role, blocks, entries } of transcript.messages) {
    if (role === 'system') isSeparated = true
    else if (role === 'user' && blocks.some(({ type }) => type === 'result')) {
      if (!isSeparated || behind === undefined) continue
      const change = { kind: 'move', after: behind } as const
      edits.push(repair(rule, 'the result moves next to its call', entries[0] ?? 0, change))
    } else {
      isSeparated = false
      behind = role === 'assistant' ? entries.at(-1) : undefined
    }
  }
  return edits
}

function repair(rule: string, reason: string, entry: number, change: EditChange): Edit {
  const at = { thread: ARRAY_THREAD, entry }
  return { rule, reason, purpose: 'legality', class: 'worthless', frees: 0, removed: [], at, ...change }
}

/** Turn rules and those about the end of a request: a history at rest is judged by core's own (DESIGN, At rest). */
const NOT_AT_REST = new Set(
  'A04 A06 A07 A08 A09 A10 A11 A12 A13 A14 A15 A16 A31 B01 B02 B03 B05 B20 B21 B22 C01 C02 C05 C06 C10'.split(' '),
)
const NONE: ReadonlySet<string> = new Set()

/** `request`: what the provider would say. `rest`: the turn rules of core, and of the provider's what is no turn rule. */
export function checkArray(
  wire: RequestFormat,
  request: unknown,
  transcript: Transcript,
  at: 'rest' | 'request',
): Violation[] {
  const turns = at === 'rest' ? check(transcript, { at }) : []
  const findings = checkRequest(wire, request, NO_CONTEXT, at === 'rest' ? NOT_AT_REST : NONE)
  return [...turns, ...findings.map((finding) => violationOf(finding))]
}

const NO_CONTEXT = {}
const PLACE = /^(?:messages|input|uiMessages)[.[](\d+)\]?(?:\.(?:content|parts)[.[](\d+))?/

function violationOf({ rule, severity, message, at, id }: Finding): Violation {
  const [, entry, block] = PLACE.exec(at ?? '') ?? []
  const place = { thread: ARRAY_THREAD, entry: Number(entry), ...(block === undefined ? {} : { block: Number(block) }) }
  return {
    rule,
    severity,
    message,
    ...(entry === undefined ? {} : { at: place }),
    ...(id === undefined ? {} : { id }),
  }
}

/** A field that breaks these rules gets this value; null takes it out. */
export interface FieldRepair {
  readonly rules: readonly string[]
  readonly field: string
  readonly value: JsonValue
  readonly reason: string
}

function fieldRepairs(dialect: ArrayDialect, request: unknown): Edit[] {
  if (dialect.fieldRepairs.length === 0) return []
  const taken = new Set<string>()
  return checkRequest(dialect.wire, request).flatMap((finding) => {
    const entry = violationOf(finding).at?.entry
    return dialect.fieldRepairs.flatMap(({ rules, field, value, reason }): Edit[] => {
      const key = `${entry} ${field}`
      if (entry === undefined || taken.has(key) || !rules.includes(finding.rule)) return []
      taken.add(key)
      return [repair(finding.rule, reason, entry, { kind: 'set-field', field, value })]
    })
  })
}

/** Items with their set fields; all others are the same objects. */
function withFields(items: readonly JsonValue[], edits: readonly Edit[]): readonly JsonValue[] {
  const sets = edits.filter((edit) => edit.kind === 'set-field')
  if (sets.length === 0) return items
  const changed = [...items]
  for (const { at, field, value } of sets) {
    const { [field]: _, ...rest } = (changed[at.entry] ?? {}) as JsonObject
    changed[at.entry] = value === null ? rest : { ...rest, [field]: value }
  }
  return changed
}
