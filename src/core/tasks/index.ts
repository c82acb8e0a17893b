/** The lifecycle scan (seed O3) and what a finished task folds into (seed O4). */
export { boundAnnouncements, boundCalls, keptCalls } from './bound.ts'
export { digestOf } from './digest.ts'
export { recordOf } from './fold.ts'
export { RECORD_TOKENS, recordFault, renderRecord, type TaskRecord } from './record.ts'
export { tasksOf } from './scan.ts'
export type { ChildThread, Completion, Task, TaskOptions, TaskState } from './task.ts'
export { isAnnouncement } from './wording.ts'
