/** The diet of tools in any shape (seed C4). Off unless somebody asks: docs/schemas.md says what it saves and costs. */
import type { JsonObject } from '../../core/transcript.ts'
import { dietSchema } from './schema.ts'
import { fieldsOf, readTool } from './tools.ts'

/**
 * The same tools in the same shape, an array or an object by name, with fewer words: annotations leave the schemas,
 * descriptions of arguments keep their first sentence and those that state a constraint. What a tool says of itself
 * stays whole, since it says when the tool is to be used. A tool that nothing leaves is the same object; none is
 * modified. What is no tool stays.
 */
export function dietTools<Tools>(tools: Tools): Tools {
  if (Array.isArray(tools)) return tools.map((tool) => dietTool(tool)) as Tools
  const named = fieldsOf(tools)
  if (!named) return tools
  return Object.fromEntries(Object.entries(named).map(([name, tool]) => [name, dietTool(tool, name)])) as Tools
}

function dietTool(tool: unknown, named?: string): unknown {
  const read = readTool(tool, named)
  if (read?.schema === undefined) return tool
  const slim = dietSchema(read.schema) as JsonObject
  return slim === read.schema ? tool : read.with(slim)
}
