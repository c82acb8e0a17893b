import type { Edit } from '../edits.ts'
import type { TaskRecord } from '../tasks/record.ts'
import type { TaskOptions } from '../tasks/task.ts'
import type { Transcript } from '../transcript.ts'

/** What a rule may know besides the transcript and its options. */
export interface RuleContext {
  /** Also answer calls at the very end: the result will be resumed, so nobody else can answer them. */
  readonly answerLast: boolean
  /** How tasks are found: spawn tools by name, workers' threads at hand. */
  readonly tasks?: TaskOptions
  /** Records of finished tasks that a model has written, by task id. */
  readonly summaries?: ReadonlyMap<string, TaskRecord>
  /** What rules before this one have decided in the same pass. */
  readonly before?: readonly Edit[]
}

/** A pure function that proposes edits (DESIGN section 2); it writes nothing and decides nothing. */
export type Rule<Options> = (transcript: Transcript, options: Options, context: RuleContext) => Edit[]

/** Every window rule takes these; counts are results. */
export interface WindowOptions {
  /** A result leaves once this many newer results of any tool exist in its thread. */
  readonly keep: number
  /** A read leaves once this many newer results exist. */
  readonly keepReads: number
  /** Bodies of fewer characters stay. */
  readonly minChars: number
}
