/** UIMessage arrays: a call and its result are one part, so pairs and their order cannot break. */
import { createHash } from 'node:crypto'
import { apply } from '../../core/apply.ts'
import type { Block, JsonObject, JsonValue, Message, ResultBlock } from '../../core/transcript.ts'
import {
  type ArrayFormat,
  type ArrayReading,
  arrayTranscript,
  checkArray,
  emptyRepairs,
  itemsOf,
  withItems,
} from '../array-format.ts'
import { fieldsOf, textOf } from '../fields.ts'
import { readUi } from './ui-reading.ts'

const NAME = 'ai-sdk-ui'
const KEY = 'messages'

function fits(item: unknown): boolean {
  const message = fieldsOf(item)
  return typeof message?.role === 'string' && Array.isArray(message.parts)
}

function read(value: JsonValue): ArrayReading {
  const items = itemsOf(value, KEY)
  if (!items) throw new TypeError(`${NAME}: expected an array of UIMessages, or an object with one under "${KEY}"`)
  const { messages, items: places } = readUi(items)
  const transcript = arrayTranscript(NAME, value, messages, places)
  return { transcript, system: [], native: { value, transcript } }
}

/** What the edits leave of one item: its blocks by part, and what comes behind it. */
interface Fate {
  /** Blocks of the item's own entries that are left, by part: first the one in the answer, then the result. */
  readonly kept: Map<number, Block[]>
  readonly answers: Map<number, ResultBlock>
  readonly behind: Message[]
  entries: number
}

function write(value: JsonValue, before: readonly Message[], after: readonly Message[]): JsonValue {
  const items = itemsOf(value, KEY) ?? []
  const { items: places } = readUi(items)
  const fates = items.map((): Fate => ({ kept: new Map(), answers: new Map(), behind: [], entries: 0 }))
  const calls = new Map<string, { item: number; part: number }>()
  let last = 0
  for (const message of after) {
    const [entry = -1] = message.entries
    if (entry < 0) {
      takeInserted(message, fates, calls, last)
      continue
    }
    last = places[entry] ?? last
    const fate = fates[last]
    if (!fate) continue
    fate.entries++
    for (const block of message.blocks) {
      const part = block.at.block ?? 0
      fate.kept.set(part, [...(fate.kept.get(part) ?? []), block])
      if (block.type === 'call') calls.set(block.id, { item: last, part })
    }
  }
  const recorded = recordedBlocks(before, places, items.length)
  return withItems(
    value,
    KEY,
    items.flatMap((item, index) => itemsAfter(item, recorded[index] ?? new Map(), fates[index])),
  )
}

function takeInserted(
  message: Message,
  fates: readonly Fate[],
  calls: ReadonlyMap<string, { item: number; part: number }>,
  last: number,
): void {
  const [block] = message.blocks
  if (block?.type === 'text') fates[last]?.behind.push(message)
  if (block?.type !== 'result') return
  const call = calls.get(block.callId)
  if (call) fates[call.item]?.answers.set(call.part, block)
}

function recordedBlocks(
  messages: readonly Message[],
  places: readonly number[],
  count: number,
): Map<number, Block[]>[] {
  const recorded = Array.from({ length: count }, () => new Map<number, Block[]>())
  for (const block of messages.flatMap((message) => message.blocks)) {
    const blocks = recorded[places[block.at.entry] ?? 0]
    const part = block.at.block ?? 0
    blocks?.set(part, [...(blocks.get(part) ?? []), block])
  }
  return recorded
}

function itemsAfter(
  item: JsonValue,
  recorded: ReadonlyMap<number, readonly Block[]>,
  fate: Fate | undefined,
): JsonValue[] {
  if (!fate) return [item]
  const behind = fate.behind.map((message) => insertedMessage(message, item))
  const isGone = recorded.size > 0 ? fate.kept.size === 0 : fate.entries === 0
  if (isGone) return behind
  const message = (fieldsOf(item) ?? {}) as JsonObject
  const parts: readonly JsonValue[] = Array.isArray(message.parts) ? message.parts : []
  const left = parts.flatMap((part, index) =>
    partAfter(part, recorded.get(index), fate.kept.get(index), fate.answers.get(index)),
  )
  const isSame = left.length === parts.length && left.every((part, index) => part === parts[index])
  return [isSame ? item : { ...message, parts: left }, ...behind]
}

function partAfter(
  value: JsonValue,
  before: readonly Block[] | undefined,
  after: readonly Block[] | undefined,
  answer: ResultBlock | undefined,
): JsonValue[] {
  if (before === undefined) return [value]
  const [first] = after ?? []
  if (first === undefined || first.type === 'result') return []
  let part = value as JsonObject
  for (const block of after ?? []) if (!before.includes(block)) part = patched(part, block)
  return [answer ? answered(part, answer) : part]
}

function patched(part: JsonObject, after: Block): JsonObject {
  if (after.type === 'call') return { ...part, input: after.input }
  if (after.type === 'result') return answered(part, after)
  if (after.type !== 'text') return part
  return part.type === 'text' ? { ...part, text: after.text } : { type: 'text', text: after.text }
}

/** A part with this outcome; a refusal stays one (C06). */
function answered(part: JsonObject, result: ResultBlock): JsonObject {
  const { output: _, errorText: __, preliminary: ___, ...rest } = part
  const [only] = result.parts
  const text = only?.type === 'text' ? only.text : ''
  if (part.state === 'output-denied' && !result.isError) {
    return { ...part, approval: { ...((fieldsOf(part.approval) ?? {}) as JsonObject), reason: text } }
  }
  return result.isError
    ? { ...rest, state: 'output-error', errorText: text }
    : { ...rest, state: 'output-available', output: text }
}

/** Its id comes from its words and from what it follows, so that the same edit writes the same message. */
function insertedMessage({ role, blocks }: Message, anchor: JsonValue): JsonObject {
  const [block] = blocks
  const text = block?.type === 'text' ? block.text : ''
  const seed = JSON.stringify([textOf(fieldsOf(anchor)?.id) ?? '', role, text])
  const id = `spillway-${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`
  return { id, role, parts: [{ type: 'text', text }] }
}

export const aiSdkUi: ArrayFormat = {
  name: NAME,
  detect(value) {
    const items = itemsOf(value, KEY)
    return items !== undefined && items.length > 0 && items.every(fits)
  },
  read,
  write({ value, transcript }, edits) {
    if (edits.length === 0) return value
    return write(value, transcript.messages, apply(transcript, edits).messages)
  },
  check: (value, at) => checkArray('ai-sdk', { uiMessages: itemsOf(value, KEY) ?? [] }, read(value).transcript, at),
  repairs: ({ transcript }) => emptyRepairs(transcript),
  endings: () => [],
}
