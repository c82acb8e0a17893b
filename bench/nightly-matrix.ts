/**
 * The harness matrix at full width: every shared Claude Code session and 50 cuts of each, economized by every rule,
 * resumed in the real binary on both models. About 2,400 resumes (and as many to prime the server).
 */
import { type ClaudeHome, claudeCodeBinary } from '../test/support/claude-code.ts'
import {
  type Cell,
  cutsOf,
  faultsOf,
  inLanes,
  MATRIX_MODELS,
  type RecordedSession,
  recordedSession,
  runCells,
  summaryOf,
} from '../test/support/matrix.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'

const CUTS = 50

/** Prints a line a session and model, and every fault; sets the exit code when there is one. */
export async function nightlyMatrix(): Promise<void> {
  if (!claudeCodeBinary()) return noticeMissing("the Agent SDK's Claude Code binary")
  if (!hasData) return noticeMissing('the shared data')
  for (const model of MATRIX_MODELS) {
    const all: Cell[] = []
    for (const file of sessionFiles('claude-code')) {
      const whole = recordedSession(file, model)
      const sessions = [whole, ...cutsOf(whole, CUTS)]
      const broken: string[] = []
      // One run that breaks must not end the night: it is a fault like the others.
      const run = async (home: ClaudeHome, session: RecordedSession): Promise<Cell[]> =>
        runCells(home, session, () => ['every rule']).catch((error: unknown) => {
          broken.push(`${session.name}: ${String(error)}`)
          return []
        })
      const cells = (await inLanes(sessions, run)).flat()
      report(`${model}  ${whole.name}`, cells, broken)
      all.push(...cells)
    }
    report(`${model}  all`, all, [])
  }
}

function report(title: string, cells: readonly Cell[], broken: readonly string[]): void {
  process.stdout.write(`${title}: ${summaryOf(cells)}\n`)
  const faults = [...broken, ...cells.flatMap(faultsOf)]
  for (const fault of faults) process.stdout.write(`  ${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
