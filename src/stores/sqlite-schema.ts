/**
 * The tables of a SqliteSessionStore and how they change: a newer file is refused; an older one is brought up to date in
 * one transaction, behind which a copy of it stays as it was.
 */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createPrivateFile, type Database, type FileKind, inTransaction } from '../archive/index.ts'
import { SpillwayError } from '../core/errors.ts'

export const STORE_KIND: FileKind = { name: 'session store', unwritten: 'nothing was stored' }

/** "Spws": told apart from any other SQLite file before a table is touched. */
const APPLICATION_ID = 0x53707773

/** Step n brings a file of version n to version n + 1; an empty file is version 0. */
export const SCHEMA_STEPS: readonly string[] = [
  `
-- \`subpath\` is '' for the main transcript; \`summarised\` is the id of the last entry that \`summary\` covers.
CREATE TABLE transcripts(
  id INTEGER PRIMARY KEY, project TEXT NOT NULL, session TEXT NOT NULL, subpath TEXT NOT NULL, mtime INTEGER NOT NULL,
  summary TEXT, summarised INTEGER NOT NULL DEFAULT 0, UNIQUE(project, session, subpath));

-- Ids ascend in the order of commit. The body comes last so that the other columns are read without it.
CREATE TABLE entries(
  id INTEGER PRIMARY KEY, transcript INTEGER NOT NULL, uuid TEXT, body TEXT NOT NULL);
CREATE INDEX entries_transcript ON entries(transcript);
CREATE UNIQUE INDEX entries_uuid ON entries(transcript, uuid) WHERE uuid IS NOT NULL;
`,
]

/** Bytes; most entries fit whole, which a load is a tenth faster for. Only an empty file takes it. */
const PAGE_BYTES = 16_384

/**
 * Creates the tables in an empty file, or brings an older one up to date.
 * @throws SpillwayError `newer-version`, `unreadable` for a foreign file
 */
export function prepareSchema(database: Database, file: string, steps: readonly string[] = SCHEMA_STEPS): void {
  database.pragma(`page_size = ${PAGE_BYTES}`)
  // Write-ahead logging with full sync: a commit is one fsync, readers never wait, a killed writer loses nothing.
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  database.pragma('trusted_schema = off')
  const version = versionOf(database, file, steps.length)
  if (version === steps.length) return
  const copy = version === 0 ? undefined : copyOf(database, file, version)
  const changed = inTransaction(database, () => {
    // Another process may have been first while this one waited for the lock.
    if (versionOf(database, file, steps.length) !== version) return false
    for (const step of steps.slice(version)) database.exec(step)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${steps.length}`)
    return true
  })
  if (!changed && copy !== undefined) rmSync(copy)
}

function versionOf(database: Database, file: string, known: number): number {
  if (database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined) return 0
  const version = Number(database.pragma('user_version', { simple: true }))
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
    throw new SpillwayError('unreadable', `${file}: is a database, but no session store of Spillway`)
  }
  if (version > known) {
    const message = `${file}: session store version ${version}, this Spillway knows up to ${known}; update spillway`
    throw new SpillwayError('newer-version', message)
  }
  return version
}

/** The file as it is now, under a name that says its version. */
function copyOf(database: Database, file: string, version: number): string {
  const copy = `${file}.version-${version}-${Date.now()}`
  createPrivateFile(dirname(copy), copy, STORE_KIND)
  database.prepare('VACUUM INTO ?').run(copy)
  return copy
}
