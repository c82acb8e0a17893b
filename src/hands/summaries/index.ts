export { type SummariesOptions, summarizeTasks } from './summarize.ts'
