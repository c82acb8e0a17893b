/**
 * Where a loop keeps what leaves its context: the smallest store that `fit` and `recallTool` need. Three are at hand:
 * in memory, in a folder (both without native modules), and the archive of the command line (SQLite).
 */
import type { Removed } from '../core/edits.ts'

/** One piece of archived content. */
export interface Archived {
  readonly ref: string
  /** Texts come back as strings, everything else as bytes. */
  readonly content: string | Uint8Array
  readonly mediaType: string
  /** What made it and what it was about, where known. */
  readonly tool?: string
  readonly target?: string
}

export interface ArchivedHit {
  readonly ref: string
  readonly tool?: string
  readonly target?: string
  /** The words around what was found. */
  readonly excerpt: string
}

export interface ContentArchive {
  /** Keeps these; when it returns they can be had again. The same content twice is kept once. */
  put(removed: readonly Removed[]): void | Promise<void>
  get(ref: string): Archived | undefined | Promise<Archived | undefined>
  /** Contents that hold all the words, best first. */
  search?(words: string, limit?: number): readonly ArchivedHit[] | Promise<readonly ArchivedHit[]>
}

export const DEFAULT_HITS = 10
/** Characters of an excerpt on each side of what was found. */
const AROUND = 120

/** An archive that lives as long as the process; nothing leaves it. */
export function memoryArchive(): ContentArchive {
  const kept = new Map<string, Archived>()
  return {
    put(removed) {
      for (const each of removed) if (!kept.has(each.ref)) kept.set(each.ref, archivedOf(each))
    },
    get: (ref) => kept.get(ref),
    search: (words, limit = DEFAULT_HITS) => hitsIn(kept.values(), words, limit),
  }
}

export function archivedOf({ ref, content, mediaType, tool, target }: Removed): Archived {
  return {
    ref,
    content,
    mediaType,
    ...(tool === undefined ? {} : { tool }),
    ...(target === undefined ? {} : { target }),
  }
}

/** Texts that hold every word, those first that hold them most often; case does not matter. */
export function hitsIn(archived: Iterable<Archived>, words: string, limit: number): ArchivedHit[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (wanted.length === 0) return []
  const found: { hit: ArchivedHit; score: number }[] = []
  for (const { ref, content, tool, target } of archived) {
    if (typeof content !== 'string') continue
    const text = `${target ?? ''}\n${content}`
    const lower = text.toLowerCase()
    const counts = wanted.map((word) => occurrences(lower, word))
    if (counts.includes(0)) continue
    const at = lower.indexOf(wanted[0] ?? '')
    const excerpt = text.slice(Math.max(0, at - AROUND), at + AROUND).trim()
    const facts = { ...(tool === undefined ? {} : { tool }), ...(target === undefined ? {} : { target }) }
    found.push({ hit: { ref, ...facts, excerpt }, score: counts.reduce((sum, count) => sum + count, 0) })
  }
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ hit }) => hit)
}

/** More often is not better. */
const MOST_COUNTED = 50

function occurrences(text: string, word: string): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count < MOST_COUNTED; at = text.indexOf(word, at + word.length)) count++
  return count
}
