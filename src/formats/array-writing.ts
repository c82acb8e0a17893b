/**
 * Edits of a request: `apply` has already said what the conversation becomes, so the writer compares the neutral
 * messages before and after, block by block, and carries each difference over to the native part it stands for.
 */
import type { Block, CallBlock, JsonValue, Message, ResultBlock, TextBlock, Transcript } from '../core/transcript.ts'

export interface ItemDialect {
  /**
   * The item with only these blocks left, in this order; several where one can no longer hold them all. `before` are
   * its blocks as read; a block that changed is another object at the same address.
   */
  rebuilt(item: JsonValue, before: readonly Block[], after: readonly Block[]): readonly JsonValue[]
  /** The item of a made-up answer; `item` is the one that holds the call. */
  answer(result: ResultBlock, call: CallBlock | undefined, item: JsonValue | undefined): JsonValue
  /** The item of an inserted text. */
  spoken(role: 'user' | 'assistant', text: TextBlock): JsonValue
  /** Last touches on the whole. */
  finished?(items: readonly JsonValue[], recorded: readonly JsonValue[]): JsonValue[]
}

/** The items of `after`, made of `items`, which `before` was read from. */
export function writtenItems(
  items: readonly JsonValue[],
  before: Transcript,
  after: Transcript,
  dialect: ItemDialect,
): JsonValue[] {
  const unchanged = new Set(before.messages)
  const recorded = blocksByEntry(before)
  const calls = new Map<string, CallBlock>()
  const written = after.messages.flatMap((message): readonly JsonValue[] => {
    for (const block of message.blocks) if (block.type === 'call') calls.set(block.id, block)
    if (unchanged.has(message)) return message.entries.map((entry) => items[entry] as JsonValue)
    if (isInserted(message)) return insertedItems(message, items, calls, dialect)
    const blocks = grouped(message.blocks)
    return message.entries.flatMap((entry): readonly JsonValue[] => {
      const item = items[entry] as JsonValue
      const own = recorded.get(entry) ?? []
      const now = blocks.get(entry) ?? []
      if (own.length > 0 && now.length === 0) return []
      return sameBlocks(own, now) ? [item] : dialect.rebuilt(item, own, now)
    })
  })
  return dialect.finished ? dialect.finished(written, items) : written
}

function sameBlocks(before: readonly Block[], after: readonly Block[]): boolean {
  return before.length === after.length && before.every((block, index) => block === after[index])
}

/** `apply` numbers what it puts in below zero. */
function isInserted(message: Message): boolean {
  return (message.entries[0] ?? 0) < 0
}

function insertedItems(
  message: Message,
  items: readonly JsonValue[],
  calls: ReadonlyMap<string, CallBlock>,
  dialect: ItemDialect,
): JsonValue[] {
  return message.blocks.flatMap((block): JsonValue[] => {
    if (block.type === 'result') {
      const call = calls.get(block.callId)
      return [dialect.answer(block, call, call && items[call.at.entry])]
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    return block.type === 'text' ? [dialect.spoken(role, block)] : []
  })
}

function grouped(blocks: readonly Block[]): Map<number, Block[]> {
  const groups = new Map<number, Block[]>()
  for (const block of blocks) {
    const group = groups.get(block.at.entry)
    if (group) group.push(block)
    else groups.set(block.at.entry, [block])
  }
  return groups
}

function blocksByEntry(transcript: Transcript): Map<number, Block[]> {
  return grouped(transcript.messages.flatMap((message) => message.blocks))
}

/**
 * The parts of a content array with only these blocks left, where a block's number is its part's index. Parts that
 * are no block (blank texts, approvals) stay where they are; in a new order they come last.
 */
export function rebuiltParts(
  parts: readonly JsonValue[],
  before: readonly Block[],
  after: readonly Block[],
  patched: (part: JsonValue, before: Block, after: Block) => JsonValue,
): JsonValue[] {
  const recorded = new Map(before.map((block) => [block.at.block, block]))
  const kept = new Map(after.map((block) => [block.at.block, block]))
  const partOf = (index: number): JsonValue[] => {
    const part = parts[index] as JsonValue
    const was = recorded.get(index)
    const is = kept.get(index)
    if (was === undefined) return [part]
    if (is === undefined) return []
    return [was === is ? part : patched(part, was, is)]
  }
  const order = after.map((block) => block.at.block ?? 0)
  const inOrder = order.every((index, place) => place === 0 || index > (order[place - 1] ?? 0))
  const indexes = [...parts.keys()]
  if (inOrder) return indexes.flatMap(partOf)
  return [...order, ...indexes.filter((index) => !recorded.has(index))].flatMap(partOf)
}
