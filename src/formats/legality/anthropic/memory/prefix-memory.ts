/**
 * What a provider remembers of the requests it answered, as far as later requests are judged by it: plain JSON, so
 * that a server or a test can keep it. Keys are digests (of signatures, ids, prefixes); nothing readable is kept.
 */

/** How a thinking block was when it was made. */
export interface ThinkingOrigin {
  readonly model: string | null
  /** Digest of its words. */
  readonly words: string
  /** Everything before it: tools, system, messages; thinking left out. */
  readonly prefix: string
  /** Thinking blocks before it, and the nearest of them. */
  readonly count: number
  readonly previous: string | null
  /** Key in `answers`. */
  readonly answer: string
  /** Fallback blocks before it in its turn. */
  readonly fallbacks: number
  /** The compaction that its conversation began with. */
  readonly compaction: string | null
}

/** What a signed compaction block stands for. */
export interface CompactionOrigin {
  readonly words: string
  readonly floor: string
  /** The prefix it replaces, as far as that was seen. */
  readonly covers: string | null
  /** Role of the last message it covers. */
  readonly lastRole: string
}

type Keyed<Value> = { [digest: string]: Value }

export interface PrefixMemory {
  readonly thinking: Keyed<ThinkingOrigin>
  /** The thinking of one turn, in order. */
  readonly answers: Keyed<readonly string[]>
  /** Thinking by the prefix it was made behind. */
  readonly places: Keyed<string>
  readonly compactions: Keyed<CompactionOrigin>
  /** Fields that must come back verbatim. */
  readonly opaque: Keyed<true>
  /** Content of each tool result, by call id, as first sent. */
  readonly results: Keyed<string>
  /** Calls of turns without thinking: A31 does not ask for what never was. */
  readonly bareCalls: Keyed<true>
  /** Prefixes that ended in a cache breakpoint. */
  readonly cached: Keyed<true>
}

/** A memory that has seen nothing. */
export function prefixMemory(): PrefixMemory {
  return {
    thinking: {},
    answers: {},
    places: {},
    compactions: {},
    opaque: {},
    results: {},
    bareCalls: {},
    cached: {},
  }
}
