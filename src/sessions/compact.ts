/**
 * `compact`: a recorded session in, a smaller one out that is legal, resumes and can be restored byte for byte.
 *
 * Order of events, so that a run killed anywhere loses nothing: the output is written under a temporary name and
 * proved by reading it again; what it no longer holds goes to the archive in one transaction; only then does the
 * output get its name (in place: after the original got its backup name).
 */
import { randomUUID } from 'node:crypto'
import type { Economized } from '../core/economy.ts'
import { SpillwayError } from '../core/errors.ts'
import type { Violation } from '../core/legality/index.ts'
import type { EconomyContext } from '../core/policy.ts'
import { storeAddress } from '../formats/openclaw-store/index.ts'
import { resumeCommand } from '../formats/places.ts'
import { measureOf } from '../planning/limit.ts'
import { archiveRewriting } from './archive-rewriting.ts'
import { childThreads } from './children.ts'
import { type CompactReport, compactReport } from './compact-report.ts'
import { economizeSession } from './economize-session.ts'
import { copyCompanions, forkedFile } from './fork.ts'
import { realFile, refuseBusy, replaceInPlace } from './in-place.ts'
import { type ChosenPolicy, choosePolicy, limitOf } from './policy.ts'
import { rejections, violationsOf } from './proof.ts'
import { type Reading, readSession } from './read.ts'
import { inMemory, rewriteSession } from './rewrite.ts'
import { stageSettled } from './settle.ts'
import { openSource } from './source.ts'
import { discard, refuseExisting, type StagedFile } from './staged-file.ts'
import { publishSession, refuseStoreTarget } from './store-copy.ts'
import { type Summarize, type SummaryOutcome, summariesFor } from './task-summaries.ts'

/** How often the session's bytes are read: to understand, to write, to prove. `onBytes` hears all of them. */
export const COMPACT_PASSES = 3

/**
 * Where the result goes: a new file, a fork beside the original under a new session id, the original's own place,
 * or nowhere (a dry run).
 */
export type CompactTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'fork' }
  | { readonly kind: 'in-place'; readonly force: boolean }
  | { readonly kind: 'nowhere' }

export interface CompactOptions {
  readonly target: CompactTarget
  /** Default: `default`. */
  readonly preset?: string | undefined
  /** Names of the rules to use; `none` writes the input back byte for byte. Default: all of the preset. */
  readonly rules?: readonly string[] | undefined
  /** The archive's folder; default as DESIGN says. */
  readonly archive?: string
  /** The model that will read the result (message-rules A36). Default: the session's own. */
  readonly model?: string
  /** Writes the records of finished tasks in place of the digest, where it can. */
  readonly summarize?: Summarize
  /** Hears of a worker's transcript that cannot be read; it counts as not at hand. */
  readonly onProblem?: (problem: SpillwayError) => void
  readonly onBytes?: (bytes: number) => void
}

/**
 * Compacts one session file (`-` for standard input).
 * @throws SpillwayError before anything was changed; the original is never touched except by `in-place`
 */
export async function compactSession(file: string, options: CompactOptions): Promise<CompactReport> {
  const { target } = options
  const path = target.kind === 'in-place' && file !== '-' && !storeAddress(file) ? realFile(file) : file
  const source = await openSource(path, { rereadable: true })
  if (target.kind === 'file') {
    refuseExisting(target.path)
    refuseStoreTarget(source, target.path)
  }
  if (target.kind === 'in-place') {
    if (!source.state) throw new SpillwayError('usage', `${file}: --in-place needs a file`)
    refuseBusy(path, source.state, Date.now(), target.force)
  }
  const reading = await readSession(source, {}, options.onBytes)
  const { session, format } = reading
  const model = options.model ?? session.main.model
  const chosen = choosePolicy({ preset: options.preset, rules: options.rules, model })
  const { policy, repair } = chosen
  const lastCallAt = session.main.messages.findLast((message) => message.role === 'assistant')?.time
  const tasks = policy.rules.tasks ? { children: await childThreads(reading, options.onProblem) } : undefined
  const context: EconomyContext = {
    now: Date.now(),
    limit: limitOf(session, model),
    measure: measureOf(session.main),
    epoch: 'asked',
    repairs: repair ? format.repairs(session) : [],
    repair,
    answerLast: answersLast(options, chosen),
    ...(lastCallAt === undefined ? {} : { lastCallAt }),
    ...(model === undefined ? {} : { model }),
    ...(tasks ? { tasks } : {}),
  }
  const digested = economizeSession(session, policy, context)
  const asked =
    tasks && options.summarize
      ? await summariesFor(session.main, digested.transcript, tasks, options.summarize)
      : undefined
  const economized = asked ? economizeSession(session, policy, { ...context, summaries: asked.records }) : digested
  const summaries = asked ? { summaries: asked.outcomes } : {}
  const job = { file, reading, economized, chosen, options, before: violationsOf(reading), ...summaries }
  if (target.kind === 'nowhere') return tryOnly(job)
  if (target.kind === 'in-place' && economized.edits.length === 0) return compactReport({ ...job, out: path })
  if (target.kind === 'fork') return writeFork(job)
  return write(job, target.kind === 'file' ? target.path : path)
}

interface Job {
  readonly file: string
  readonly reading: Reading
  readonly economized: Economized
  readonly chosen: ChosenPolicy
  readonly options: CompactOptions
  readonly before: readonly Violation[]
  readonly summaries?: readonly SummaryOutcome[]
}

async function tryOnly(job: Job): Promise<CompactReport> {
  const { reading, economized, options } = job
  const rewriting = rewriteSession(reading, economized.edits, undefined, options.onBytes)
  const output = await readSession(await inMemory(job.file, rewriting.content), {}, options.onBytes)
  return compactReport({ ...job, written: output.bytes, after: proven(job, violationsOf(output)) })
}

async function writeFork(job: Job): Promise<CompactReport> {
  const from = job.reading.session.facts.id
  if (from === undefined || job.file === '-' || job.reading.source.store) {
    throw new SpillwayError('usage', `${job.file}: --fork needs a file with a session id; use -o OUT`)
  }
  const to = randomUUID()
  const out = forkedFile(job.file, from, to)
  const report = await write(job, out, to)
  return { ...report, id: to, resume: resumeCommand(job.reading.session.facts.format, to, out) }
}

/** Writes, proves, archives, publishes. */
async function write(job: Job, out: string, id?: string): Promise<CompactReport> {
  const { reading, options, chosen } = job
  const { kind } = options.target
  const settled = await stageSettled(reading, job.economized, out, {
    id,
    mode: kind === 'in-place' ? reading.source.state?.mode : undefined,
    repair: chosen.repair,
    answerLast: answersLast(options, chosen),
    onBytes: options.onBytes,
  })
  const { staged, economized } = settled
  try {
    const after = proven(job, settled.violations)
    const archive = await archiveRewriting(reading, settled.removed, settled, staged, options.archive)
    const backup = await publish(job, staged, id)
    return compactReport({
      ...job,
      economized,
      out,
      written: staged.bytes,
      after,
      archive,
      ...(backup ? { backup } : {}),
    })
  } catch (error) {
    discard(staged)
    throw error
  }
}

/** Calls at the very end are answered where the result is to be resumed (DESIGN, At rest). */
function answersLast({ target }: CompactOptions, { repair }: ChosenPolicy): boolean {
  return repair && (target.kind === 'fork' || target.kind === 'in-place')
}

async function publish(job: Job, staged: StagedFile, id?: string): Promise<string | undefined> {
  const { state } = job.reading.source
  if (job.options.target.kind === 'in-place' && state) return replaceInPlace(staged, staged.target, state)
  if (id !== undefined) await copyCompanions(job.file, staged.target, job.reading.format.name, id)
  await publishSession(staged, job.reading.source)
  return undefined
}

/** The output's violations. @throws SpillwayError when the output would be refused where the input was not */
function proven(job: Job, after: readonly Violation[]): readonly Violation[] {
  const refused = rejections(after)
  if (refused.length > rejections(job.before).length) {
    const [first] = refused
    const where = first?.line === undefined ? '' : ` on line ${first.line}`
    const what = `${first?.rule}${where}: ${first?.message}`
    throw new SpillwayError(
      'conflict',
      `${job.file}: the compacted session would not be legal (${what}); nothing was written`,
    )
  }
  return after
}
