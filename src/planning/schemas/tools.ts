/**
 * Tools as each API takes them, read and rewritten by their structure alone (seeds C3, C4):
 *
 * - Anthropic: `{name, description, input_schema}`
 * - OpenAI: Chat `{type: "function", function: {name, description, parameters}}`, Responses without the inner object
 * - MCP: `{name, description, inputSchema}`; the AI SDK gives them to a model in the same way
 * - AI SDK: `{<name>: {description, inputSchema: {jsonSchema}}}`
 */
import type { JsonObject } from '../../core/transcript.ts'

export type Fields = Readonly<Record<string, unknown>>

/** One tool, whatever its shape. */
export interface ReadTool {
  readonly name: string
  /** Undefined for a tool that the provider runs itself, and where the schema is code (zod). */
  readonly schema: JsonObject | undefined
  /** What of it goes to the model. */
  readonly told: Fields
  /** The same tool in the same shape with this schema. */
  with(schema: JsonObject): Fields
}

const SCHEMA_KEYS = ['input_schema', 'inputSchema', 'parameters'] as const

/**
 * Reads a tool of any shape; undefined for what is none.
 * @param named the key it stands under, where tools are an object
 */
export function readTool(tool: unknown, named?: string): ReadTool | undefined {
  const fields = fieldsOf(tool)
  if (!fields) return undefined
  const inner = fieldsOf(fields.function)
  if (inner) {
    const read = readTool(inner, named)
    const outer = { ...read?.told, type: fields.type }
    return read && { ...read, told: outer, with: (slim) => ({ ...fields, function: read.with(slim) }) }
  }
  const name = textOf(fields.name) ?? named ?? textOf(fields.type)
  if (name === undefined) return undefined
  const key = SCHEMA_KEYS.find((each) => fieldsOf(fields[each]))
  const given = key === undefined ? undefined : fieldsOf(fields[key])
  const wrapped = given && readyOf(given.jsonSchema)
  const schema = (wrapped ?? (isCode(given) ? undefined : given)) as JsonObject | undefined
  // MCP's `title`, `annotations` and `outputSchema` and the AI SDK's functions are for the client.
  const isForClient = key === 'inputSchema' || named !== undefined
  return {
    name,
    schema,
    told: isForClient
      ? { name, description: fields.description, inputSchema: schema }
      : { ...fields, cache_control: undefined },
    with: (slim) =>
      key === undefined ? fields : { ...fields, [key]: wrapped ? { ...given, jsonSchema: slim } : slim },
  }
}

/** A JSON schema that is there, and not still to come. */
function readyOf(schema: unknown): Fields | undefined {
  const fields = fieldsOf(schema)
  return fields && !('then' in fields) ? fields : undefined
}

/** A schema library's object (zod and its kin), or a JSON schema that is still to be made. */
function isCode(schema: Fields | undefined): boolean {
  return schema !== undefined && ('~standard' in schema || 'jsonSchema' in schema)
}

const MCP_NAME = /^mcp__(.+?)__./

/** The MCP server that a tool's name says it came from, as Claude Code and its kin name them. */
export function serverOf(name: string): string | undefined {
  return MCP_NAME.exec(name)?.[1]
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
