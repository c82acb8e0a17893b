/**
 * What one session was told at its beginning and since: the workbench's index stands in its system prompt and never
 * changes (a changed one would break the cache, and is ignored at a resume); later changes are told once each.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readPlainFile } from '../../sessions/plain-file.ts'
import { replaceFile } from '../lineage/shared-json.ts'
import type { WorkbenchIndex } from '../workbench/workbench.ts'

const VERSION = 1
const INDEX = z.custom<WorkbenchIndex>((value) => typeof value === 'object' && value !== null && 'folders' in value)
const GENERATION = z.object({
  version: z.literal(VERSION),
  /** The index in the system prompt; null without a workbench. */
  index: INDEX.nullable(),
  /** The newest index that the session knows. */
  told: INDEX.nullable(),
  /** Calls of workers whose end in mid-work was reported. */
  reported: z.array(z.string()),
})
export type Generation = z.infer<typeof GENERATION>

const FOLDER = 'generations'

export function newGeneration(index: WorkbenchIndex | undefined): Generation {
  return { version: VERSION, index: index ?? null, told: index ?? null, reported: [] }
}

/** Undefined where nothing, or nothing that can be understood, was kept: then all is told anew. */
export function readGeneration(runDirectory: string, sessionId: string): Generation | undefined {
  const file = fileOf(runDirectory, sessionId)
  if (!existsSync(file)) return undefined
  try {
    return GENERATION.safeParse(JSON.parse(readPlainFile(file).toString('utf8'))).data
  } catch {
    // Telling twice does no harm; not going on would.
    return undefined
  }
}

export function writeGeneration(runDirectory: string, sessionId: string, generation: Generation): void {
  const file = fileOf(runDirectory, sessionId)
  mkdirSync(join(runDirectory, FOLDER), { recursive: true, mode: 0o700 })
  replaceFile(file, `${JSON.stringify(generation)}\n`)
}

function fileOf(runDirectory: string, sessionId: string): string {
  return join(runDirectory, FOLDER, `${sessionId.replace(/[^\w-]/g, '_')}.json`)
}
