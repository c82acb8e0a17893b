/**
 * What a finished task shrinks to (seed O4): about 100 tokens in the agent's own language, as the result of the call
 * that spawned it. What a worker said is quoted, on one line, and can open no tag and no pointer: it is data.
 */
import { elide } from '../pointer.ts'
import { REFERENCE_LENGTH } from '../reference.ts'
import { estimateTokens } from '../tokens.ts'

/** Lists may be empty; texts are one line. */
export interface TaskRecord {
  /** Who did it: the child's session key or agent id, else the tool. */
  readonly origin: string
  readonly task: string
  readonly outcome: 'success' | 'failed'
  readonly result: string
  /** Files that the worker made, as far as anybody can tell; every one, though a record shows only some. */
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  readonly errors: readonly string[]
  /** Commands and ways that did not work. */
  readonly triedAndFailed: readonly string[]
  readonly toRemember: readonly string[]
  /** References into the archive; the first brings the brief and the report back. */
  readonly references: readonly string[]
}

/** A record takes at most this many tokens by our estimate. */
export const RECORD_TOKENS = 150
/** Of each list a record shows this many, and how many more there are. */
const MOST_FILES = 3
const MOST_LINES = 2
const MOST_PATH_CHARS = 40

/** The record as the agent reads it. The same record always gives the same bytes: no age, no clock. */
export function renderRecord(record: TaskRecord): string {
  const [ref = ''] = record.references
  const lines = [
    `[spillway ${ref}: task ${record.outcome === 'failed' ? 'failed' : 'completed'}. Back: spillway recall ${ref}]`,
    `task: ${plain(record.task)}`,
    ...lineOf('result', record.result === '' ? [] : [record.result], quoted, MOST_LINES),
    ...lineOf('files+', record.filesAdded, pathLine, MOST_FILES),
    ...lineOf('files~', record.filesChanged, pathLine, MOST_FILES),
    ...lineOf('errors', record.errors, quoted, MOST_LINES),
    ...lineOf('tried', record.triedAndFailed, quoted, MOST_LINES),
    ...lineOf('remember', record.toRemember, quoted, MOST_LINES),
    `from: ${record.origin.replace(/\s+/g, '_')}`,
  ]
  return lines.join('\n')
}

function lineOf(key: string, items: readonly string[], spell: (item: string) => string, most: number): string[] {
  if (items.length === 0) return []
  const more = items.length > most ? ` +${items.length - most} more` : ''
  return [`${key}: ${items.slice(0, most).map(spell).join(', ')}${more}`]
}

function pathLine(path: string): string {
  return plain(elide(path, MOST_PATH_CHARS))
}

function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', "'")}"`
}

/** One line that opens no tag of a harness and no pointer of ours. */
function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/<(?=[a-z/!])/gi, '(')
    .replaceAll('[spillway', '(spillway')
}

/** Why a record that somebody else wrote cannot stand in place of the digest; undefined when it can. */
export function recordFault(record: TaskRecord, digest: TaskRecord): string | undefined {
  if (record.outcome !== digest.outcome) return `its outcome is "${record.outcome}", the task's is "${digest.outcome}"`
  const named = new Set([...record.filesAdded, ...record.filesChanged])
  const missing = [...digest.filesAdded, ...digest.filesChanged].find((file) => !named.has(file))
  if (missing !== undefined) return `it does not name ${missing}`
  const tokens = estimateTokens(renderRecord({ ...record, references: digest.references }))
  return tokens > RECORD_TOKENS ? `it takes ${tokens} tokens, ${RECORD_TOKENS} at most` : undefined
}

const HEADER = new RegExp(
  `^\\[spillway ([a-z2-7]{${REFERENCE_LENGTH}}): task (completed|failed)\\. Back: spillway recall \\1\\]$`,
)
const ORIGIN = /^from: (\S{1,200})$/m

/** A record that stands in a transcript. */
export interface StandingRecord {
  readonly text: string
  readonly ref: string
  readonly outcome: 'completed' | 'failed'
  /** Child session key or agent id. */
  readonly ids: readonly string[]
}

/** The record that this text is, undefined where it is none. */
export function recordIn(text: string): StandingRecord | undefined {
  const end = text.indexOf('\n')
  const header = end > 200 ? null : HEADER.exec(end < 0 ? text : text.slice(0, end))
  if (!header) return undefined
  const origin = ORIGIN.exec(text)?.[1]
  return {
    text,
    ref: header[1] ?? '',
    outcome: header[2] === 'failed' ? 'failed' : 'completed',
    ids: origin === undefined ? [] : [origin],
  }
}
