/** Lines that change places: a moved entry's line follows its target's, so that parents stand before their children (D01). */
import { leafOf, pathTo, ROOT } from './chain.ts'
import type { EditPlan, Move } from './edit-plan.ts'
import type { Native } from './session.ts'

/** Entries whose lines change places: the whole range is written in the new order. */
export interface Window {
  readonly from: number
  readonly to: number
  readonly order: readonly number[]
}

/** `ends`: the entries that the branches end on after the edits. */
export function windowsOf(native: Native, plan: EditPlan, ends: readonly number[]): Window[] {
  const { moves } = plan
  const followers = new Map<number, number[]>()
  for (const move of moves) followers.set(move.after, [...(followers.get(move.after) ?? []), move.entry])
  const moved = new Set(moves.map((move) => move.entry))
  return rangesOf(moves, native.entries.length).map(({ from, to }) => {
    let order = orderOf(from, to, followers, moved)
    for (const end of ends) {
      const thread = native.entries[end]?.link.thread ?? ''
      const isLast = end >= from && end <= to && leafOf(native, thread, plan.gone) <= to
      if (isLast && !leadsTo(native, end, order, plan.gone)) order = endingOn(native, end, order, moved)
    }
    return { from, to, order }
  })
}

/** What lies between each moved entry and its target; ranges that touch are one. */
function rangesOf(moves: readonly Move[], count: number): { from: number; to: number }[] {
  const ranges = moves
    .map(({ entry, after }) => (after < entry ? { from: after + 1, to: entry } : { from: entry, to: after }))
    .filter(({ from, to }) => from >= 0 && to < count)
    .sort((a, b) => a.from - b.from)
  const merged: { from: number; to: number }[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to)
    else merged.push({ ...range })
  }
  return merged
}

/** File order, moved entries behind their targets; nothing is left out, even where moves name each other. */
function orderOf(
  from: number,
  to: number,
  followers: ReadonlyMap<number, readonly number[]>,
  moved: ReadonlySet<number>,
): number[] {
  const order = new Set<number>()
  const place = (first: number): void => {
    const open = [first]
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      if (order.has(entry)) continue
      if (entry >= from) order.add(entry)
      for (const each of (followers.get(entry) ?? []).toReversed()) open.push(each)
    }
  }
  place(from - 1)
  for (let entry = from; entry <= to; entry++) if (!moved.has(entry)) place(entry)
  for (let entry = from; entry <= to; entry++) order.add(entry)
  return [...order]
}

/** Does the last of these entries stand on the branch of `end`, or beside it as one of its parallel calls and results? */
function leadsTo(native: Native, end: number, order: readonly number[], gone: ReadonlySet<number>): boolean {
  const { entries, chain } = native
  const thread = entries[end]?.link.thread
  const last = order.findLast((entry) => !gone.has(entry) && entries[entry]?.link.thread === thread)
  if (last === end || last === undefined) return true
  const branch = pathTo(end, chain.parents)
  const ids = new Set(branch.flatMap((entry) => entries[entry]?.sent?.id ?? []))
  const call = entries[last]?.sent?.answers ?? ROOT
  const id = entries[call === ROOT ? last : call]?.sent?.id
  const isBeside = branch.includes(call) || (id !== undefined && ids.has(id))
  return isBeside && pathTo(last, chain.parents).includes(end)
}

/** The file's last entry says which branch is active: the branch's new end goes last, with the results that answer it. */
function endingOn(native: Native, end: number, order: readonly number[], moved: ReadonlySet<number>): number[] {
  const thread = native.entries[end]?.link.thread
  const answers = (entry: number): boolean => {
    const { sent, link } = native.entries[entry] ?? {}
    return entry > end && !moved.has(entry) && link?.thread === thread && (sent?.answers ?? ROOT) !== ROOT
  }
  const tail = new Set(order.filter((entry) => entry === end || answers(entry)))
  return [...order.filter((entry) => !tail.has(entry)), ...tail]
}
