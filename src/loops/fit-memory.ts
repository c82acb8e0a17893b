/**
 * What the call before has seen, by the identity of the messages: a longer conversation with the same beginning costs
 * what is new in it. Only a cache of `epochOf`: without it the result is the same.
 */
import { type Block, type JsonValue, type Message, type Transcript, turnsOf } from '../core/transcript.ts'
import {
  type BudgetChoice,
  blockSize,
  type Floor,
  messageSize,
  pinnedSize,
  transcriptSize,
} from '../planning/budget/index.ts'
import type { FitState } from './fit-state.ts'
import type { Shaped } from './request.ts'

export interface Memory {
  readonly shape: string
  readonly model: string | undefined
  /** What stands beside the messages, and its size. */
  readonly tools: unknown
  readonly system: unknown
  readonly floor: Floor
  /** What the caller gave, and what it got. */
  readonly input: readonly unknown[]
  readonly output: readonly unknown[]
  /** Uncalibrated size of what it got, and of what of it never leaves. */
  readonly size: number
  readonly pinned: number
  readonly choice: BudgetChoice
  readonly callIds: ReadonlySet<string>
  readonly media: number
  readonly turnsSoFar: number
  /** Messages of the output before the first answer. */
  readonly opening: number
  /** Size of the newest message when it was read: callers let it grow. */
  readonly newestSize: number
}

/** What the memory needs of a transcript that was read whole. */
export function seenIn(view: Transcript): Pick<Memory, 'size' | 'pinned' | 'callIds' | 'media'> {
  const pins = pinnedSize(view)
  const callIds = new Set<string>()
  let media = 0
  for (const block of view.messages.flatMap(({ blocks }) => blocks)) {
    if (block.type === 'call') callIds.add(block.id)
    media += mediaIn(block)
  }
  return { size: transcriptSize(view), pinned: pins.system + pins.user, callIds, media }
}

function mediaIn(block: Block): number {
  if (block.type === 'result') return block.parts.filter(({ type }) => type === 'image' || type === 'document').length
  return block.type === 'image' || block.type === 'document' ? 1 : 0
}

const memories = new WeakMap<FitState, Memory>()

export function remembered(state: FitState): Memory | undefined {
  return memories.get(state)
}

export function remember(state: FitState, memory: Memory): void {
  memories.set(state, memory)
}

/** What was added behind what is known; undefined when the beginning is another. */
export function addedTo(memory: Memory, messages: readonly unknown[]): readonly unknown[] | undefined {
  for (const known of [memory.input, memory.output]) {
    if (messages.length < known.length) continue
    if (known.every((item, index) => messages[index] === item)) return messages.slice(known.length)
  }
  return undefined
}

/** More pictures may break a limit of the whole request. */
const FEW_MEDIA = 20

/**
 * The memory with these messages behind it, undefined where the whole must be looked at: a rule is broken, an id
 * repeats, the new results are many, the newest known message has changed.
 */
export function grown(
  memory: Memory,
  messages: readonly unknown[],
  added: readonly unknown[],
  shaped: Shaped,
): Memory | undefined {
  const newest = newestSizeOf(memory.output, shaped)
  if (newest !== memory.newestSize) return undefined
  const { transcript } = shaped.format.read(shaped.holding(added))
  const seen = seenIn(transcript)
  for (const id of seen.callIds) if (memory.callIds.has(id)) return undefined
  const media = memory.media + seen.media
  if (resultSize(transcript) > memory.choice.batchCap || media > FEW_MEDIA) return undefined
  const output = [...memory.output, ...added]
  if (!isLegalEnd(output, added.length, shaped)) return undefined
  return {
    ...memory,
    input: [...messages],
    output,
    media,
    size: memory.size + seen.size,
    pinned: memory.pinned + seen.pinned,
    callIds: new Set([...memory.callIds, ...seen.callIds]),
    newestSize: newestSizeOf(output, shaped),
  }
}

function resultSize(transcript: Transcript): number {
  const results = transcript.messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'result'))
  return results.reduce((sum, result) => sum + blockSize(result), 0)
}

export function newestSizeOf(items: readonly unknown[], shaped: Shaped): number {
  const [item] = items.slice(-1)
  if (item === undefined) return 0
  return shaped.format
    .read(shaped.holding([item]))
    .transcript.messages.reduce((sum, message) => sum + messageSize(message), 0)
}

/** Turn rules reach no further than the turn before: the newest turns are checked alone, behind a word of the user. */
function isLegalEnd(items: readonly unknown[], added: number, shaped: Shaped): boolean {
  if (shaped.format.name === 'ai-sdk-ui') return isLegal([...opening(shaped), ...items.slice(-added - 1)], shaped)
  for (let reach = added + FIRST_REACH; ; reach *= 2) {
    const end = items.slice(-reach)
    const { transcript } = shaped.format.read(shaped.holding(end))
    const turn = turnsOf(transcript).findLast(
      ({ start }) => start > 0 && placeOf(transcript.messages[start]) < end.length - added,
    )
    const isWhole = reach >= items.length
    if (!turn && !isWhole) continue
    const from = turn ? placeOf(transcript.messages[turn.start]) : 0
    return isLegal(turn ? [...opening(shaped), ...end.slice(from)] : end, shaped)
  }
}

function isLegal(items: readonly unknown[], shaped: Shaped): boolean {
  return shaped.format.check(shaped.holding(items), 'request').every(({ severity }) => severity !== 'reject')
}

const FIRST_REACH = 16

function placeOf(message: Message | undefined): number {
  return message?.entries[0] ?? 0
}

function opening({ format }: Shaped): JsonValue[] {
  if (format.name === 'ai-sdk-ui') return [{ id: 'opening', role: 'user', parts: [{ type: 'text', text: '…' }] }]
  return [{ role: 'user', content: '…' }]
}
