/**
 * The archive: everything that was taken out of sessions, found again by reference or by words, and what `restore`
 * needs to undo a compaction. One SQLite file in a private folder; nothing is ever uploaded.
 */
import { basename, join, resolve } from 'node:path'
import type { Removed } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import { ARCHIVE_KIND, type Database, inTransaction, openDatabase, translated } from './database.ts'
import { type KeptBatch, keptFirst } from './kept.ts'
import { ARCHIVE_FILE, PROJECT_FOLDER } from './location.ts'
import { type ArchivedObject, objectId, objectReader, objectWriter, type PutCounts } from './objects.ts'
import { createOnce, createPrivateFile, findPrivateFile } from './private-file.ts'
import { type CollectInput, type Collection, collect } from './retention.ts'
import { checkSchema, prepareSchema } from './schema.ts'
import { type SearchHit, type SearchQuery, searchObjects } from './search.ts'
import { writeSpillFile } from './spill.ts'
import { readSplices, type UndoInput, type UndoRecord, type UndoSplice, undoRecords, writeUndo } from './undo.ts'

/** What one compaction takes out, of the main thread and of its subagents' files together. */
export interface ArchiveBatch {
  readonly session: string
  /** The session file that was read, or `storeSource`. */
  readonly source: string
  /** Now, in milliseconds since the epoch. */
  readonly time: number
  readonly removed: Iterable<Removed>
  /** One record for every file that is written. */
  readonly undos?: Iterable<UndoInput>
  /** Readable copies belong into the spill folder. */
  readonly spilled?: boolean
}

export interface Archive {
  readonly folder: string
  /** The database file. */
  readonly file: string
  /**
   * Stores a batch in one transaction: when it returns, all of it is on disk; when it throws, nothing is.
   * @throws SpillwayError `unwritable`, `conflict`
   */
  put(batch: ArchiveBatch): PutCounts
  /**
   * Keeps one content where an agent's own tools can read it, as fast as a disk allows: when it returns, the readable
   * copy is on disk under its reference. The database follows with the next turn of the event loop; should the
   * process end before, the next opening takes the copy in. Returns the copy's path.
   * @throws SpillwayError `unwritable`, `conflict`; nothing is kept then
   */
  keep(batch: KeptBatch): string
  /**
   * The content a reference names, its hash verified.
   * @throws SpillwayError `conflict` when the reference names several contents, `unreadable` when it is damaged
   */
  get(ref: string): ArchivedObject | undefined
  search(query: SearchQuery): SearchHit[]
  /** Records whose output is no longer than `mostBytes`, newest first: give them to a `PrefixMatcher`. */
  undoRecords(mostBytes?: number): UndoRecord[]
  /** A record's splices, unpacked as they are asked for. */
  splices(undo: number): Iterable<UndoSplice>
  /** Files that may hold pointers into this archive. */
  sessionFiles(): string[]
  /** References that views of session stores hold: nobody but their stores could say which still do. */
  storeReferences(): string[]
  /** Writes the readable copy of archived content and remembers that it belongs there; returns its path. */
  spill(ref: string): string
  /** Removes what the limits ask for and nothing needs; see `CollectInput`. */
  collect(input: CollectInput): Collection
  close(): void
}

/**
 * Opens the archive in this folder; without `readOnly` it is created where it is missing.
 * @throws SpillwayError `unavailable` (no better-sqlite3), `unwritable`, `not-found`, `unreadable`, `newer-version`
 */
export async function openArchive(folder: string, options: { readOnly?: boolean } = {}): Promise<Archive> {
  const readOnly = options.readOnly ?? false
  const home = resolve(folder)
  const file = join(home, ARCHIVE_FILE)
  const doing = readOnly ? 'read' : 'write'
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw translated(error, file, doing)
    }
  }
  guarded(() => (readOnly ? findPrivateFile(file, ARCHIVE_KIND) : createArchive(home, file)))
  const database = await openDatabase(file, readOnly)
  let read: ReturnType<typeof objectReader>
  try {
    guarded(() => prepare(database, file, readOnly))
    read = guarded(() => objectReader(database))
  } catch (error) {
    database.close()
    throw error
  }

  const find = (ref: string): ArchivedObject | undefined => {
    const id = objectId(database, ref)
    return id === undefined ? undefined : read(id)
  }
  const kept = keptFirst(home, readOnly ? undefined : (batch) => guarded(() => putBatch(database, batch)))
  if (!readOnly) {
    try {
      const known = database.prepare('SELECT 1 FROM objects WHERE ref = ?')
      guarded(() => kept.takeIn((ref) => known.get(ref) !== undefined))
    } catch (error) {
      database.close()
      throw error
    }
  }
  return {
    folder: home,
    file,
    put: (batch) => guarded(() => putBatch(database, batch)),
    keep(batch) {
      if (readOnly) throw new SpillwayError('unwritable', `${file}: the archive was opened to be read`)
      return guarded(() => kept.keep(batch))
    },
    get(ref) {
      kept.settle()
      return guarded(() => find(ref))
    },
    search(query) {
      kept.settle()
      return guarded(() => searchObjects(database, query))
    },
    undoRecords: (mostBytes = Number.MAX_SAFE_INTEGER) => guarded(() => undoRecords(database, mostBytes)),
    *splices(undo) {
      try {
        yield* readSplices(database, undo)
      } catch (error) {
        throw translated(error, file, doing)
      }
    },
    sessionFiles: () =>
      guarded(() =>
        (database.prepare('SELECT DISTINCT path FROM session_files ORDER BY path').all() as { path: string }[]).map(
          (row) => row.path,
        ),
      ),
    storeReferences: () =>
      guarded(() => database.prepare(STORE_REFERENCES).pluck().all(STORE_SOURCE.length, STORE_SOURCE) as string[]),
    spill(ref) {
      kept.settle()
      return guarded(() => {
        const object = find(ref)
        if (object === undefined) throw new SpillwayError('not-found', `${ref}: no such content in ${file}`)
        if (!object.spilled) database.prepare('UPDATE objects SET spilled = 1 WHERE ref = ?').run(object.ref)
        return writeSpillFile(home, object.ref, object.content, object.mediaType)
      })
    },
    collect(input) {
      kept.settle()
      return guarded(() => collect(database, home, file, input))
    },
    close() {
      kept.settle()
      database.close()
    },
  }
}

const STORE_REFERENCES = `
  SELECT DISTINCT objects.ref FROM objects JOIN origins ON origins.object = objects.id JOIN puts ON puts.id = origins.put
  WHERE substr(puts.source, 1, ?) = ?`

/** What stands before the names of a session in a store, where a file's path would stand. */
const STORE_SOURCE = 'store:'

/** The source of content that a session store's view no longer shows. */
export function storeSource(project: string, session: string): string {
  return `${STORE_SOURCE}${project}/${session}`
}

function isStore(source: string): boolean {
  return source.startsWith(STORE_SOURCE)
}

function placeOf(source: string): string {
  return isStore(source) ? source : resolve(source)
}

function putBatch(database: Database, batch: ArchiveBatch): PutCounts {
  return inTransaction(database, () => {
    const { lastInsertRowid } = database
      .prepare('INSERT INTO puts(session, source, time, writer) VALUES (?, ?, ?, ?)')
      .run(batch.session, placeOf(batch.source), batch.time, process.pid)
    const put = Number(lastInsertRowid)
    const counts: PutCounts = { objects: 0, bytes: 0 }
    const write = objectWriter(database, put, batch.session)
    for (const removed of batch.removed) {
      const added = write(removed)
      counts.objects += added.objects
      counts.bytes += added.bytes
    }
    if (batch.spilled) database.prepare('UPDATE objects SET spilled = 1 WHERE put = ?').run(put)
    const remember = database.prepare('INSERT OR IGNORE INTO session_files(path, session) VALUES (?, ?)')
    if (!isStore(batch.source)) remember.run(resolve(batch.source), batch.session)
    for (const undo of batch.undos ?? []) {
      counts.bytes += writeUndo(database, put, undo)
      remember.run(resolve(undo.source), batch.session)
      remember.run(resolve(undo.output), batch.session)
    }
    return counts
  })
}

function createArchive(folder: string, file: string): void {
  const created = createPrivateFile(folder, file, ARCHIVE_KIND)
  // A folder that is somebody's own (`--archive .`) keeps its ignore rules.
  if (created || basename(folder) === PROJECT_FOLDER) createOnce(join(folder, '.gitignore'), '*\n')
}

function prepare(database: Database, file: string, readOnly: boolean): void {
  database.pragma('trusted_schema = off')
  database.pragma('temp_store = memory')
  if (readOnly) checkSchema(database, file)
  else prepareSchema(database, file)
}
