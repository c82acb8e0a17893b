export { replayPage } from './replay-page.ts'
export { analyzePage, type CostComparison, compactPage } from './session-pages.ts'
export { tasksPage } from './tasks-page.ts'
