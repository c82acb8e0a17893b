/** What tool schemas cost on every request, and the diet for them; pure. */
export { dietTools } from './diet.ts'
export { measureTools, type ServerTokens, type ToolMeasure, type ToolTokens } from './measure.ts'
