/** `lineage.json`: which session each step used last, so that it can go on there. */
import { join } from 'node:path'
import { z } from 'zod'
import { LINEAGE_FILE } from '../run-directory/files.ts'
import { changeShared, readShared, type SharedJson } from './shared-json.ts'

const VERSION = 1

const LINEAGE = z.object({
  version: z.literal(VERSION),
  /** The folder the sessions worked in; in another one they do not go on. */
  workspace: z.string(),
  steps: z.record(z.string(), z.object({ sessionId: z.string(), run: z.string() })),
})
type Lineage = z.infer<typeof LINEAGE>

function shared(runDirectory: string, workspace: string): SharedJson<Lineage> {
  return {
    file: join(runDirectory, LINEAGE_FILE),
    version: VERSION,
    schema: LINEAGE,
    empty: () => ({ version: VERSION, workspace, steps: {} }),
  }
}

/** The session a step used last in this workspace; undefined where there is none, or the workspace is another one. */
export function lastSession(runDirectory: string, workspace: string, step: string): string | undefined {
  const lineage = readShared(shared(runDirectory, workspace))
  return lineage.workspace === workspace && Object.hasOwn(lineage.steps, step)
    ? lineage.steps[step]?.sessionId
    : undefined
}

export function writeSession(
  runDirectory: string,
  workspace: string,
  { step, ...used }: { readonly step: string; readonly sessionId: string; readonly run: string },
): void {
  changeShared(
    shared(runDirectory, workspace),
    (lineage): Lineage => ({
      version: VERSION,
      workspace,
      steps: { ...(lineage.workspace === workspace ? lineage.steps : {}), [step]: used },
    }),
  )
}
