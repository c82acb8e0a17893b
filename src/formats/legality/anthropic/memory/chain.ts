/** One walk over a request with a running digest: what stands before each block, and which thinking is where. */
import { type Fields, fieldsOf, textOf } from '../../../fields.ts'
import { arrayOf, contentOf, type Placed } from '../../places.ts'
import { isThinking, type MessagesReading, type Turn } from '../reading.ts'
import { chained, comparable, digestOf } from './digest.ts'
import type { CompactionOrigin, PrefixMemory } from './prefix-memory.ts'

export interface PlacedThinking {
  readonly block: Placed
  readonly key: string
  readonly prefix: string
  readonly count: number
  readonly previous: string | null
  readonly fallbacks: number
  readonly turn: Turn
}

/** The compaction block that a conversation may begin with. */
export interface Opening {
  readonly block: Placed
  readonly key: string
  readonly origin: CompactionOrigin | undefined
  /** System and tools are those it was made with, so the walk went on behind what it covers. */
  readonly continued: boolean
  /** Role of the first message that was kept behind it. */
  readonly keptRole: string | undefined
}

export interface Chain {
  readonly floor: string
  readonly end: string
  readonly thinking: readonly PlacedThinking[]
  /** The prefix up to and including each block, in order. */
  readonly stages: readonly string[]
  /** Indexes in `stages` of cache breakpoints. */
  readonly breakpoints: readonly number[]
  readonly opening: Opening | undefined
}

/** Claude Code's first system block counts its requests; the API does not take it for a part of the prompt. */
const BILLING = 'x-anthropic-billing-header:'

export function thinkingKey({ type, fields }: Placed): string {
  return digestOf(type === 'thinking' ? fields.signature : fields.data)
}

export function walk(reading: MessagesReading, memory: PrefixMemory): Chain {
  const deferred = new Map<unknown, Fields>()
  let running = ''
  for (const { fields } of reading.tools) {
    if (fields.defer_loading === true) deferred.set(fields.name, fields)
    else running = chained(running, 'tool', comparable(fields))
  }
  for (const { fields } of reading.system) {
    if (!textOf(fields.text)?.startsWith(BILLING)) running = chained(running, 'system', comparable(fields))
  }
  const floor = running
  const thinking: PlacedThinking[] = []
  const stages: string[] = []
  const breakpoints: number[] = []
  const opening = openingOf(reading, memory, floor)
  if (opening?.continued && opening.origin?.covers) running = opening.origin.covers
  let previous: string | null = null
  let fallbacks = 0
  let turns = 0
  let turn: Turn | undefined
  for (const message of reading.messages) {
    if (reading.turns[turns]?.messages[0] === message) {
      turn = reading.turns[turns]
      turns++
      fallbacks = 0
    }
    for (const block of message.blocks) {
      if (isThinking(block) && turn !== undefined) {
        const key = thinkingKey(block)
        thinking.push({ block, key, prefix: running, count: thinking.length, previous, fallbacks, turn })
        previous = key
      } else if (block.type === 'fallback') fallbacks++
      else if (block !== opening?.block || !opening.continued) {
        for (const name of referencedTools(block)) {
          const tool = deferred.get(name)
          if (tool) running = chained(running, 'tool', comparable(tool))
          deferred.delete(name)
        }
        running = chained(running, message.role, comparable(block.fields))
      }
      if (fieldsOf(block.fields.cache_control)) breakpoints.push(stages.length)
      stages.push(running)
    }
  }
  if (fieldsOf(reading.request.cache_control) && stages.length > 0) breakpoints.push(stages.length - 1)
  return { floor, end: running, thinking, stages, breakpoints, opening }
}

function openingOf(reading: MessagesReading, memory: PrefixMemory, floor: string): Opening | undefined {
  const block = reading.messages[0]?.blocks[0]
  if (block?.type !== 'compaction' || typeof block.fields.signature !== 'string') return undefined
  const key = digestOf(block.fields.signature)
  const origin = memory.compactions[key]
  const keptRole = reading.messages[(reading.messages[0]?.blocks.length ?? 0) > 1 ? 0 : 1]?.role
  return { block, key, origin, keptRole, continued: origin?.covers !== null && origin?.floor === floor }
}

/** A tool that is loaded late belongs to the prompt from its first mention on; before that it may come and go (A35). */
function referencedTools({ type, fields, at }: Placed): unknown[] {
  if (type === 'tool_use') return [fields.name]
  if (type === 'tool_addition') return [fieldsOf(fields.tool)?.name]
  if (type === 'tool_result') return contentOf(fields.content, at).map((part) => part.fields.tool_name)
  if (type !== 'tool_search_tool_result') return []
  return arrayOf(fieldsOf(fields.content)?.tool_references).map((reference) => fieldsOf(reference)?.tool_name)
}
