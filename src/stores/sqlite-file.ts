/** The file of a SqliteSessionStore, opened, with the statements that work on it. */
import { dirname } from 'node:path'
import { createPrivateFile, type Database, openDatabase, type Statement } from '../archive/index.ts'
import { prepareSchema, STORE_KIND } from './sqlite-schema.ts'

export interface StoreFile {
  readonly database: Database
  readonly transcript: Statement
  readonly addTranscript: Statement
  readonly touch: Statement
  readonly mainTranscripts: Statement
  readonly subpaths: Statement
  readonly insert: Statement
  readonly bodies: Statement
  readonly bodiesBehind: Statement
  readonly setSummary: Statement
  readonly deleteEntries: Statement
  readonly deleteTranscripts: Statement
}

export interface TranscriptRow {
  readonly id: number
  readonly session: string
  readonly mtime: number
  /** JSON of the summary's data. */
  readonly summary: string | null
  readonly summarised: number
}

/** One transcript, or a session's main transcript ('') with all others of it. */
const WHICH = "project = ? AND session = ? AND ? IN (subpath, '')"

/** Opens the file, made where there is none. @throws SpillwayError, or what the driver throws */
export async function openStoreFile(file: string): Promise<StoreFile> {
  createPrivateFile(dirname(file), file, STORE_KIND)
  const database = await openDatabase(file, false, undefined, STORE_KIND)
  try {
    prepareSchema(database, file)
    return statements(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function statements(database: Database): StoreFile {
  const columns = 'id, session, mtime, summary, summarised'
  const prepare = (sql: string): Statement => database.prepare(sql)
  return {
    database,
    transcript: prepare(`SELECT ${columns} FROM transcripts WHERE project = ? AND session = ? AND subpath = ?`),
    addTranscript: prepare('INSERT INTO transcripts(project, session, subpath, mtime) VALUES (?, ?, ?, ?)'),
    touch: prepare('UPDATE transcripts SET mtime = ? WHERE id = ?'),
    mainTranscripts: prepare(`SELECT ${columns} FROM transcripts WHERE project = ? AND subpath = ''`),
    subpaths: prepare(
      "SELECT subpath FROM transcripts WHERE project = ? AND session = ? AND subpath <> '' ORDER BY id",
    ).pluck(),
    insert: prepare('INSERT INTO entries(transcript, uuid, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    bodies: prepare('SELECT body FROM entries WHERE transcript = ? ORDER BY id').pluck(),
    bodiesBehind: prepare('SELECT id, body FROM entries WHERE transcript = ? AND id > ? ORDER BY id'),
    setSummary: prepare('UPDATE transcripts SET summary = ?, summarised = ? WHERE id = ?'),
    deleteEntries: prepare(`DELETE FROM entries WHERE transcript IN (SELECT id FROM transcripts WHERE ${WHICH})`),
    deleteTranscripts: prepare(`DELETE FROM transcripts WHERE ${WHICH}`),
  }
}
