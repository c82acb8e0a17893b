/** `doctor`: every legality violation of a session file, and a repair that loses nothing. */
import type { Economized } from '../core/economy.ts'
import { SpillwayError } from '../core/errors.ts'
import type { Severity, Violation } from '../core/legality/index.ts'
import { archiveRewriting } from './archive-rewriting.ts'
import { type ReportedRepair, reportedRepairs } from './compact-report.ts'
import { economizeSession } from './economize-session.ts'
import { limitOf, REPAIR_ONLY } from './policy.ts'
import { rejections, violationsOf } from './proof.ts'
import { type Reading, readSession } from './read.ts'
import { rewriteSession } from './rewrite.ts'
import { openSource } from './source.ts'
import { discard, refuseExisting, stageFile } from './staged-file.ts'
import { publishSession, refuseStoreTarget } from './store-copy.ts'

export interface DoctorOptions {
  /** Write the repaired session to this new file. */
  readonly fix?: string
  /** The model that will read the repaired session (message-rules A36). Default: the session's own. */
  readonly model?: string
  readonly archive?: string
  readonly onBytes?: (bytes: number) => void
}

/** The JSON contract of `doctor`. */
export interface DoctorReport {
  readonly file: string
  readonly format: string
  readonly violations: readonly ReportedViolation[]
  /** What `--fix` does, or did. */
  readonly repairs: readonly ReportedRepair[]
  /** The repaired file. */
  readonly out: string | null
  /** Violations of the repaired file; null where none was written. */
  readonly remaining: readonly ReportedViolation[] | null
}

export interface ReportedViolation {
  readonly rule: string
  readonly severity: Severity
  readonly line: number | null
  readonly id: string | null
  readonly message: string
}

/**
 * @throws SpillwayError for an input that cannot be read, a target that exists, or a repair that failed its proof
 */
export async function doctorSession(file: string, options: DoctorOptions = {}): Promise<DoctorReport> {
  const source = await openSource(file, { rereadable: options.fix !== undefined })
  if (options.fix !== undefined) {
    refuseExisting(options.fix)
    refuseStoreTarget(source, options.fix)
  }
  const reading = await readSession(source, {}, options.onBytes)
  const { session, format } = reading
  const violations = violationsOf(reading)
  const { model } = options
  const repaired = economizeSession(session, REPAIR_ONLY, {
    now: Date.now(),
    limit: limitOf(session, model),
    epoch: 'asked',
    repairs: format.repairs(session),
    ...(model === undefined ? {} : { model }),
  })
  const remaining =
    options.fix === undefined ? null : await writeRepaired(reading, repaired, violations, options.fix, options)
  return {
    file,
    format: session.facts.format,
    violations: violations.map(reported),
    repairs: reportedRepairs(reading, repaired),
    out: options.fix ?? null,
    remaining: remaining?.map(reported) ?? null,
  }
}

/** Is there anything that the provider or loader refuses, after the repair where there was one? */
export function isSick(report: DoctorReport): boolean {
  return (report.remaining ?? report.violations).some((violation) => violation.severity === 'reject')
}

async function writeRepaired(
  reading: Reading,
  repaired: Economized,
  before: readonly Violation[],
  target: string,
  options: DoctorOptions,
): Promise<Violation[]> {
  const rewriting = rewriteSession(reading, repaired.edits, undefined, options.onBytes)
  const staged = await stageFile(target, rewriting.content)
  try {
    const output = await readSession(await openSource(staged.temporary), {}, options.onBytes)
    const after = violationsOf(output)
    if (rejections(after).length > rejections(before).length) {
      throw new SpillwayError('conflict', `${reading.source.file}: the repair would make it worse; nothing was written`)
    }
    await archiveRewriting(reading, repaired.removed, rewriting, staged, options.archive)
    await publishSession(staged, reading.source)
    return after
  } catch (error) {
    discard(staged)
    throw error
  }
}

function reported(violation: Violation): ReportedViolation {
  const { rule, severity, message } = violation
  return { rule, severity, line: violation.line ?? null, id: violation.id ?? null, message }
}
