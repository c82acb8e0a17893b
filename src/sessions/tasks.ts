/**
 * `tasks`: the delegated tasks of a session, whatever stands between them and now (compactions included), what became
 * of each, and what each would leave in the main thread.
 */
import type { SpillwayError } from '../core/errors.ts'
import { type Task, type TaskState, tasksOf } from '../core/tasks/index.ts'
import { viewTokens } from '../core/transcript.ts'
import { childThreads } from './children.ts'
import { readSession } from './read.ts'
import { openSource } from './source.ts'
import type { Summarize, SummaryOutcome } from './task-summaries.ts'

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
  const children = await childThreads(reading, options.onProblem)
  const { session } = reading
  const history = session.facts.compactions > 0 ? reading.history().main : session.main
  const tasks = tasksOf(history, { children })
  return {
    file,
    tasks: tasks.map(reported),
    mainThread: { before: viewTokens(session.main), after: viewTokens(session.main) },
  }
}

function reported(task: Task): ReportedTask {
  const { id, name, state, spawnedAt, completedAt, durationMs } = task
  return {
    id,
    name,
    state,
    spawnedAt: timeOf(spawnedAt),
    completedAt: timeOf(completedAt),
    durationMs: durationMs ?? null,
    tokens: { before: task.tokens.main, record: null },
    files: [],
    record: task.record ?? null,
  }
}

/** A recording may hold times that no date can. */
function timeOf(milliseconds: number | undefined): string | null {
  const date = new Date(milliseconds ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
