export { replayPage } from './replay-page.ts'
export { analyzePage, type CostComparison, compactPage } from './session-pages.ts'
