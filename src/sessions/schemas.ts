/** `schemas`: what is re-sent on every request whatever the history, and what a diet would save (seeds C3, C4). */
import { SpillwayError } from '../core/errors.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { JsonValue } from '../core/transcript.ts'
import { arrayFormatOf } from '../formats/array-formats.ts'
import { type Fields, fieldsOf } from '../formats/fields.ts'
import { dietTools, measureTools, type ServerTokens, type ToolTokens } from '../planning/schemas/index.ts'
import { lineOfError, refuseDeep, textIn, wholeOf } from './request-file.ts'
import { openSource } from './source.ts'

/** The JSON contract of `schemas`; estimated tokens throughout. */
export interface SchemasReport {
  readonly file: string
  readonly tools: readonly ToolTokens[]
  readonly servers: readonly ServerTokens[]
  /** All tools, as they are and on diet. */
  readonly total: number
  readonly dietTotal: number
  /** The system prompt of a recorded request; 0 where the file holds none. */
  readonly system: number
  /** System prompt and tools. */
  readonly floor: number
}

/**
 * Measures a file of tools (an array, or an object by name), an MCP `tools/list` result, or a request of any shape.
 * @returns the report, and the tools on diet in the shape they came in
 * @throws SpillwayError `not-found`, `unreadable`
 */
export async function schemasIn(file: string): Promise<{ report: SchemasReport; diet: unknown }> {
  const source = await openSource(file)
  const text = textIn(await wholeOf(source), source)
  const value = parsed(text, file)
  refuseDeep(text, source)
  const tools = toolsIn(value, file)
  const measure = measureTools(tools)
  if (measure.tools.length < sizeOf(tools)) throw noTool(file, tools)
  const system = systemTokens(value)
  return { report: { file, ...measure, system, floor: system + measure.total }, diet: dietTools(tools) }
}

function parsed(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (cause) {
    const line = lineOfError(text, cause)
    throw new SpillwayError('unreadable', `${file}${line === undefined ? '' : `:${line}`}: no JSON`, { cause })
  }
}

const EXPECTED = 'expected an array of tools, an MCP tools/list result, or a request with "tools"'

function toolsIn(value: JsonValue, file: string): unknown {
  if (Array.isArray(value)) return value
  const fields = fieldsOf(value)
  const tools = fields?.tools ?? fieldsOf(fields?.result)?.tools
  if (typeof tools === 'object' && tools !== null) return tools
  if (tools == null && arrayFormatOf(value) !== undefined) return []
  if (fields && isToolSet(fields)) return fields
  throw new SpillwayError('unreadable', `${file}: holds no tools; ${EXPECTED}`)
}

/** Tools by name, as the AI SDK has them. */
function isToolSet(fields: Fields): boolean {
  const tools = Object.values(fields).map(fieldsOf)
  return tools.length > 0 && tools.every((tool) => tool?.inputSchema !== undefined || tool?.parameters !== undefined)
}

function sizeOf(tools: unknown): number {
  return Object.keys(fieldsOf(tools) ?? (tools as object)).length
}

function noTool(file: string, tools: unknown): SpillwayError {
  const isList = Array.isArray(tools)
  const [name] =
    Object.entries(tools as object).find(
      ([key, tool]) => measureTools(isList ? [tool] : { [key]: tool }).tools.length === 0,
    ) ?? []
  return new SpillwayError('unreadable', `${file}: tool ${name} has no name; ${EXPECTED}`)
}

/** What stands beside the messages, and the system messages that open them. */
function systemTokens(value: JsonValue): number {
  const reading = arrayFormatOf(value)?.read(value)
  if (!reading) return 0
  const beside = reading.system.reduce((sum, text) => sum + estimateTokens(text), 0)
  const { messages } = reading.transcript
  const first = messages.findIndex(({ role }) => role !== 'system')
  const opening = messages.slice(0, first < 0 ? messages.length : first).flatMap(({ blocks }) => blocks)
  return opening.reduce((sum, block) => sum + block.tokens, beside)
}
