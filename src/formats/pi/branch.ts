/**
 * The active branch of a session file and what of it is sent.
 *
 * Read as pi 1.6 and OpenClaw 2026.9 read it: the leaf is the last entry that is no side append, or what the last
 * leaf control names; a parent of any type is a link. A broken link reads as `check` repairs it: the entry
 * continues what was the leaf when it was written, so that repair never changes the view.
 */
import { type PiEntry, speaks } from './entry.ts'

export interface Branch {
  /** Ordinal of each entry's parent; undefined for roots and the header. */
  readonly parents: readonly (number | undefined)[]
  /** Ordinals from the root to the leaf, all types. */
  readonly path: readonly number[]
  /** What is sent of the path: the compaction first, then what it kept, then what followed it. */
  readonly window: readonly number[]
  /** The compaction or reset that opens the window. */
  readonly boundary: number | undefined
  /** Entries whose recorded parent is no entry before them. */
  readonly broken: readonly number[]
  /** Roots at the end that cut off the whole conversation (E02), the last first. */
  readonly lostTips: readonly number[]
  /** First kept entry of each compaction on the path, corrected where the recorded one cannot be (E05). */
  readonly firstKept: ReadonlyMap<number, number | undefined>
}

/** `linear`: a version 1 file, whose order is its lines and whose ids, where it has any, mean nothing. */
export function branchOf(entries: readonly PiEntry[], linear: boolean): Branch {
  const links = linear ? linkInOrder(entries) : linkByIds(entries)
  const { parents, leaf } = links
  let path = pathTo(leaf, parents)
  const lostTips: number[] = []
  let stretch = path
  for (let root = stretch[0]; root !== undefined; root = stretch[0]) {
    const before = links.leafBefore.get(root)
    if (before === undefined || stretch.some((ordinal) => isSpoken(entries, ordinal))) break
    parents[root] = before
    lostTips.push(root)
    stretch = pathTo(before, parents)
  }
  if (lostTips.length > 0) path = pathTo(leaf, parents)
  const firstKept = new Map<number, number | undefined>()
  path.forEach((ordinal, index) => {
    const entry = entries[ordinal]
    if (entry?.type === 'compaction' || entry?.type === 'reset') {
      firstKept.set(ordinal, firstKeptOf(entry, entries, path.slice(0, index)))
    }
  })
  return { parents, path, lostTips, broken: links.broken, firstKept, ...windowOf(entries, path, firstKept) }
}

interface Links {
  readonly parents: (number | undefined)[]
  readonly leaf: number | undefined
  readonly broken: readonly number[]
  /** For entries recorded as roots: the leaf when they were written. */
  readonly leafBefore: ReadonlyMap<number, number>
}

function linkInOrder(entries: readonly PiEntry[]): Links {
  let leaf: number | undefined
  const parents = entries.map((entry) => {
    if (entry.type === 'session') return undefined
    const parent = leaf
    leaf = entry.ordinal
    return parent
  })
  return { parents, leaf, broken: [], leafBefore: new Map() }
}

function linkByIds(entries: readonly PiEntry[]): Links {
  const parents: (number | undefined)[] = entries.map(() => undefined)
  const byId = new Map<string, number>()
  const broken: number[] = []
  const leafBefore = new Map<number, number>()
  let afterReset: Set<number> | undefined
  let leaf: number | undefined
  let cursor: number | undefined
  const isKnown = (id: string | null): boolean => id === null || byId.has(id)
  const ordinalOf = (id: string | null | undefined): number | undefined => (id ? byId.get(id) : undefined)

  /** The parent that an entry has by its own words; `broken` when these name nothing before it. */
  function recordedParent(entry: PiEntry): number | undefined | 'broken' {
    if (entry.parent === undefined) return 'broken'
    if (entry.parent === null) return undefined
    let parent = byId.get(entry.parent)
    if (parent === undefined) return 'broken'
    while (parent !== undefined && entries[parent]?.type === 'leaf') parent = parents[parent]
    return parent
  }

  for (const entry of entries) {
    const { ordinal } = entry
    if (entry.type === 'session') continue
    if (entry.type === 'leaf') {
      const { target } = entry
      const append = entry.appendParent === undefined ? target : entry.appendParent
      if (target === undefined || append === undefined || !isKnown(target) || !isKnown(append)) continue
      const chosen = ordinalOf(target)
      const leavesReset = afterReset !== undefined && (chosen === undefined || !afterReset.has(chosen))
      parents[ordinal] = leavesReset ? leaf : chosen
      cursor = leavesReset ? leaf : ordinalOf(append)
      leaf = parents[ordinal]
      if (entry.id !== undefined) byId.set(entry.id, ordinal)
      continue
    }
    const recorded = recordedParent(entry)
    let parent = recorded === 'broken' ? leaf : recorded
    if (recorded === 'broken') broken.push(ordinal)
    if (!entry.side) {
      if (parent !== undefined && parent === cursor) parent = leaf
      if (afterReset !== undefined && (parent === undefined || !afterReset.has(parent))) parent = leaf
    }
    if (entry.parent === null && leaf !== undefined) leafBefore.set(ordinal, leaf)
    parents[ordinal] = parent
    if (entry.id !== undefined) byId.set(entry.id, ordinal)
    if (entry.type === 'reset') afterReset = new Set([ordinal])
    else if (parent !== undefined && afterReset?.has(parent)) afterReset.add(ordinal)
    cursor = ordinal
    if (!entry.side) leaf = ordinal
  }
  return { parents, leaf, broken, leafBefore }
}

/** Parents always stand before their children, so that no chain can run in a circle. */
function pathTo(leaf: number | undefined, parents: readonly (number | undefined)[]): number[] {
  const path: number[] = []
  for (let at = leaf; at !== undefined; at = parents[at]) path.push(at)
  return path.reverse()
}

function isSpoken(entries: readonly PiEntry[], ordinal: number): boolean {
  const entry = entries[ordinal]
  return entry !== undefined && speaks(entry)
}

/**
 * Where the kept tail starts: the recorded entry, moved on from results whose call was cut off; where the recorded
 * one is not on the path before, the last user message (E05). Undefined: nothing is kept.
 */
function firstKeptOf(entry: PiEntry, entries: readonly PiEntry[], before: readonly number[]): number | undefined {
  const { firstKept } = entry
  if (firstKept === undefined || firstKept === entry.id) return undefined
  let index = before.findLastIndex((ordinal) =>
    typeof firstKept === 'number' ? ordinal === firstKept : entries[ordinal]?.id === firstKept,
  )
  if (index < 0) {
    if (entry.type === 'reset') return undefined
    index = before.findLastIndex((ordinal) => entries[ordinal]?.role === 'user')
  }
  if (index < 0) return undefined
  const spoken = before.findIndex((ordinal, at) => at >= index && isSpoken(entries, ordinal))
  if (spoken < 0 || entries[before[spoken] ?? -1]?.role !== 'toolResult') return before[index]
  return before.find(
    (ordinal, at) => at > spoken && isSpoken(entries, ordinal) && entries[ordinal]?.role !== 'toolResult',
  )
}

function windowOf(
  entries: readonly PiEntry[],
  path: readonly number[],
  firstKept: ReadonlyMap<number, number | undefined>,
): { window: number[]; boundary: number | undefined } {
  const at = path.findLastIndex((ordinal) => firstKept.has(ordinal))
  const boundary = path[at]
  if (boundary === undefined) return { window: [...path], boundary }
  const kept = firstKept.get(boundary)
  const keptFrom = kept === undefined ? at : path.indexOf(kept)
  const tail = path.slice(keptFrom, at).filter((ordinal) => entries[ordinal]?.type !== 'compaction')
  const isReset = entries[boundary]?.type === 'reset'
  return { window: [boundary, ...(isReset ? keptByReset(entries, tail) : tail), ...path.slice(at + 1)], boundary }
}

/** A reset keeps messages only, and results only with their calls. */
function keptByReset(entries: readonly PiEntry[], tail: readonly number[]): number[] {
  const calls = new Set<string>()
  return tail.filter((ordinal) => {
    const entry = entries[ordinal]
    if (entry?.type === 'context_edit') return true
    if (entry?.role === 'toolResult') return entry.callId !== undefined && calls.delete(entry.callId)
    for (const id of entry?.callIds ?? []) calls.add(id)
    return entry?.role === 'user' || entry?.role === 'assistant'
  })
}
