/** The rows of one run in the manifest, and its steps in the lineage: on disk before anything happens under them. */
import { lastSession, writeSession } from '../lineage/lineage.ts'
import { type ManifestRow, readManifest, writeRows } from '../lineage/manifest.ts'

export interface Books {
  readonly run: string
  /** What is known of a session from earlier runs: its total cost, and where it stands in the store. */
  session(sessionId: string): { readonly cost: number; readonly projectKey: string | undefined }
  lastSession(step: string): string | undefined
  open(row: ManifestRow): Row
  /** Every row that is still open becomes `stopped`. Synchronous: a signal may end the process at once. */
  closeAll(): void
}

export interface Row {
  /** Changes fields and writes; a new session id goes into the lineage too. */
  update(fields: Partial<ManifestRow>): void
  /** Changes fields that may wait for the next write. */
  note(fields: Partial<ManifestRow>): void
}

export function openBooks(runDirectory: string, workspace: string, run: string, clock: () => number): Books {
  closeAbandoned(runDirectory, clock)
  const rows: ManifestRow[] = []
  const save = (): void => writeRows(runDirectory, run, rows)
  const earlier = (): readonly ManifestRow[] => [...readManifest(runDirectory), ...rows]
  return {
    run,
    session(sessionId) {
      const known = earlier().filter((row) => row.sessionId === sessionId)
      return {
        cost: Math.max(0, ...known.map((row) => row.sessionCost)),
        projectKey: known.findLast((row) => row.projectKey !== null)?.projectKey ?? undefined,
      }
    },
    lastSession: (step) => lastSession(runDirectory, workspace, step),
    open(row) {
      const at = rows.push(row) - 1
      save()
      writeSession(runDirectory, workspace, { step: row.step, sessionId: row.sessionId, run })
      return {
        update(fields) {
          const before = rows[at] ?? row
          rows[at] = { ...before, ...fields }
          save()
          if (fields.sessionId === undefined || fields.sessionId === before.sessionId) return
          writeSession(runDirectory, workspace, { step: row.step, sessionId: fields.sessionId, run })
        },
        note(fields) {
          rows[at] = { ...(rows[at] ?? row), ...fields }
        },
      }
    },
    closeAll() {
      let open = false
      rows.forEach((row, at) => {
        if (row.state !== 'running') return
        rows[at] = { ...row, state: 'stopped', endedAt: new Date(clock()).toISOString() }
        open = true
      })
      if (open) save()
    },
  }
}

/** Rows of processes that were killed stay open: whoever comes next closes them. */
function closeAbandoned(runDirectory: string, clock: () => number): void {
  const open = readManifest(runDirectory).filter(({ state, processId }) => state === 'running' && !isAlive(processId))
  if (open.length === 0) return
  const endedAt = new Date(clock()).toISOString()
  for (const run of new Set(open.map((row) => row.run))) {
    const rows = readManifest(runDirectory).filter((row) => row.run === run)
    const closed = rows.map((row) => (row.state === 'running' ? { ...row, state: 'stopped' as const, endedAt } : row))
    writeRows(runDirectory, run, closed)
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
