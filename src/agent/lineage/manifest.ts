/** The books of a run directory: `manifest.json`, one row for each attempt at a step, of every process that ran here. */
import { join } from 'node:path'
import { z } from 'zod'
import { MANIFEST_FILE } from '../run-directory/files.ts'
import { changeShared, readShared, type SharedJson } from './shared-json.ts'

const VERSION = 1

const ROW = z.object({
  /** One pass of a Runtime. */
  run: z.string(),
  step: z.string(),
  agent: z.string(),
  /** 1 for the first try of this step in this run. */
  attempt: z.number(),
  sessionId: z.string(),
  /** Where the session stands in the store; null before its first entry. */
  projectKey: z.string().nullable(),
  state: z.enum(['running', 'done', 'failed', 'stopped']),
  /** ISO 8601. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** USD, of this attempt; an estimate of the binary. */
  cost: z.number(),
  /** USD that the session has cost from its beginning: what a resumed one starts to count from. */
  sessionCost: z.number(),
  /** Requests of the main thread. */
  turns: z.number(),
  /** Tokens of the main thread's last prompt. */
  context: z.number(),
  resumed: z.boolean(),
  error: z.string().nullable(),
  processId: z.number(),
})
export type ManifestRow = z.infer<typeof ROW>

const MANIFEST = z.object({ version: z.literal(VERSION), rows: z.array(ROW) })
type Manifest = z.infer<typeof MANIFEST>

function shared(runDirectory: string): SharedJson<Manifest> {
  return {
    file: join(runDirectory, MANIFEST_FILE),
    version: VERSION,
    schema: MANIFEST,
    empty: () => ({ version: VERSION, rows: [] }),
  }
}

/** Rows in the order in which their runs began. @throws SpillwayError `newer-version`, `unreadable` */
export function readManifest(runDirectory: string): readonly ManifestRow[] {
  return readShared(shared(runDirectory)).rows
}

/** Puts the rows of one run in place of those it had; rows of other runs stay as they are. */
export function writeRows(runDirectory: string, run: string, rows: readonly ManifestRow[]): void {
  changeShared(shared(runDirectory), (manifest): Manifest => {
    const first = manifest.rows.findIndex((row) => row.run === run)
    const others = manifest.rows.filter((row) => row.run !== run)
    return { version: VERSION, rows: others.toSpliced(first < 0 ? others.length : first, 0, ...rows) }
  })
}
