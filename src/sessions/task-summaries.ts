/** Which finished tasks a summariser is asked about, and what it gives back (seed O5). Whoever has a model brings one. */
import type { TaskRecord } from '../core/tasks/index.ts'

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
