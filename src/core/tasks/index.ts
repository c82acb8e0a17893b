/** The lifecycle scan (seed O3) and what a finished task folds into (seed O4). */
export type { TaskRecord } from './record.ts'
export { tasksOf } from './scan.ts'
export type { ChildThread, Completion, Task, TaskOptions, TaskState } from './task.ts'
export { isAnnouncement } from './wording.ts'
