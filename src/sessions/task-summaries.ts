/** Which finished tasks a summariser is asked about, and what it gives back (seed O5). Whoever has a model brings one. */
import { digestOf, type TaskOptions, type TaskRecord, tasksOf } from '../core/tasks/index.ts'
import type { Transcript } from '../core/transcript.ts'

/** A finished task with what its record would be without a model. */
export interface DigestedTask {
  readonly id: string
  readonly brief: string
  /** What the worker said: untrusted. */
  readonly report: string
  readonly digest: TaskRecord
}

/** Who wrote a task's record; `reason` tells why it is the digest. */
export interface SummaryOutcome {
  readonly id: string
  readonly by: 'model' | 'digest'
  readonly reason?: string
}

export interface Summaries {
  /** By task id; tasks whose digest stands are not in it. */
  readonly records: ReadonlyMap<string, TaskRecord>
  /** One a task, in order. */
  readonly outcomes: readonly SummaryOutcome[]
}

export type Summarize = (tasks: readonly DigestedTask[]) => Promise<Summaries>

/** Asks for the records of the tasks that stand whole in `before` and as a digest in `after`. */
export async function summariesFor(
  before: Transcript,
  after: Transcript,
  options: TaskOptions,
  summarize: Summarize,
): Promise<Summaries> {
  const folded = new Set(tasksOf(after).flatMap(({ id, record }) => (record === undefined ? [] : [id])))
  const fresh = tasksOf(before, options).filter(({ id, record }) => record === undefined && folded.has(id))
  return summarize(
    fresh.map((task) => {
      const { id, brief, report = task.error ?? '' } = task
      return { id, brief, report, digest: digestOf(task) }
    }),
  )
}
