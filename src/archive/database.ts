/**
 * The SQLite driver behind structural types: better-sqlite3 is optional, it is imported only when a file is opened, and
 * no public declaration names its types.
 */
import { SpillwayError, type SpillwayErrorCode } from '../core/errors.ts'

export type SqlValue = null | number | string | Uint8Array

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>
  /** From now on a row is its first column. */
  pluck(): Statement
}

/** What a file is to people, in messages. */
export interface FileKind {
  readonly name: string
  /** What did not happen when it could not be written. */
  readonly unwritten: string
}

export const ARCHIVE_KIND: FileKind = { name: 'archive', unwritten: 'nothing was archived and nothing removed' }

export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  pragma(sql: string, options?: { simple?: boolean }): unknown
  close(): unknown
}

interface Driver {
  readonly default: new (file: string, options: { readonly?: boolean; timeout?: number }) => Database
}

/** How long a run waits for another one that is writing to the same archive, in milliseconds. */
const BUSY_MILLISECONDS = 60_000

/**
 * Opens one database file.
 * @throws SpillwayError `unavailable` without better-sqlite3, else as `translated` says
 */
export async function openDatabase(
  file: string,
  readOnly: boolean,
  importDriver: () => Promise<unknown> = () => import('better-sqlite3'),
  kind: FileKind = ARCHIVE_KIND,
): Promise<Database> {
  let driver: Driver
  try {
    driver = (await importDriver()) as Driver
  } catch (cause) {
    const message = `the ${kind.name} needs better-sqlite3: npm install better-sqlite3`
    throw new SpillwayError('unavailable', message, { cause })
  }
  try {
    return new driver.default(file, { readonly: readOnly, timeout: BUSY_MILLISECONDS })
  } catch (cause) {
    if (codeOf(cause).startsWith('ERR_DLOPEN') || /bindings file/.test(String(cause))) {
      const message = `the ${kind.name} needs better-sqlite3 built for this Node: npm rebuild better-sqlite3`
      throw new SpillwayError('unavailable', message, { cause })
    }
    throw translated(cause, file, readOnly ? 'read' : 'write', kind)
  }
}

/** Runs `work` in one write transaction: all of it is on disk afterwards, or nothing. */
export function inTransaction<Result>(database: Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk has already rolled back by itself; a second failure would hide the first.
    try {
      database.exec('ROLLBACK')
    } catch {}
    throw error
  }
}

/** What the driver or the file system threw, in our words. */
export function translated(cause: unknown, file: string, doing: 'read' | 'write', kind = ARCHIVE_KIND): unknown {
  if (cause instanceof SpillwayError) return cause
  const thrown = codeOf(cause)
  const found = PROBLEMS.find((problem) => problem.pattern.test(thrown))
  if (!found) return cause
  // What cannot be opened for reading is unreadable, whatever the reason.
  const code = doing === 'read' && found.code === 'unwritable' ? 'unreadable' : found.code
  const nothing = doing === 'read' ? 'nothing was read' : kind.unwritten
  const words = found.words.replace('%', kind.name)
  const message = `${file}: ${words}${found.code === 'unwritable' ? `; ${nothing}` : ''}`
  return new SpillwayError(code, message, { cause })
}

const PROBLEMS: readonly { pattern: RegExp; code: SpillwayErrorCode; words: string }[] = [
  { pattern: /^SQLITE_FULL|^ENOSPC|^EDQUOT/, code: 'unwritable', words: 'the disk is full' },
  { pattern: /^SQLITE_CORRUPT|^SQLITE_NOTADB/, code: 'unreadable', words: 'is damaged or no %' },
  { pattern: /^SQLITE_BUSY|^SQLITE_LOCKED/, code: 'conflict', words: 'another run is writing to it; try again' },
  { pattern: /^SQLITE_IOERR/, code: 'unwritable', words: 'the disk reports an error' },
  {
    pattern:
      /^SQLITE_(READONLY|CANTOPEN|PERM)|^EACCES|^EPERM|^EROFS|^ENOTDIR|^EEXIST|^EISDIR|^ELOOP|^ENAMETOOLONG|^ENOENT/,
    code: 'unwritable',
    words: 'cannot be opened',
  },
]

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : ''
}
