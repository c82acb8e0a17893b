/**
 * Write-back: a copy of the whole store in which one session has other events. The original is only read.
 * Events keep their numbers where they can; what is put in moves the later ones up, in every table that counts by
 * them, and events that left leave those tables too.
 */
import { SpillwayError } from '../../core/errors.ts'
import type { StoreAddress } from './address.ts'
import { columnsOf, type Database, openDatabase, type SqlValue } from './database.ts'
import { type EventRow, rowsOf } from './events.ts'

const EVENTS = 'transcript_events'

interface Placement {
  readonly seq: number
  readonly text: string
  /** The recorded event it is, or undefined for a new one. */
  readonly recorded?: EventRow
}

/**
 * Writes the copy to `target`, a new or empty file; `lines` are the session's new events.
 * @throws SpillwayError `not-found`, `unavailable`, `unreadable`, `unwritable`
 */
export async function copyStore(address: StoreAddress, lines: readonly string[], target: string): Promise<void> {
  const original = openDatabase(address.database)
  try {
    await original.backup(target)
  } catch (cause) {
    throw new SpillwayError('unwritable', `${target}: the store cannot be copied there`, { cause })
  } finally {
    original.close()
  }
  const copy = openDatabase(target, false)
  try {
    // One file, without a log beside it.
    copy.pragma('journal_mode = DELETE')
    copy.pragma('foreign_keys = OFF')
    copy.exec('BEGIN IMMEDIATE')
    replaceEvents(copy, address, lines)
    copy.exec('COMMIT')
  } finally {
    copy.close()
  }
}

function replaceEvents(database: Database, address: StoreAddress, lines: readonly string[]): void {
  const recorded = [...rowsOf(database, address)]
  const placements = place(recorded, lines)
  const kept = new Set(placements.map(({ recorded: row }) => row?.seq))
  const tables = tablesBySeq(database)
  const { session } = address
  const each = (sql: (table: string) => string, ...values: readonly SqlValue[]): void => {
    for (const table of tables) database.prepare(sql(`"${table}"`)).run(...values)
  }
  for (const { seq } of recorded) {
    if (!kept.has(seq)) each((table) => `DELETE FROM ${table} WHERE session_id = ? AND seq = ?`, session, seq)
  }
  // From the last to the first, so that no number is taken when an event gets it.
  for (const { seq, recorded: row } of [...placements].reverse()) {
    if (!row || row.seq === seq) continue
    each((table) => `UPDATE ${table} SET seq = ? WHERE session_id = ? AND seq = ?`, seq, session, row.seq)
  }
  const columns = columnsOf(database, EVENTS)
  const unpacked = columns.filter((name) => name === 'event_zstd' || name === 'event_utf8_bytes')
  const empty = unpacked.map((name) => `, ${name} = NULL`).join('')
  const model = placements.find(({ recorded: row }) => row !== undefined)?.seq
  if (model === undefined)
    throw new SpillwayError('conflict', `${address.database}: none of the new lines is one of its events`)
  placements.forEach(({ seq, text, recorded: row }) => {
    if (row && row.text === text) return
    if (!row) insertLike(database, columns, session, model, seq)
    const sql = `UPDATE ${EVENTS} SET event_json = ?${empty} WHERE session_id = ? AND seq = ?`
    database.prepare(sql).run(text, session, seq)
  })
}

/** Each line is the recorded event of its id, as long as these keep their order; any other is new. */
function place(recorded: readonly EventRow[], lines: readonly string[]): Placement[] {
  const byKey = new Map<string, EventRow[]>()
  for (const row of recorded) byKey.set(keyOf(row.text), [...(byKey.get(keyOf(row.text)) ?? []), row])
  let last = (recorded[0]?.seq ?? 0) - 1
  let lastRecorded = last
  return lines.map((text): Placement => {
    const row = byKey.get(keyOf(text))?.shift()
    if (!row || row.seq <= lastRecorded) return { seq: ++last, text }
    lastRecorded = row.seq
    last = Math.max(last + 1, row.seq)
    return { seq: last, text, recorded: row }
  })
}

/** An event is known by its id; one without by its words. */
function keyOf(text: string): string {
  try {
    const event: unknown = JSON.parse(text)
    const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
    return typeof id === 'string' ? id : text
  } catch {
    return text
  }
}

function tablesBySeq(database: Database): string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
  return tables
    .map(({ name }) => name)
    .filter((name) => {
      const columns = columnsOf(database, name)
      return columns.includes('session_id') && columns.includes('seq')
    })
}

/** A new row with everything but its number and text from one that is there: what a column must hold is OpenClaw's to say. */
function insertLike(database: Database, columns: readonly string[], session: string, model: number, seq: number): void {
  const own: Readonly<Record<string, string>> = { seq: '?', navigation_json: 'NULL' }
  const values = columns.map((name) => own[name] ?? `"${name}"`)
  const names = columns.map((name) => `"${name}"`).join(', ')
  database
    .prepare(
      `INSERT INTO ${EVENTS} (${names}) SELECT ${values.join(', ')} FROM ${EVENTS} WHERE session_id = ? AND seq = ?`,
    )
    .run(seq, session, model)
}
