/** Retrieval of tools by words, as tool search does it: BM25 over name, description, arguments and their descriptions. */
import type { JsonObject, JsonValue } from '../../../src/core/transcript.ts'
import { SELECTION_REQUESTS } from './requests.ts'
import { SELECTION_TOOLS, type SelectionTool } from './tools.ts'

/** The usual constants of BM25. */
const K1 = 1.2
const B = 0.75

export interface Selection {
  readonly requests: number
  /** Requests for which the right tool ranks first, and among the first five. */
  readonly first: number
  readonly firstFive: number
  /** Mean of 1/rank. */
  readonly reciprocalRank: number
}

/** Ranks all tools for every labelled request; ties count against the right tool. */
export function selectionOf(tools: readonly SelectionTool[]): Selection {
  const score = bm25(tools.map(documentOf))
  const ranks = labelled().map(({ request, tool }) => {
    const scores = score(wordsIn(request))
    const right = scores[tools.findIndex(({ name }) => name === tool)] ?? 0
    return scores.filter((each) => each >= right).length
  })
  return {
    requests: ranks.length,
    first: ranks.filter((rank) => rank === 1).length,
    firstFive: ranks.filter((rank) => rank <= 5).length,
    reciprocalRank: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
  }
}

export function labelled(): { request: string; tool: string }[] {
  return SELECTION_TOOLS.flatMap(({ name }) => {
    return (SELECTION_REQUESTS[name] ?? []).map((request) => ({ request, tool: name }))
  })
}

function documentOf({ name, description, input_schema: schema }: SelectionTool): string[] {
  return wordsIn([name, description, ...wordsOfSchema(schema)].join(' '))
}

/** Names of arguments, and what is said about them; keywords of the schema are no words. */
function wordsOfSchema(schema: JsonValue | undefined): string[] {
  const { description, title, properties, items, enum: values, examples } = (schema ?? {}) as JsonObject
  const own = [description, title, ...[values, examples].flatMap((each) => (Array.isArray(each) ? each : []))]
  const named = Object.entries((properties ?? {}) as JsonObject).flatMap(([name, inner]) => [
    name,
    ...wordsOfSchema(inner),
  ])
  return [
    ...own.filter((word) => typeof word === 'string'),
    ...named,
    ...(items === undefined ? [] : wordsOfSchema(items)),
  ]
}

/** Lower case, without the endings that differ between asking and describing. */
function wordsIn(text: string): string[] {
  const words = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (words.match(/\p{L}+|\p{N}+/gu) ?? []).map((word) => {
    return word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/, '') : word.replace(/s$/, '')
  })
}

function bm25(documents: readonly (readonly string[])[]): (query: readonly string[]) => number[] {
  const counts = documents.map((words) => {
    const count = new Map<string, number>()
    for (const word of words) count.set(word, (count.get(word) ?? 0) + 1)
    return count
  })
  const mean = documents.reduce((sum, words) => sum + words.length, 0) / documents.length
  const rarity = (word: string): number => {
    const holders = counts.filter((count) => count.has(word)).length
    return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5))
  }
  return (query) => {
    const weights = [...new Set(query)].map((word) => [word, rarity(word)] as const)
    return counts.map((count, index) => {
      const length = (documents[index]?.length ?? 0) / mean
      return weights.reduce((sum, [word, weight]) => {
        const found = count.get(word) ?? 0
        return sum + (weight * found * (K1 + 1)) / (found + K1 * (1 - B + B * length))
      }, 0)
    })
  }
}
