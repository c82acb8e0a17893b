/**
 * better-sqlite3 is optional: it is loaded when a store is opened, and no declaration names its types. Loaded by
 * `require`, since listing the sessions of a machine is synchronous.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { SpillwayError } from '../../core/errors.ts'

export type SqlValue = null | number | string | Uint8Array

interface Statement {
  run(...values: readonly SqlValue[]): unknown
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>
}

export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown
  backup(file: string): Promise<unknown>
  close(): unknown
}

type Driver = new (file: string, options: { readonly readonly: boolean; readonly timeout: number }) => Database

/** How long to wait for OpenClaw's own writer, in milliseconds. */
const BUSY_MILLISECONDS = 5_000

/** @throws SpillwayError `not-found`, `unavailable` without better-sqlite3, `unreadable` */
export function openDatabase(file: string, readOnly = true): Database {
  if (!existsSync(file)) throw new SpillwayError('not-found', `${file}: no such file`)
  const driver = loadDriver()
  try {
    const database = new driver(file, { readonly: readOnly, timeout: BUSY_MILLISECONDS })
    // The first question tells whether it is a database at all.
    if (!hasTable(database, 'transcript_events')) {
      database.close()
      throw new SpillwayError('unreadable', `${file}: no table transcript_events; expected OpenClaw's session store`)
    }
    return database
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause
    const words = cause instanceof Error ? cause.message : String(cause)
    throw new SpillwayError('unreadable', `${file}: cannot be read as a database (${words})`, { cause })
  }
}

function loadDriver(): Driver {
  try {
    return createRequire(import.meta.url)('better-sqlite3') as Driver
  } catch (cause) {
    const message = 'the session store of OpenClaw needs better-sqlite3: npm install better-sqlite3'
    throw new SpillwayError('unavailable', message, { cause })
  }
}

function hasTable(database: Database, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined
}

export function columnsOf(database: Database, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { readonly name: string }[]
  return rows.map(({ name }) => name)
}

/** Works on an open store and closes it, whatever happens. */
export function withDatabase<Result>(file: string, work: (database: Database) => Result): Result {
  const database = openDatabase(file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
