/**
 * Transcripts in one SQLite file, for one machine and any number of processes at once.
 *
 * An append is one transaction with one fsync: when its promise is fulfilled the batch is on disk, when it is rejected
 * nothing of it is. What arrives twice is stored once, by the entries' uuids; entries without uuid are kept each time.
 * Nothing is ever removed but by `delete`.
 */
import { resolve } from 'node:path'
import { inTransaction, translated } from '../archive/index.ts'
import { SpillwayError } from '../core/errors.ts'
import type {
  FoldSummary,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../formats/claude-code/index.ts'
import { entryText } from './entry-text.ts'
import { openStoreFile, type StoreFile, type TranscriptRow } from './sqlite-file.ts'
import { STORE_KIND } from './sqlite-schema.ts'

export interface SqliteSessionStoreOptions {
  /** The SDK's `foldSessionSummary`. Without it the store keeps no summaries and has no `listSessionSummaries`. */
  readonly foldSummary?: FoldSummary
}

/** The subpath of a main transcript in the file. */
const MAIN = ''

export class SqliteSessionStore implements SessionStore {
  readonly file: string
  readonly listSessionSummaries?: (projectKey: string) => Promise<SessionSummaryEntry[]>
  readonly #fold: FoldSummary | undefined
  #opened: Promise<StoreFile> | undefined

  /**
   * @param file made on first use, 0600 in a folder of 0700
   *
   * Every method rejects with SpillwayError: `unavailable` (no better-sqlite3), `unwritable`, `unreadable`, `conflict`
   * (another process held the file for a minute), `newer-version`, `usage` for a key or an entry that is none.
   */
  constructor(file: string, options: SqliteSessionStoreOptions = {}) {
    const { foldSummary } = options
    this.file = resolve(file)
    this.#fold = foldSummary
    if (foldSummary) this.listSessionSummaries = (projectKey) => this.#summaries(projectKey, foldSummary)
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const names = namesOf(key)
    const rows = entries.map((entry, index) => rowOf(entry, index))
    if (rows.length === 0) return
    await this.#work('write', (file) =>
      inTransaction(file.database, () => {
        const now = Date.now()
        const known = file.transcript.get(...names) as TranscriptRow | undefined
        const id = known?.id ?? Number(file.addTranscript.run(...names, now).lastInsertRowid)
        let added = 0
        for (const { uuid, text } of rows) added += file.insert.run(id, uuid, text).changes
        if (added === 0) return
        if (known) file.touch.run(now, id)
        if (this.#fold && key.subpath === undefined) summarise(file, this.#fold, key, { id, now, known })
      }),
    )
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const names = namesOf(key)
    return this.#work('read', (file) => {
      const known = file.transcript.get(...names) as TranscriptRow | undefined
      if (!known) return null
      const entries: SessionStoreEntry[] = []
      for (const body of file.bodies.iterate(known.id)) entries.push(JSON.parse(body as string))
      return entries
    })
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return this.#work('read', (file) =>
      (file.mainTranscripts.all(projectKey) as TranscriptRow[]).map(({ session, mtime }) => ({
        sessionId: session,
        mtime,
      })),
    )
  }

  async delete(key: SessionKey): Promise<void> {
    const names = namesOf(key)
    await this.#work('write', (file) =>
      inTransaction(file.database, () => {
        file.deleteEntries.run(...names)
        file.deleteTranscripts.run(...names)
      }),
    )
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return this.#work('read', (file) => file.subpaths.all(key.projectKey, key.sessionId) as string[])
  }

  /** Closes the file; the next call opens it again. */
  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    const file = await opened
    file?.database.close()
  }

  async #work<Result>(doing: 'read' | 'write', work: (file: StoreFile) => Result): Promise<Result> {
    try {
      this.#opened ??= this.#open()
      return work(await this.#opened)
    } catch (error) {
      throw translated(error, this.file, doing, STORE_KIND)
    }
  }

  #open(): Promise<StoreFile> {
    const opened = openStoreFile(this.file)
    // What hinders it now may be gone the next time.
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined
    })
    return opened
  }

  #summaries(projectKey: string, fold: FoldSummary): Promise<SessionSummaryEntry[]> {
    return this.#work('write', (file) =>
      inTransaction(file.database, () =>
        (file.mainTranscripts.all(projectKey) as TranscriptRow[]).flatMap((known) => {
          const { id, session: sessionId, mtime: now } = known
          return summarise(file, fold, { projectKey, sessionId }, { id, now, known }) ?? []
        }),
      ),
    )
  }
}

/**
 * The summary, with what it does not cover yet folded in (all of it where no summaries were kept before). In the
 * caller's transaction: no other process folds the same entries at the same time.
 */
function summarise(
  file: StoreFile,
  fold: FoldSummary,
  key: SessionKey,
  { id, now, known }: { readonly id: number; readonly now: number; readonly known: TranscriptRow | undefined },
): SessionSummaryEntry | undefined {
  const { sessionId } = key
  const data = known?.summary ? JSON.parse(known.summary) : undefined
  const previous = data === undefined ? undefined : { sessionId, mtime: now, data }
  const behind = file.bodiesBehind.all(id, known?.summarised ?? 0) as { readonly id: number; readonly body: string }[]
  const last = behind.at(-1)
  if (!last) return previous
  const entries = behind.map(({ body }) => JSON.parse(body) as SessionStoreEntry)
  const summary = fold(previous, key, entries, { mtime: now })
  file.setSummary.run(JSON.stringify(summary.data), last.id, id)
  return summary
}

function namesOf({ projectKey, sessionId, subpath }: SessionKey): [string, string, string] {
  if (subpath === MAIN) throw new SpillwayError('usage', 'subpath is empty; leave it out for the main transcript')
  return [projectKey, sessionId, subpath ?? MAIN]
}

function rowOf(entry: SessionStoreEntry, index: number): { uuid: string | null; text: string } {
  try {
    return { uuid: typeof entry.uuid === 'string' ? entry.uuid : null, text: entryText(entry) }
  } catch (cause) {
    throw new SpillwayError('usage', `entry ${index + 1} of the batch is no JSON; nothing was stored`, { cause })
  }
}
