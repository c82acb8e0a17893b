/** What a Runtime opens before its first run: the stores, the archive, the workbench and the books. */
import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Archive, openArchive } from '../../archive/index.ts'
import { SpillwayError } from '../../core/errors.ts'
import {
  EconomyStore,
  type SessionKey,
  type SessionStore,
  SqliteSessionStore,
  type StoreEvent,
} from '../../stores/index.ts'
import { withCredentials } from '../credentials/credentials.ts'
import { REAL_TIMING, type Timing } from '../resilience/timing.ts'
import { STORE_FILE } from '../run-directory/files.ts'
import { openWorkbench, type Workbench } from '../workbench/workbench.ts'
import { type Books, openBooks } from './books.ts'
import { type AgentSdk, loadSdk } from './load-sdk.ts'
import { DEFAULT_RESILIENCE, type ResilienceOptions, RUN_FOLDER, type RuntimeOptions } from './options.ts'
import { withOwnProgram } from './own-program.ts'
import { withSessionFolder } from './session-folder.ts'
import { RUNTIME_TEXTS, type RuntimeTexts } from './texts.ts'

const PROJECT_FOLDER = '.spillway'

/** Who hears of what the stores say about one session. */
export interface SessionWatcher {
  onStoreEvent(event: StoreEvent): void
  /** The session's place in the store, once its first entry is there. */
  onKey(key: SessionKey): void
}

export interface OpenRuntime {
  readonly options: RuntimeOptions
  readonly workspace: string
  readonly runDirectory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly sdk: AgentSdk
  /** What was recorded. */
  readonly recorded: SqliteSessionStore
  /** What goes back to the model: the economized view, as the binary gets it. */
  readonly store: SessionStore
  readonly economy: EconomyStore
  readonly archive: Archive
  readonly workbench: Workbench | undefined
  readonly books: Books
  readonly timing: Timing
  /** Undefined: the first error is final. */
  readonly resilience: ResilienceOptions | undefined
  readonly texts: RuntimeTexts
  key(sessionId: string): SessionKey
  /** @returns ends the watch */
  watch(sessionId: string, watcher: SessionWatcher): () => void
  close(): Promise<void>
}

export function runDirectoryOf({ workspace, runDirectory }: RuntimeOptions): string {
  return runDirectory ?? join(workspace, PROJECT_FOLDER, RUN_FOLDER)
}

/** @throws SpillwayError `unavailable` (no SDK, no SQLite), `unwritable`, `newer-version`, `unreadable` */
export async function openRuntime(options: RuntimeOptions, workspace: string): Promise<OpenRuntime> {
  const sdk = await loadSdk()
  refuseBait(join(workspace, PROJECT_FOLDER))
  const runDirectory = runDirectoryOf(options)
  const timing = options.timing ?? REAL_TIMING
  const workbench = options.workbench
    ? openWorkbench({ workspace, ...(typeof options.workbench === 'string' ? { folder: options.workbench } : {}) })
    : undefined
  const archive = await openArchive(workbench?.folder ?? options.runDirectory ?? join(workspace, PROJECT_FOLDER))
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 })
  const given = withSessionFolder(withCredentials(options.environment ?? process.env))
  const environment = withOwnProgram(given, runDirectory, archive.folder)
  const recorded = new SqliteSessionStore(join(runDirectory, STORE_FILE), { foldSummary: sdk.foldSessionSummary })
  const books = openBooks(runDirectory, workspace, randomUUID(), timing.now)
  const watchers = new Map<string, SessionWatcher>()
  const keys = new Map<string, SessionKey>()
  const economy = new EconomyStore(recorded, {
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    archive: archive.folder,
    clock: timing.now,
    onEvent: (event) => watchers.get(event.key.sessionId)?.onStoreEvent(event),
  })
  return {
    options,
    workspace,
    runDirectory,
    environment,
    sdk,
    recorded,
    store: learning(economy, (key) => {
      if (keys.has(key.sessionId)) return
      keys.set(key.sessionId, key)
      watchers.get(key.sessionId)?.onKey(key)
    }),
    economy,
    archive,
    workbench,
    books,
    timing,
    resilience: options.resilience === false ? undefined : { ...DEFAULT_RESILIENCE, ...options.resilience },
    texts: { ...RUNTIME_TEXTS, ...options.texts },
    key(sessionId) {
      const projectKey = books.session(sessionId).projectKey ?? usualProjectKey(workspace)
      return keys.get(sessionId) ?? { projectKey, sessionId }
    },
    watch(sessionId, watcher) {
      watchers.set(sessionId, watcher)
      return () => {
        if (watchers.get(sessionId) === watcher) watchers.delete(sessionId)
      }
    },
    async close() {
      await recorded.close()
      archive.close()
    },
  }
}

/** A project may come from a stranger: its folder must not lead what agents say and see to another place. */
function refuseBait(folder: string): void {
  const state = lstatSync(folder, { throwIfNoEntry: false })
  if (!state) return
  if (!state.isDirectory())
    throw new SpillwayError('unwritable', `${folder}: is a link or a file, not a folder of yours`)
  if (state.uid !== process.geteuid?.()) throw new SpillwayError('unwritable', `${folder}: belongs to another user`)
}

/** The same store; each main transcript's key is told once something was appended to it. */
function learning(store: EconomyStore, onKey: (key: SessionKey) => void): SessionStore {
  return {
    async append(key, entries) {
      await store.append(key, entries)
      if (key.subpath === undefined) onKey(key)
    },
    load: (key) => store.load(key),
    ...(store.listSessions ? { listSessions: store.listSessions } : {}),
    ...(store.listSessionSummaries ? { listSessionSummaries: store.listSessionSummaries } : {}),
    ...(store.delete ? { delete: store.delete } : {}),
    ...(store.listSubkeys ? { listSubkeys: store.listSubkeys } : {}),
  }
}

/** How the SDK names the sessions of a folder, as long as the name is not too long. */
function usualProjectKey(workspace: string): string {
  return workspace.replace(/[^a-zA-Z0-9]/g, '-')
}
