/** Groups items into messages: what one answer of the model put out stays together. */
import type { Block, Message } from '../../core/transcript.ts'
import type { ItemReading } from './items.ts'

export interface PlacedItem extends ItemReading {
  readonly entry: number
  /** The recording shows that another request was made before this item. */
  readonly isNewRequest?: boolean
}

interface OpenMessage extends Message {
  readonly blocks: Block[]
  readonly entries: number[]
}

/**
 * Neighbouring items of the model are one message. Another request opens the next, and so does a reasoning item behind
 * others, so that it leaves when the item it belongs to leaves (B22). Only while calls before it wait for results does
 * an item stay with them, since these are answered together.
 */
export function answersOf(items: readonly PlacedItem[]): Message[] {
  const lastResult = new Map<string, number>()
  for (const { entry, blocks } of items) {
    for (const block of blocks) if (block.type === 'result') lastResult.set(block.callId, entry)
  }
  const messages: OpenMessage[] = []
  let isOpen = false
  for (const { entry, role, blocks, isReasoning, isNewRequest } of items) {
    const last = messages.at(-1)
    const isAnswer = role === 'assistant'
    const mayStart = isNewRequest || (isReasoning && last && !isReasoningOnly(last))
    const startsAnew = mayStart && last && !awaits(last, entry, lastResult)
    if (isAnswer && isOpen && last && !startsAnew) {
      last.entries.push(entry)
      last.blocks.push(...blocks)
    } else messages.push({ role, blocks: [...blocks], entries: [entry] })
    isOpen = isAnswer
  }
  return messages
}

function isReasoningOnly(message: Message): boolean {
  return message.blocks.every((block) => block.type === 'thinking')
}

/** Is one of its calls answered further down? */
function awaits(message: Message, entry: number, lastResult: ReadonlyMap<string, number>): boolean {
  return message.blocks.some((block) => block.type === 'call' && (lastResult.get(block.id) ?? -1) > entry)
}
