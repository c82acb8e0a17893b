/**
 * `tasks`: the delegated tasks of a session, whatever stands between them and now (compactions included), what became
 * of each, and what each would leave in the main thread.
 */
import { fitPrompt, promptPoints } from '../core/calibration.ts'
import { economize } from '../core/economy.ts'
import type { SpillwayError } from '../core/errors.ts'
import { chooseAll, type EconomyContext, type Policy } from '../core/policy.ts'
import { DEFAULT_TASKS, type TasksOptions as FoldOptions } from '../core/rules/tasks.ts'
import { digestOf, type Task, type TaskState, tasksOf } from '../core/tasks/index.ts'
import { type Transcript, viewTokens } from '../core/transcript.ts'
import { childThreads } from './children.ts'
import { limitOf } from './policy.ts'
import { readSession } from './read.ts'
import { openSource } from './source.ts'
import { type Summarize, type SummaryOutcome, summariesFor } from './task-summaries.ts'
import { tokenScale } from './token-scale.ts'

/** Every finished task as it folds in the end, whatever its age. */
const AT_ONCE: FoldOptions = { ...DEFAULT_TASKS, afterTurns: 0 }

export interface TasksOptions {
  /** Writes records in place of the digest, where it can. */
  readonly summarize?: Summarize
  /** Hears of a worker's transcript that cannot be read; it counts as not at hand. */
  readonly onProblem?: (problem: SpillwayError) => void
  readonly onBytes?: (bytes: number) => void
}

/** The JSON contract of one task. Times are ISO 8601; what is not recorded is null. */
export interface ReportedTask {
  readonly id: string
  readonly name: string
  readonly state: TaskState
  readonly spawnedAt: string | null
  readonly completedAt: string | null
  readonly durationMs: number | null
  /** In the main thread, calibrated to the session's recorded usage; `record` is null where the task does not fold. */
  readonly tokens: { readonly before: number; readonly record: number | null }
  /** Added or changed by it. */
  readonly files: readonly string[]
  /** The text it folds into; null where it does not. */
  readonly record: string | null
}

/** The JSON contract of `tasks`. */
export interface TasksReport {
  readonly file: string
  readonly tasks: readonly ReportedTask[]
  /** Tokens of what would be sent now, and of the same with every finished task folded. */
  readonly mainThread: { readonly before: number; readonly after: number }
  /** Who wrote each record; only where a summariser was asked. */
  readonly summaries?: readonly SummaryOutcome[]
}

/** @throws SpillwayError for a session that cannot be read */
export async function sessionTasks(file: string, options: TasksOptions = {}): Promise<TasksReport> {
  const reading = await readSession(await openSource(file), {}, options.onBytes)
  const { session } = reading
  const tasks = { children: await childThreads(reading, options.onProblem) }
  const history = session.facts.compactions > 0 ? reading.history().main : session.main
  const context: EconomyContext = { now: 0, limit: limitOf(session), repair: false, tasks }
  const digested = folded(history, { ...AT_ONCE, keep: Number.POSITIVE_INFINITY }, context)
  const asked = options.summarize && (await summariesFor(history, digested, tasks, options.summarize))
  const written = asked ? { ...context, summaries: asked.records } : context
  const records = asked ? folded(history, { ...AT_ONCE, keep: Number.POSITIVE_INFINITY }, written) : digested
  const scale = tokenScale(fitPrompt(promptPoints(session.main)))
  const left = new Map(tasksOf(records).map((task) => [task.id, task]))
  return {
    file,
    tasks: tasksOf(history, tasks).map((task) => reported(task, left.get(task.id), scale)),
    mainThread: {
      before: scale(viewTokens(session.main)),
      after: scale(viewTokens(folded(session.main, AT_ONCE, written))),
    },
    ...(asked ? { summaries: asked.outcomes } : {}),
  }
}

function folded(transcript: Transcript, rule: FoldOptions, context: EconomyContext): Transcript {
  const policy: Policy = { name: 'tasks', rules: { tasks: rule }, newestTurns: 0, choose: chooseAll }
  return economize(transcript, policy, context).transcript
}

function reported(task: Task, left: Task | undefined, scale: (tokens: number) => number): ReportedTask {
  const { id, name, state, spawnedAt, completedAt, durationMs } = task
  const record = left?.record
  const { filesAdded, filesChanged } = digestOf(task)
  return {
    id,
    name,
    state,
    spawnedAt: timeOf(spawnedAt),
    completedAt: timeOf(completedAt),
    durationMs: durationMs ?? null,
    tokens: { before: scale(task.tokens.main), record: record === undefined ? null : scale(left?.tokens.main ?? 0) },
    files: [...filesAdded, ...filesChanged],
    record: record ?? null,
  }
}

/** A recording may hold times that no date can. */
function timeOf(milliseconds: number | undefined): string | null {
  const date = new Date(milliseconds ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
