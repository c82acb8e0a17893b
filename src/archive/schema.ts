/**
 * The tables of `archive.sqlite`. Version 1 is the first: a newer one is refused, an older one cannot exist yet.
 */
import { SpillwayError } from '../core/errors.ts'
import { type Database, inTransaction } from './database.ts'

const ARCHIVE_VERSION = 1
/** "Spwy": told apart from any other SQLite file before a table is touched. */
const APPLICATION_ID = 0x53707779

const TABLES = `
-- One stored batch: which session gave it, when, and the process that is still writing its output.
CREATE TABLE puts(
  id INTEGER PRIMARY KEY, session TEXT NOT NULL, source TEXT NOT NULL, time INTEGER NOT NULL, writer INTEGER NOT NULL);

-- Content-addressed; the body comes last so that the other columns are read without it.
CREATE TABLE objects(
  id INTEGER PRIMARY KEY, ref TEXT NOT NULL, sha256 BLOB NOT NULL UNIQUE, put INTEGER NOT NULL, kind TEXT NOT NULL,
  media_type TEXT NOT NULL, class TEXT NOT NULL, bytes INTEGER NOT NULL, spilled INTEGER NOT NULL DEFAULT 0,
  packing TEXT NOT NULL, stored INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX objects_ref ON objects(ref);

-- Every place an object was taken from; the same file read in two sessions is one object with two origins.
CREATE TABLE origins(
  id INTEGER PRIMARY KEY, object INTEGER NOT NULL, put INTEGER NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  target TEXT NOT NULL, rule TEXT NOT NULL, UNIQUE(object, session, tool, target));
CREATE INDEX origins_put ON origins(put);

CREATE TABLE undos(
  id INTEGER PRIMARY KEY, put INTEGER NOT NULL, source TEXT NOT NULL,
  output_bytes INTEGER NOT NULL, output_sha256 BLOB NOT NULL, input_bytes INTEGER NOT NULL, input_sha256 BLOB NOT NULL,
  splices INTEGER NOT NULL, stored INTEGER NOT NULL, UNIQUE(output_sha256, output_bytes, input_sha256, input_bytes));
CREATE TABLE undo_pieces(
  undo INTEGER NOT NULL, piece INTEGER NOT NULL, packing TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY(undo, piece));

-- Files that may hold pointers into this archive: what was read and what was written.
CREATE TABLE session_files(path TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY(path, session)) WITHOUT ROWID;

-- Which words stand where, nothing else: the texts themselves are in objects and origins.
CREATE VIRTUAL TABLE content_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61');
CREATE VIRTUAL TABLE origin_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61');
`

/** Creates the tables in an empty file. @throws SpillwayError `newer-version`, `unreadable` for a foreign file */
export function prepareSchema(database: Database, file: string): void {
  if (!isEmpty(database)) checkSchema(database, file)
  // Write-ahead logging with full sync: a commit is one fsync, readers never wait, a killed writer loses nothing.
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  inTransaction(database, () => {
    // Another process may have been first while this one waited for the lock.
    if (!isEmpty(database)) return
    database.exec(TABLES)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${ARCHIVE_VERSION}`)
  })
}

/** @throws SpillwayError `newer-version`, `unreadable` for a foreign file */
export function checkSchema(database: Database, file: string): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
    throw new SpillwayError('unreadable', `${file}: is a database, but no Spillway archive`)
  }
  if (version > ARCHIVE_VERSION) {
    const message = `${file}: archive version ${version}, this Spillway knows up to ${ARCHIVE_VERSION}; update spillway`
    throw new SpillwayError('newer-version', message)
  }
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined
}
