/**
 * What the diet of tool schemas saves and what it costs: tokens of 45 tools, and whether the right one still ranks
 * first for each of the labelled requests when tools are found by the words of their descriptions.
 */
import type { JsonObject, JsonValue } from '../src/core/transcript.ts'
import { dietTools, measureTools } from '../src/planning/schemas/index.ts'
import { dietDescription } from '../src/planning/schemas/schema.ts'
import { sentencesOf } from '../src/planning/schemas/sentences.ts'
import { selectionOf } from '../test/support/selection/ranking.ts'
import { SELECTION_TOOLS, type SelectionTool } from '../test/support/selection/tools.ts'

/** What the diet would be without its exceptions: every description ends with its first sentence. */
function bareTools(tools: readonly SelectionTool[]): SelectionTool[] {
  return tools.map((tool) => firstSentences(tool as unknown as JsonObject) as unknown as SelectionTool)
}

function firstSentences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(firstSentences)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isText = key === 'description' && typeof inner === 'string'
      return [key, isText ? (sentencesOf(inner)[0] ?? '').trim() : firstSentences(inner)]
    }),
  )
}

/** The diet if it also cut what a tool says of itself. */
function withOwnWordsCut(slim: readonly SelectionTool[]): SelectionTool[] {
  return slim.map((tool) => ({ ...tool, description: dietDescription(tool.description) }))
}

export async function benchSchemas(): Promise<void> {
  const slim = dietTools(SELECTION_TOOLS)
  const variants: readonly (readonly [string, readonly SelectionTool[]])[] = [
    ['as they are', SELECTION_TOOLS],
    ['on diet', slim],
    ['and their own descriptions too', withOwnWordsCut(slim)],
    ['first sentences only', bareTools(slim)],
  ]
  const full = measureTools(SELECTION_TOOLS).total
  console.log('tools                               tokens    saved   right first   in five   mean 1/rank')
  for (const [name, tools] of variants) {
    const { requests, first, firstFive, reciprocalRank } = selectionOf(tools)
    const { total } = measureTools(tools)
    const columns = [
      String(total).padStart(8),
      percent(1 - total / full).padStart(9),
      `${first}/${requests}`.padStart(14),
      percent(firstFive / requests).padStart(10),
      reciprocalRank.toFixed(3).padStart(14),
    ]
    console.log(`${name.padEnd(34)}${columns.join('')}`)
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
