/** `doctor`: every legality violation of a session file or a request, and a repair that loses nothing. */
import type { Economized } from '../core/economy.ts'
import { SpillwayError } from '../core/errors.ts'
import type { Violation } from '../core/legality/index.ts'
import { REPAIR_ONLY } from '../core/policy.ts'
import { archiveRewriting } from './archive-rewriting.ts'
import { reportedRepairs } from './compact-report.ts'
import type { DoctorOptions, DoctorReport, ReportedViolation } from './doctor-report.ts'
import { doctorRequest } from './doctor-request.ts'
import { economizeSession } from './economize-session.ts'
import { limitOf } from './policy.ts'
import { rejections, violationsOf } from './proof.ts'
import { type Reading, readSession, UnknownFormatError } from './read.ts'
import { stageSettled } from './settle.ts'
import { openSource } from './source.ts'
import { discard, refuseExisting } from './staged-file.ts'
import { publishSession, refuseStoreTarget } from './store-copy.ts'

/**
 * @throws SpillwayError for an input that cannot be read, a target that exists, or a repair that failed its proof
 */
export async function doctorSession(file: string, options: DoctorOptions = {}): Promise<DoctorReport> {
  const source = await openSource(file, { rereadable: true })
  if (options.fix !== undefined) {
    refuseExisting(options.fix)
    refuseStoreTarget(source, options.fix)
  }
  const reading = await readSession(source, {}, options.onBytes).catch((error: unknown) => {
    if (error instanceof UnknownFormatError) return error
    throw error
  })
  if (reading instanceof UnknownFormatError) return doctorRequest(source, options, reading)
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
  const written =
    options.fix === undefined ? undefined : await writeRepaired(reading, repaired, violations, options.fix, options)
  return {
    file,
    format: session.facts.format,
    violations: violations.map(reported),
    repairs: reportedRepairs(reading, written?.economized ?? repaired),
    out: options.fix ?? null,
    remaining: written?.after.map(reported) ?? null,
  }
}

async function writeRepaired(
  reading: Reading,
  repaired: Economized,
  before: readonly Violation[],
  target: string,
  options: DoctorOptions,
): Promise<{ after: readonly Violation[]; economized: Economized }> {
  const settled = await stageSettled(reading, repaired, target, {
    repair: true,
    answerLast: false,
    onBytes: options.onBytes,
  })
  const { staged, economized } = settled
  try {
    const after = settled.violations
    if (rejections(after).length > rejections(before).length) {
      throw new SpillwayError('conflict', `${reading.source.file}: the repair would make it worse; nothing was written`)
    }
    await archiveRewriting(reading, settled.removed, settled, staged, options.archive)
    await publishSession(staged, reading.source)
    return { after, economized }
  } catch (error) {
    discard(staged)
    throw error
  }
}

function reported(violation: Violation): ReportedViolation {
  const { rule, severity, message } = violation
  return { rule, severity, line: violation.line ?? null, id: violation.id ?? null, message }
}
