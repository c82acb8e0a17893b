/** Runs a use case on every input; one that fails is reported and does not stop the others. */
import { statSync } from 'node:fs'
import { SpillwayError } from '../core/errors.ts'
import type { SelectedSession } from '../sessions/select.ts'
import { EXIT } from './exit.ts'
import { printable, printableText } from './printable.ts'
import { messageOf } from './run.ts'
import { note, printJson, withProgress } from './terminal.ts'

interface Batch<Report> {
  readonly inputs: readonly SelectedSession[]
  /** How often a use case reads its bytes: what the progress bar counts to. */
  readonly passes: number
  /** Shown beside the bar. */
  readonly doing: string
  readonly json: boolean
  readonly work: (input: SelectedSession, index: number, onBytes: (bytes: number) => void) => Promise<Report>
  /** Prints one report for a person. */
  readonly show: (report: Report) => void
}

/** Prints `{sessions: […]}` (with `errors` where there are any) or each report in turn; sets the exit code. */
export async function eachSession<Report>(batch: Batch<Report>): Promise<Report[]> {
  const reports: Report[] = []
  const errors: { file: string; message: string }[] = []
  for (const [index, input] of batch.inputs.entries()) {
    try {
      const total = batch.passes * (statSync(input.file, { throwIfNoEntry: false })?.size ?? 0)
      const report = await withProgress(batch.doing, total, (onBytes) => batch.work(input, index, onBytes))
      reports.push(report)
      if (!batch.json) batch.show(printable(report))
    } catch (error) {
      const isUsage = error instanceof SpillwayError && error.code === 'usage'
      if (isUsage) throw error
      errors.push({ file: input.file, message: messageOf(error) })
      note(`spillway: ${printableText(messageOf(error))}`)
      process.exitCode = EXIT.problem
    }
  }
  if (batch.json) printJson({ sessions: reports, ...(errors.length > 0 ? { errors } : {}) })
  return reports
}
