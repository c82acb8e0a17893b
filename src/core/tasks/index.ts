/** The lifecycle scan (seed O3) and what a finished task folds into (seed O4). */
export { boundAnnouncements, boundCalls, keptCalls } from './bound.ts'
export { type BriefLint, lintBrief, rulesIn } from './brief.ts'
export { digestOf } from './digest.ts'
export { RECORD_TOKENS, recordFault, renderRecord, type TaskRecord } from './record.ts'
export { tasksOf } from './scan.ts'
export type { ChildThread, Task, TaskOptions, TaskState } from './task.ts'
export { isAnnouncement } from './wording.ts'
