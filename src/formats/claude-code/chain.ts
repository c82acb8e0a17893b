/**
 * The chain of entries: which entry follows which.
 *
 * Parents are read generously: one that names nothing (or another thread) is taken to be the nearest entry before it
 * in the same thread, a cycle is broken at its first entry in the file. `repairs` writes the same reading down.
 */
import { canBeLeaf, type Entry, isTurn } from './entry.ts'

export const ROOT = -1

/** A parent that could not be taken as recorded, and what is read instead (an ordinal, or ROOT). */
export interface ParentFault {
  readonly entry: number
  readonly cause: 'dangling' | 'cycle' | 'other-thread'
  readonly parent: number
}

export interface Chain {
  /** Ordinal of the parent of each entry; ROOT for roots and for entries outside the chain. */
  readonly parents: Int32Array
  readonly faults: readonly ParentFault[]
}

const UNSEEN = 0
const ON_PATH = 1
const DONE = 2

/** `byKey`: ordinal of the first chain entry with a key. */
export function chainOf(entries: readonly Entry[], byKey: ReadonlyMap<string, number>): Chain {
  const parents = new Int32Array(entries.length).fill(ROOT)
  const faults: ParentFault[] = []
  /** The nearest entry with a key before each one, in its thread: what a broken parent is taken to be. */
  const keyedBefore = new Int32Array(entries.length).fill(ROOT)
  const newest = new Map<string, number>()
  const newestKeyed = new Map<string, number>()
  entries.forEach((entry, ordinal) => {
    const { key, parent, thread } = entry.link
    const inChain = key !== undefined && byKey.get(key) === ordinal
    if (!inChain && !(key === undefined && isTurn(entry))) return
    keyedBefore[ordinal] = newestKeyed.get(thread) ?? ROOT
    if (!inChain) {
      parents[ordinal] = newest.get(thread) ?? ROOT
    } else if (typeof parent === 'string') {
      const named = byKey.get(parent)
      const sameThread = named !== undefined && entries[named]?.link.thread === thread
      if (sameThread) parents[ordinal] = named
      else {
        parents[ordinal] = keyedBefore[ordinal] ?? ROOT
        const isForeignRoot = named !== undefined && entry.sidechain
        if (isForeignRoot) parents[ordinal] = ROOT
        else
          faults.push({
            entry: ordinal,
            cause: named === undefined ? 'dangling' : 'other-thread',
            parent: parents[ordinal] ?? ROOT,
          })
      }
    }
    newest.set(thread, ordinal)
    if (inChain && entry.type !== 'progress') newestKeyed.set(thread, ordinal)
  })
  for (const each of breakCycles(parents, keyedBefore)) faults.push(each)
  return { parents, faults: faults.sort((a, b) => a.entry - b.entry) }
}

/** Each entry is visited once; what is done never leads back into a path, so it is a safe new parent. */
function breakCycles(parents: Int32Array, keyedBefore: Int32Array): ParentFault[] {
  const faults: ParentFault[] = []
  const state = new Uint8Array(parents.length)
  for (let start = 0; start < parents.length; start++) {
    const path: number[] = []
    let at = start
    while (at !== ROOT && state[at] === UNSEEN) {
      state[at] = ON_PATH
      path.push(at)
      at = parents[at] ?? ROOT
    }
    if (at !== ROOT && state[at] === ON_PATH) {
      let first = at
      for (let member = parents[at] ?? ROOT; member !== at; member = parents[member] ?? ROOT)
        first = Math.min(first, member)
      const before = keyedBefore[first] ?? ROOT
      parents[first] = before !== ROOT && state[before] === DONE ? before : ROOT
      faults.push({ entry: first, cause: 'cycle', parent: parents[first] ?? ROOT })
    }
    for (const member of path) state[member] = DONE
  }
  return faults
}

/** Ordinals from the root to this entry. */
export function pathTo(leaf: number, parents: Int32Array): number[] {
  const path: number[] = []
  for (let at = leaf; at !== ROOT; at = parents[at] ?? ROOT) path.push(at)
  return path.reverse()
}

/**
 * The entry the active branch ends on: the last one of the thread in the file. `last-prompt.leafUuid` names the same
 * one in every recorded session, except where a crash came between the two lines.
 */
export function leafOf(
  recorded: {
    readonly entries: readonly Entry[]
    readonly byKey: ReadonlyMap<string, number>
    readonly threads: ReadonlyMap<string, readonly number[]>
  },
  thread: string,
  gone: ReadonlySet<number> = new Set(),
): number {
  const leaf = recorded.threads.get(thread)?.findLast((ordinal) => {
    const entry = recorded.entries[ordinal]
    const repeats = entry?.link.key !== undefined && recorded.byKey.get(entry.link.key) !== ordinal
    return entry !== undefined && canBeLeaf(entry) && !repeats && !gone.has(ordinal)
  })
  return leaf ?? ROOT
}

/** The nearest ancestor that is not gone, ROOT when none; linear over all entries together. */
export function livingAncestors(parents: Int32Array, gone: ReadonlySet<number>): (entry: number) => number {
  const known = new Map<number, number>()
  return (entry) => {
    const passed: number[] = []
    let at = entry
    while (at !== ROOT && gone.has(at) && !known.has(at)) {
      passed.push(at)
      at = parents[at] ?? ROOT
    }
    const found = at === ROOT ? ROOT : gone.has(at) ? (known.get(at) ?? ROOT) : at
    for (const dead of passed) known.set(dead, found)
    return found
  }
}
