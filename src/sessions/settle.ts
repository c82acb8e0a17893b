/**
 * Stages a rewritten session and repairs what is written until nothing is left to repair: two faults of a file may
 * meet in one message, and the second shows only once the first is mended.
 */
import type { Economized } from '../core/economy.ts'
import type { Removed } from '../core/edits.ts'
import type { Violation } from '../core/legality/index.ts'
import { REPAIR_ONLY } from '../core/policy.ts'
import type { Splice } from '../formats/format.ts'
import { composeSplices } from '../formats/session-id.ts'
import { economizeSession } from './economize-session.ts'
import { limitOf } from './policy.ts'
import { rejections, violationsOf } from './proof.ts'
import { type Reading, readSession } from './read.ts'
import { type Digest, rewriteSession } from './rewrite.ts'
import { openSource } from './source.ts'
import { discard, type StagedFile, stageFile } from './staged-file.ts'

/** More rounds were never seen to be needed. */
const MOST_ROUNDS = 3

export interface SettleOptions {
  /** A new id for the session. */
  readonly id?: string | undefined
  readonly mode?: number | undefined
  /** False where the session is to be written as it is. */
  readonly repair: boolean
  /** The result will be resumed: calls at the very end are answered too. */
  readonly answerLast: boolean
  readonly onBytes?: ((bytes: number) => void) | undefined
}

export interface Settled {
  readonly staged: StagedFile
  /** Of the staged file, read again. */
  readonly violations: readonly Violation[]
  /** As given, with the repairs of later rounds in its report. */
  readonly economized: Economized
  readonly removed: readonly Removed[]
  /** From the input to the output, over all rounds. */
  readonly splices: () => Splice[]
  readonly input: () => Digest
}

/** @throws SpillwayError when nothing could be written; then nothing is staged */
export async function stageSettled(
  reading: Reading,
  given: Economized,
  target: string,
  options: SettleOptions,
): Promise<Settled> {
  const first = rewriteSession(reading, given.edits, options.id, options.onBytes)
  let staged = await stageFile(target, first.content, options.mode)
  try {
    let output = await readStaged(staged, options)
    let violations = violationsOf(output)
    let economized = given
    let splices = first.splices()
    const removed = [...given.removed]
    for (let round = 1; options.repair && round < MOST_ROUNDS; round++) {
      if (rejections(violations).length === 0) break
      const again = repaired(output, options)
      if (again.edits.length === 0) break
      const next = rewriteSession(output, again.edits, undefined, options.onBytes)
      const restaged = await stageFile(target, next.content, options.mode)
      discard(staged)
      staged = restaged
      splices = composeSplices(splices, next.splices())
      for (const each of again.removed) removed.push(each)
      economized = withRepairs(economized, again)
      output = await readStaged(staged, options)
      violations = violationsOf(output)
    }
    return { staged, violations, economized, removed, splices: () => splices, input: first.input }
  } catch (error) {
    discard(staged)
    throw error
  }
}

async function readStaged(staged: StagedFile, { onBytes }: SettleOptions): Promise<Reading> {
  return readSession(await openSource(staged.temporary), {}, onBytes)
}

function repaired({ session, format }: Reading, { answerLast }: SettleOptions): Economized {
  return economizeSession(session, REPAIR_ONLY, {
    now: Date.now(),
    limit: limitOf(session),
    epoch: 'asked',
    repairs: format.repairs(session),
    answerLast,
  })
}

/** Lines of a later round are no lines of the input: its repairs are told without them. */
function withRepairs(economized: Economized, again: Economized): Economized {
  const later = again.report.repairs.map((repair) => ({ ...repair, entry: Number.NaN }))
  const repairs = [...economized.report.repairs, ...later]
  return { ...economized, report: { ...economized.report, repairs } }
}
