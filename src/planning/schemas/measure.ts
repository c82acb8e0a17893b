/** What tools cost on every request (seed C3): estimated tokens of each, with and without the diet, and by server. */
import { estimateTokens } from '../../core/tokens.ts'
import { dietTools } from './diet.ts'
import { fieldsOf, readTool, serverOf } from './tools.ts'

export interface ToolTokens {
  readonly name: string
  readonly tokens: number
  readonly dietTokens: number
}

export interface ServerTokens extends ToolTokens {
  /** How many tools it has. */
  readonly tools: number
}

export interface ToolMeasure {
  readonly tools: readonly ToolTokens[]
  /** MCP servers, told by the names of their tools (`mcp__<server>__<tool>`). */
  readonly servers: readonly ServerTokens[]
  readonly total: number
  readonly dietTotal: number
}

/** Measures tools of any shape, an array or an object by name; what is no tool does not count. */
export function measureTools(tools: unknown): ToolMeasure {
  const named = fieldsOf(tools)
  const list = Array.isArray(tools) ? tools.map((tool) => [undefined, tool] as const) : Object.entries(named ?? {})
  const measured = list.flatMap(([name, tool]): ToolTokens[] => {
    const read = readTool(tool, name)
    if (!read) return []
    const [slim] = name === undefined ? dietTools([tool]) : Object.values(dietTools({ [name]: tool }))
    return [{ name: read.name, tokens: tokensOf(tool, name), dietTokens: tokensOf(slim, name) }]
  })
  const servers = new Map<string, ServerTokens>()
  for (const each of measured) {
    const server = serverOf(each.name)
    if (server !== undefined) servers.set(server, added(servers.get(server) ?? { ...NONE, name: server }, each))
  }
  const sum = measured.reduce(added, { ...NONE, name: '' })
  return { tools: measured, servers: [...servers.values()], total: sum.tokens, dietTotal: sum.dietTokens }
}

const NONE = { tools: 0, tokens: 0, dietTokens: 0 }

function added(sum: ServerTokens, { tokens, dietTokens }: ToolTokens): ServerTokens {
  return { ...sum, tools: sum.tools + 1, tokens: sum.tokens + tokens, dietTokens: sum.dietTokens + dietTokens }
}

function tokensOf(tool: unknown, named: string | undefined): number {
  return estimateTokens(JSON.stringify(readTool(tool, named)?.told ?? {}))
}
