/**
 * The events of a session as the lines that OpenClaw wrote before it had a store (reference openclaw-and-pi 2.1):
 * the same JSON, so that pi's reader understands them. Since 2026.9.6 large events stand compressed beside the text.
 */
import { decompress } from 'fzstd'
import { SpillwayError } from '../../core/errors.ts'
import type { StoreAddress } from './address.ts'
import { columnsOf, type Database, withDatabase } from './database.ts'

export interface StoredSession {
  readonly id: string
  /** Of the events as stored. */
  readonly bytes: number
  /** Milliseconds since the epoch; 0 when the store does not say. */
  readonly modified: number
}

/** Every session with events, newest first. */
export function sessionsIn(file: string): StoredSession[] {
  return withDatabase(file, (database) => {
    const has = new Set(columnsOf(database, 'transcript_events'))
    const size = has.has('event_zstd')
      ? 'coalesce(length(event_json), 0) + coalesce(length(event_zstd), 0)'
      : 'length(event_json)'
    const time = has.has('created_at') ? 'max(created_at)' : '0'
    const sql = `SELECT session_id AS id, sum(${size}) AS bytes, coalesce(${time}, 0) AS modified
      FROM transcript_events GROUP BY session_id ORDER BY modified DESC, session_id`
    return database.prepare(sql).all() as StoredSession[]
  })
}

export interface EventRow {
  readonly seq: number
  /** One line of JSON. */
  readonly text: string
}

/** `first`, `last`: only so many from that end. */
export interface EventRange {
  readonly first?: number
  readonly last?: number
}

/**
 * The session's events in order.
 * @throws SpillwayError `not-found` when the store has none, `unreadable`
 */
export function eventsIn(address: StoreAddress, range: EventRange = {}): EventRow[] {
  return withDatabase(address.database, (database) => [...rowsOf(database, address, range)])
}

export function* rowsOf(database: Database, address: StoreAddress, range: EventRange = {}): Generator<EventRow> {
  const payload = columnsOf(database, 'transcript_events').includes('event_zstd')
    ? 'event_json, event_zstd'
    : 'event_json'
  const most = range.first ?? range.last ?? -1
  const order = range.last === undefined ? 'ASC' : 'DESC'
  const chosen = `SELECT seq, ${payload} FROM transcript_events WHERE session_id = ? ORDER BY seq ${order} LIMIT ?`
  const rows = database.prepare(`SELECT * FROM (${chosen}) ORDER BY seq`).iterate(address.session, most)
  let count = 0
  for (const row of rows as IterableIterator<StoredEvent>) {
    count++
    yield { seq: row.seq, text: textOf(row, address) }
  }
  if (count === 0)
    throw new SpillwayError('not-found', `${address.database}: no events of a session ${address.session}`)
}

interface StoredEvent {
  readonly seq: number
  readonly event_json: string | null
  readonly event_zstd?: Uint8Array | null
}

function textOf({ seq, event_json, event_zstd }: StoredEvent, address: StoreAddress): string {
  if (typeof event_json === 'string') return oneLine(event_json)
  if (!event_zstd) return ''
  try {
    return oneLine(Buffer.from(decompress(event_zstd)).toString('utf8'))
  } catch (cause) {
    const what = `event ${seq} of session ${address.session}: damaged zstd data`
    throw new SpillwayError('unreadable', `${address.database}: ${what}`, { cause })
  }
}

/** A line break inside JSON can only stand between its tokens. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}
