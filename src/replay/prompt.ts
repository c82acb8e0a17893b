/**
 * The prompt a strategy would have sent: every item with its present size, and how much of it the cache still holds.
 * Sums over stretches take logarithmic time (a binary indexed tree), so a replay is linear in its calls.
 */
import type { Item } from './recording.ts'
import { sums } from './sums.ts'

export interface Prompt {
  /** Items sent with this call. */
  readonly length: number
  /** Items that earlier calls sent. */
  readonly sent: number
  /** Tokens of the whole prompt. */
  total(): number
  size(item: number): number
  /** Tokens of the items before this one, with what stands before all items. */
  before(item: number): number
  /** Tokens that earlier calls sent, from this item on. */
  sentAfter(item: number): number
  /** The item still says all it said. */
  isWhole(item: number): boolean
  /** The item shrinks (or grows) to this size and no longer says what it said. */
  replace(item: number, tokens: number): void
  /** Items before `end` become one summary of this size. */
  summarise(end: number, tokens: number): void
}

/** The engine's own side of a prompt. */
export interface RunningPrompt extends Prompt {
  append(end: number): void
  /** Tokens of the longest unchanged prefix since the last call. */
  unchanged(): number
  /** Tokens of the prompt before. */
  sentTokens(): number
  /** Tokens of summaries written since the last call, and how many there were. */
  readonly summaries: { tokens: number; count: number }
  close(): void
}

export function promptOf(floor: number, items: readonly Item[]): RunningPrompt {
  const sizes = new Float64Array(items.length)
  const tree = sums(items.length)
  const whole = new Uint8Array(items.length)
  const summaries = { tokens: 0, count: 0 }
  let head = floor
  let sum = 0
  let length = 0
  let sent = 0
  let sentTokens = 0
  let first = Number.POSITIVE_INFINITY

  function setSize(item: number, tokens: number): void {
    const by = tokens - (sizes[item] ?? 0)
    // Set, not added to: a size that comes again must be the same number.
    sizes[item] = tokens
    sum += by
    tree.add(item, by)
  }
  const before = (item: number): number => head + tree.before(item)
  function replace(item: number, tokens: number): void {
    whole[item] = 0
    if (tokens === sizes[item]) return
    setSize(item, tokens)
    if (item < sent) first = Math.min(first, item)
  }
  return {
    get length() {
      return length
    },
    get sent() {
      return sent
    },
    summaries,
    total: () => head + sum,
    size: (item) => sizes[item] ?? 0,
    before,
    sentAfter: (item) => before(sent) - before(item),
    isWhole: (item) => whole[item] === 1,
    replace,
    summarise(end, tokens) {
      for (let item = 0; item < end; item++) replace(item, 0)
      head = floor + tokens
      first = -1
      summaries.tokens += tokens
      summaries.count++
    },
    sentTokens: () => sentTokens,
    append(end) {
      for (; length < end; length++) {
        whole[length] = 1
        setSize(length, items[length]?.tokens ?? 0)
      }
    },
    unchanged() {
      if (first === Number.POSITIVE_INFINITY) return sentTokens
      return first < 0 ? floor : before(first)
    },
    close() {
      sent = length
      sentTokens = head + sum
      first = Number.POSITIVE_INFINITY
      summaries.tokens = 0
      summaries.count = 0
    },
  }
}
