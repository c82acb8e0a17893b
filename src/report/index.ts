export { replayPage } from './replay-page.ts'
export { analyzePage, compactPage } from './session-pages.ts'
