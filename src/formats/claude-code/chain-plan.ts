/**
 * What edits do to the chain: entries that leave are bridged to the nearest living ancestor, new ones are woven in,
 * moved ones re-linked, and every other reference follows.
 */
import type { EditOf } from '../../core/edits.ts'
import type { JsonValue } from '../../core/transcript.ts'
import { leafOf, livingAncestors, ROOT } from './chain.ts'
import { type EditPlan, planOf } from './edit-plan.ts'
import type { Preserved } from './entry.ts'
import { answerKey, derivedKey } from './identity.ts'
import { type Window, windowsOf } from './line-order.ts'
import type { Native } from './session.ts'

/** An entry that an edit adds behind `behind`. */
export interface AddedEntry {
  readonly key: string
  readonly behind: number
  /** What its identity is derived from: the key of the entry it follows, or of the nearest one before with a key. */
  readonly anchor: string | null
  readonly edit: EditOf<'answer-call'> | EditOf<'insert-message'>
  parent: string | null
}

export interface ChainPlan {
  readonly added: ReadonlyMap<number, readonly AddedEntry[]>
  /** Entries whose lines change places: the whole range is written in the new order. */
  readonly windows: readonly Window[]
}

type Step = number | AddedEntry

/** Fills `plan.entries` with the fields that change. */
export function planChain(native: Native, plan: EditPlan): ChainPlan {
  const { entries } = native
  for (const [thread, path] of native.paths) keepLeaf(native, plan, thread, path)
  const parents = native.chain.parents.slice()
  for (const [entry, parent] of plan.relinks) {
    parents[entry] = parent === null ? ROOT : (native.byKey.get(parent) ?? ROOT)
  }
  const unnamed = new Set(plan.gone)
  entries.forEach((entry, ordinal) => {
    if (entry.link.key === undefined) unnamed.add(ordinal)
  })
  const living = livingAncestors(parents, unnamed)
  const livingKey = (ordinal: number): string | null => entries[living(ordinal)]?.link.key ?? null
  // What an entry is linked to by a repair may leave in the same epoch.
  for (const entry of plan.relinks.keys()) {
    planOf(plan.entries, entry).fields.set('parentUuid', livingKey(parents[entry] ?? ROOT))
  }
  const added = addedEntries(native, plan, livingKey)

  bridgeReferences(native, plan, livingKey, added)
  const ends: number[] = []
  for (const segment of segmentsOf(native)) {
    const steps = rearranged(native, plan, segment, added)
    relinkSegment(native, plan, parents, { segment, steps }, livingKey)
    const end = steps.at(-1)
    if (end !== undefined) ends.push(typeof end === 'number' ? end : end.behind)
  }
  return { added, windows: windowsOf(native, plan, ends) }
}

/**
 * The file's last entry says which branch is active. Where it would leave and an abandoned branch stands last then,
 * its link stays as a bare system entry (D03).
 */
function keepLeaf(native: Native, plan: EditPlan, thread: string, path: readonly number[]): void {
  const leaf = path.at(-1)
  if (leaf === undefined || !plan.gone.has(leaf)) return
  const living = path.findLast((entry) => !plan.gone.has(entry))
  const last = leafOf(native, thread, plan.gone)
  if (last === ROOT || last === living) return
  const link = path.findLast((entry) => entry > last && native.entries[entry]?.link.key !== undefined)
  if (link === undefined) return
  plan.gone.delete(link)
  planOf(plan.entries, link).hollow = true
}

function addedEntries(
  native: Native,
  plan: EditPlan,
  livingKey: (ordinal: number) => string | null,
): Map<number, AddedEntry[]> {
  const added = new Map<number, AddedEntry[]>()
  for (const { behind, edit } of plan.insertions) {
    const anchor = livingKey(behind)
    const others = added.get(behind) ?? []
    const own = native.entries[behind]?.link.key ?? anchor ?? ''
    const key =
      edit.kind === 'answer-call'
        ? answerKey(anchor ?? '', edit.callId)
        : derivedKey('message', own, String(others.length), edit.role, edit.text)
    others.push({ key, behind, anchor, edit, parent: others.at(-1)?.key ?? anchor })
    added.set(behind, others)
  }
  return added
}

/** The active branch of every thread, and what the last compaction kept. */
function segmentsOf(native: Native): (readonly number[])[] {
  const segments: (readonly number[])[] = [...native.paths.values()]
  for (const path of native.paths.values()) {
    const kept = native.entries[path[0] ?? ROOT]?.references?.preserved?.keys
    if (kept) segments.push(kept.flatMap((key) => native.byKey.get(key) ?? []))
  }
  return segments
}

function relinkSegment(
  native: Native,
  plan: EditPlan,
  parents: Int32Array,
  { segment, steps }: { readonly segment: readonly number[]; readonly steps: readonly Step[] },
  livingKey: (ordinal: number) => string | null,
): void {
  const before = new Map(segment.map((entry, index) => [entry, segment[index - 1]]))
  let previous: Step | undefined
  for (const step of steps) {
    const key = previous === undefined ? undefined : keyOfStep(previous, livingKey)
    if (typeof step !== 'number') step.parent = key ?? step.parent
    else if (previous !== undefined && previous !== before.get(step) && linksTo(native, parents, step)) {
      planOf(plan.entries, step).fields.set('parentUuid', key ?? null)
    }
    previous = step
  }
}

/** Entries without key stand by their place in the file: nothing links them. */
function linksTo(native: Native, parents: Int32Array, entry: number): boolean {
  return native.entries[entry]?.link.key !== undefined && parents[entry] !== ROOT
}

function keyOfStep(step: Step, livingKey: (ordinal: number) => string | null): string | null {
  return typeof step === 'number' ? livingKey(step) : step.key
}

/** The segment without what leaves, with what is added, and with moved entries behind their targets. */
function rearranged(
  native: Native,
  plan: EditPlan,
  segment: readonly number[],
  added: ReadonlyMap<number, readonly AddedEntry[]>,
): Step[] {
  const onSegment = new Set(segment)
  const moving = new Map<number, number[]>()
  for (const move of plan.moves) {
    const target = targetOn(native, move.after, onSegment)
    if (target === undefined) continue
    moving.set(target, [...(moving.get(target) ?? []), move.entry])
    onSegment.add(move.entry)
  }
  const moved = new Set([...moving.values()].flat())
  const stranded = strandedSiblings(native, plan, segment)
  const steps: Step[] = []
  for (const entry of segment) {
    for (const sibling of stranded.get(entry) ?? []) steps.push(sibling, ...(added.get(sibling) ?? []))
    if (moved.has(entry)) continue
    const open = [entry]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!plan.gone.has(next)) steps.push(next)
      for (const each of added.get(next) ?? []) steps.push(each)
      for (const each of (moving.get(next) ?? []).toReversed()) open.push(each)
      moving.delete(next)
    }
  }
  return steps
}

/**
 * Entries of a message beside the segment, whose own members on it all leave: they take the place of the first, else
 * nothing would lead to them any more.
 */
function strandedSiblings(native: Native, plan: EditPlan, segment: readonly number[]): Map<number, number[]> {
  const stranded = new Map<number, number[]>()
  const places = new Map<string, number>()
  const reached = new Set<string>()
  for (const entry of segment) {
    const id = native.entries[entry]?.sent?.id
    if (id === undefined) continue
    if (!plan.gone.has(entry)) reached.add(id)
    else if (!places.has(id)) places.set(id, entry)
  }
  if (places.size === 0) return stranded
  const onSegment = new Set(segment)
  for (const entry of native.threads.get(native.entries[segment[0] ?? ROOT]?.link.thread ?? '') ?? []) {
    const id = native.entries[entry]?.sent?.id
    const place = id === undefined || reached.has(id) ? undefined : places.get(id)
    if (place === undefined || plan.gone.has(entry) || onSegment.has(entry)) continue
    stranded.set(place, [...(stranded.get(place) ?? []), entry])
  }
  return stranded
}

/** The target itself, or the last entry of the same message that is on the segment. */
function targetOn(native: Native, target: number, onSegment: ReadonlySet<number>): number | undefined {
  if (onSegment.has(target)) return target
  const { sent, link } = native.entries[target] ?? {}
  if (sent?.id === undefined) return undefined
  return native.threads
    .get(link?.thread ?? '')
    ?.findLast((entry) => onSegment.has(entry) && native.entries[entry]?.sent?.id === sent.id)
}

function bridgeReferences(
  native: Native,
  plan: EditPlan,
  livingKey: (ordinal: number) => string | null,
  added: ReadonlyMap<number, readonly AddedEntry[]>,
): void {
  if (plan.gone.size === 0 && added.size === 0) return
  const isGone = (key: string | undefined): key is string => {
    const named = key === undefined ? undefined : native.byKey.get(key)
    return named !== undefined && plan.gone.has(named)
  }
  const bridge = (key: string): string | null => livingKey(native.byKey.get(key) ?? ROOT)
  native.entries.forEach((entry, ordinal) => {
    if (plan.gone.has(ordinal)) return
    const changed = new Map<string, JsonValue>()
    const { parent } = entry.link
    if (typeof parent === 'string' && isGone(parent) && !plan.relinks.has(ordinal)) {
      changed.set('parentUuid', bridge(parent))
    }
    const { leaf, logicalParent, sourceAssistant, preserved } = entry.references ?? {}
    if (isGone(leaf)) changed.set('leafUuid', bridge(leaf))
    if (isGone(logicalParent)) changed.set('logicalParentUuid', bridge(logicalParent))
    if (isGone(sourceAssistant)) changed.set('sourceToolAssistantUUID', bridge(sourceAssistant))
    if (preserved) {
      const mended = asMended(preserved, plan.entries.get(ordinal)?.fields)
      bridgePreserved(native, mended, { isGone, bridge }, added, changed)
    }
    for (const [field, value] of changed) planOf(plan.entries, ordinal).fields.set(field, value)
  })
}

const PRESERVED = {
  keys: 'compactMetadata.preservedMessages.uuids',
  allKeys: 'compactMetadata.preservedMessages.allUuids',
  head: 'compactMetadata.preservedSegment.headUuid',
  tail: 'compactMetadata.preservedSegment.tailUuid',
  anchors: ['compactMetadata.preservedMessages.anchorUuid', 'compactMetadata.preservedSegment.anchorUuid'],
} as const

/** What was preserved, as a repair of the same epoch has it. */
function asMended(preserved: Preserved, fields: ReadonlyMap<string, JsonValue> | undefined): Preserved {
  const key = (field: string, recorded: string | undefined): string | undefined => {
    const value = fields?.get(field)
    return typeof value === 'string' ? value : recorded
  }
  const keys = fields?.get(PRESERVED.keys)
  return {
    ...preserved,
    keys: Array.isArray(keys) ? keys.map(String) : preserved.keys,
    head: key(PRESERVED.head, preserved.head),
    tail: key(PRESERVED.tail, preserved.tail),
    anchor: key(PRESERVED.anchors[0], preserved.anchor),
  }
}

/** Lists keep their order without what left and with what was added; head, tail and anchor follow them (D09). */
function bridgePreserved(
  native: Native,
  preserved: Preserved,
  { isGone, bridge }: { isGone(key: string | undefined): key is string; bridge(key: string): string | null },
  added: ReadonlyMap<number, readonly AddedEntry[]>,
  changed: Map<string, JsonValue>,
): void {
  const bridged = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => {
      const news = (added.get(native.byKey.get(key) ?? ROOT) ?? []).map((entry) => entry.key)
      return isGone(key) ? news : [key, ...news]
    })
  const keys = bridged(preserved.keys)
  const allKeys = bridged(preserved.allKeys)
  if (keys.join() !== preserved.keys.join()) changed.set(PRESERVED.keys, keys)
  if (allKeys.join() !== preserved.allKeys.join()) changed.set(PRESERVED.allKeys, allKeys)
  const { anchor } = preserved
  if (isGone(anchor)) for (const field of PRESERVED.anchors) changed.set(field, bridge(anchor))
  if (preserved.keys.length === 0) return
  const head = keys[0] ?? null
  const tail = keys.at(-1) ?? null
  if (preserved.head === preserved.keys[0] && head !== preserved.head) {
    changed.set(PRESERVED.head, head)
  }
  if (preserved.tail === preserved.keys.at(-1) && tail !== preserved.tail) {
    changed.set(PRESERVED.tail, tail)
  }
}
