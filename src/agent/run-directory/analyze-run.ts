/**
 * What a run came to, from its directory alone (seed F13): how much of the work went to workers, what was spilled, what
 * the workbench was used for, how the context grew, what the cache gave and what it cost.
 */
import { basename, dirname, join, resolve } from 'node:path'
import { SpillwayError } from '../../core/errors.ts'
import { type Analysis, analyzeSource } from '../../sessions/analyze.ts'
import { readSession } from '../../sessions/read.ts'
import type { Source } from '../../sessions/source.ts'
import { type SessionKey, type SessionStore, SqliteSessionStore } from '../../stores/index.ts'
import { type ManifestRow, readManifest } from '../lineage/manifest.ts'
import { isRunDirectory, MANIFEST_FILE, STORE_FILE } from './files.ts'
import { storeSource } from './store-source.ts'
import { type WorkbenchUse, workbenchUse } from './workbench-use.ts'

export interface RunAnalysis extends WorkbenchUse {
  readonly runDirectory: string
  readonly steps: readonly StepSummary[]
  /** Shares are 0 to 1; calls of the main threads and of all workers. */
  readonly delegation: {
    readonly turnShare: number
    readonly charShare: number
    readonly mainCalls: number
    readonly workerCalls: number
  }
  /** USD, of all attempts in the manifest. */
  readonly cost: number
  /** Share of all prompt tokens of the main threads that came from the cache, 0 to 1. */
  readonly cacheHitRate: number
  /** One for each session, as `analyze` prints it; `file` is the session's id. */
  readonly sessions: readonly Analysis[]
  /** Ids of sessions that the books name and the store no longer holds. */
  readonly missing: readonly string[]
}

export interface StepSummary extends Pick<ManifestRow, 'step' | 'agent' | 'sessionId' | 'state'> {
  readonly attempts: number
  readonly turns: number
  readonly cost: number
}

const WORKERS = /^subagents\/(?:.*\/)?(agent-[^/]+)$/

/** @throws SpillwayError `not-found`, `unavailable` (no SQLite), `unreadable`, `newer-version` */
export async function analyzeRun(
  runDirectory: string,
  options: { readonly preset?: string | undefined } = {},
): Promise<RunAnalysis> {
  if (!isRunDirectory(runDirectory)) {
    throw new SpillwayError('not-found', `${runDirectory}: no run directory (${STORE_FILE} and ${MANIFEST_FILE})`)
  }
  const rows = readManifest(runDirectory)
  const store = new SqliteSessionStore(join(runDirectory, STORE_FILE))
  try {
    const sessions: Analysis[] = []
    const missing: string[] = []
    const stored = await storedSessions(store, rows)
    // By default the run's folder stands in the workbench's.
    const use = workbenchUse(basename(dirname(resolve(runDirectory))) === '.spillway' ? '.spillway' : '')
    for (const key of keysOf(rows)) {
      if (!stored.has(key.sessionId)) {
        missing.push(key.sessionId)
        continue
      }
      const main = storeSource(store, key, key.sessionId)
      const workers = await workersOf(store, key)
      sessions.push(await analyzeSource(main, workers, options))
      for (const thread of [main, ...workers]) use.take((await readSession(thread)).session.main)
    }
    return {
      runDirectory,
      steps: summariesOf(rows),
      ...sumsOf(sessions),
      ...use.sums(),
      cost: rows.reduce((sum, row) => sum + row.cost, 0),
      sessions,
      missing,
    }
  } finally {
    await store.close()
  }
}

/** Sessions in the order in which they began; one that never got an entry has no key. */
function keysOf(rows: readonly ManifestRow[]): SessionKey[] {
  const keys = new Map<string, SessionKey>()
  for (const { sessionId, projectKey } of rows) {
    if (projectKey !== null && !keys.has(sessionId)) keys.set(sessionId, { projectKey, sessionId })
  }
  return [...keys.values()]
}

async function storedSessions(store: SqliteSessionStore, rows: readonly ManifestRow[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const projectKey of new Set(rows.flatMap((row) => row.projectKey ?? []))) {
    for (const { sessionId } of await store.listSessions(projectKey)) ids.add(sessionId)
  }
  return ids
}

async function workersOf(store: SessionStore, key: SessionKey): Promise<Source[]> {
  const workers: Source[] = []
  for (const subpath of (await store.listSubkeys?.(key)) ?? []) {
    const name = WORKERS.exec(subpath)?.[1]
    if (name !== undefined) workers.push(storeSource(store, { ...key, subpath }, name))
  }
  return workers
}

function sumsOf(sessions: readonly Analysis[]): Pick<RunAnalysis, 'delegation' | 'cacheHitRate'> {
  let [mainTurns, workerTurns, mainChars, workerChars, mainCalls, workerCalls] = [0, 0, 0, 0, 0, 0]
  let [read, all] = [0, 0]
  for (const { threads, delegation, cache } of sessions) {
    const [main, ...workers] = threads
    mainTurns += main?.turns ?? 0
    mainChars += main?.chars ?? 0
    for (const worker of workers) {
      workerTurns += worker.turns
      workerChars += worker.chars
    }
    mainCalls += delegation.mainCalls
    workerCalls += delegation.workerCalls
    read += cache.read
    all += cache.read + cache.write + cache.uncached
  }
  const share = (part: number, rest: number): number => (part + rest === 0 ? 0 : part / (part + rest))
  return {
    delegation: {
      turnShare: share(workerTurns, mainTurns),
      charShare: share(workerChars, mainChars),
      mainCalls,
      workerCalls,
    },
    cacheHitRate: all === 0 ? 0 : read / all,
  }
}

/** One line for each step of each run, in order. */
function summariesOf(rows: readonly ManifestRow[]): StepSummary[] {
  const steps = new Map<string, StepSummary>()
  for (const { run, step, agent, sessionId, state, turns, cost } of rows) {
    const name = `${run}\n${step}\n${sessionId}`
    const before = steps.get(name) ?? { attempts: 0, turns: 0, cost: 0 }
    steps.set(name, {
      step,
      agent,
      sessionId,
      state,
      attempts: before.attempts + 1,
      turns: before.turns + turns,
      cost: before.cost + cost,
    })
  }
  return [...steps.values()]
}
