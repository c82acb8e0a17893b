/**
 * What a batch of edits does to the file's structure: which entries leave, what is added behind which, and which
 * fields that name another entry must name a new one. Made before the first line is written.
 */
import { apply } from '../../core/apply.ts'
import type { Edit, EditOf } from '../../core/edits.ts'
import type { JsonValue } from '../../core/transcript.ts'
import type { Session } from '../format.ts'
import { answerText, type IdMaker, idMaker, leafMarkText, messageText } from './derived.ts'
import type { PiEntry } from './entry.ts'
import { nativeOf, type PiNative } from './reader.ts'

type Insertion = EditOf<'answer-call'> | EditOf<'insert-message'>

/** An entry that does not stand in the source. */
interface AddedEntry {
  readonly edit: Insertion
  readonly anchor: PiEntry
  readonly id: string
}

/** Something that stands on the new path: a recorded entry by its ordinal, or an added one. */
type Step = number | AddedEntry

/** What follows an entry's line: a finished line, or a recorded entry that moved here (by its ordinal). */
export type Follower = { readonly text: string } | { readonly moved: number }

export interface FieldChange {
  readonly path: readonly string[]
  readonly value: JsonValue
}

export interface Plan {
  /** Entries whose bytes leave their place; moved ones come back as followers. */
  readonly gone: ReadonlySet<number>
  readonly followers: ReadonlyMap<number, readonly Follower[]>
  /** Fields to set, by entry. */
  readonly fields: ReadonlyMap<number, readonly FieldChange[]>
  /** Lines after the last one. */
  readonly tail: readonly string[]
}

export function planOf(session: Session, edits: readonly Edit[]): Plan {
  const native = withGivenIds(nativeOf(session), edits)
  const dropped = droppedEntries(session, native, edits)
  const moves = movesOf(native, edits, dropped)
  const makeId = idMaker(native.entries)
  const { steps, tails } = stepsOf(native, edits, dropped, moves, makeId)
  const gone = new Set([...dropped, ...moves.keys()])
  const places = placesOf(native, steps, moves)
  const fields = new Map<number, FieldChange[]>()
  const set = (ordinal: number, path: readonly string[], value: JsonValue): void => {
    const before = (fields.get(ordinal) ?? []).filter((change) => change.path.join('.') !== path.join('.'))
    fields.set(ordinal, [...before, { path, value }])
  }
  for (const edit of edits) {
    if (edit.kind === 'relink') set(edit.at.entry, ['parentId'], edit.parent)
    if (edit.kind === 'set-field') set(edit.at.entry, edit.field.split('.'), edit.value)
  }
  const tail: string[] = []
  if (!native.linear) {
    relink(native, steps, gone, set)
    renameReferences(native, dropped, set)
    const mark = leafMark(native, steps, places, gone, set, makeId)
    if (mark !== undefined) tail.push(mark)
  }
  renameFirstKept(native, steps, tails, dropped, set)
  for (const ordinal of dropped) fields.delete(ordinal)
  return { gone, followers: followersOf(native, steps, places, toolNames(session, edits)), fields, tail }
}

/** As recorded, with the ids that a repair gives in the same epoch: what follows must be able to name them. */
function withGivenIds(native: PiNative, edits: readonly Edit[]): PiNative {
  const given = new Map<number, string>()
  for (const edit of edits) {
    if (edit.kind === 'set-field' && edit.field === 'id' && typeof edit.value === 'string') {
      given.set(edit.at.entry, edit.value)
    }
  }
  if (given.size === 0) return native
  const entries = native.entries.map((entry) => {
    const id = given.get(entry.ordinal)
    return id === undefined ? entry : { ...entry, id }
  })
  return { ...native, entries }
}

/** Entries whose message does not survive, those dropped by name, and the edits and labels that are about them. */
function droppedEntries(session: Session, native: PiNative, edits: readonly Edit[]): Set<number> {
  const dropped = new Set<number>()
  for (const edit of edits) if (edit.kind === 'drop-message') for (const entry of edit.entries) dropped.add(entry)
  const alive = new Set(apply(session.main, edits).messages.flatMap((message) => message.entries))
  for (const message of session.main.messages) {
    for (const entry of message.entries) if (!alive.has(entry)) dropped.add(entry)
  }
  for (const ordinal of dropped) {
    if (native.branch.firstKept.has(ordinal)) {
      throw new TypeError('a compaction summary cannot leave: the history before it would come back')
    }
  }
  const ids = idsOf(native, dropped)
  for (const entry of native.entries) {
    const about = entry.target ? ids.get(entry.target) : undefined
    if (about === undefined) continue
    const isBare = entry.type === 'label' && livingAncestor(native, about, dropped) === undefined
    if (!isBare && entry.type !== 'context_edit') continue
    dropped.add(entry.ordinal)
    if (entry.id !== undefined) ids.set(entry.id, entry.ordinal)
  }
  return dropped
}

function idsOf(native: PiNative, ordinals: Iterable<number>): Map<string, number> {
  const ids = new Map<string, number>()
  for (const ordinal of ordinals) {
    const id = native.entries[ordinal]?.id
    if (id !== undefined) ids.set(id, ordinal)
  }
  return ids
}

/** Where each moved entry goes, in the order of the path; the context edits of an entry go with it. */
function movesOf(native: PiNative, edits: readonly Edit[], dropped: ReadonlySet<number>): Map<number, number> {
  const asked = new Map<number, number>()
  for (const edit of edits)
    if (edit.kind === 'move' && !dropped.has(edit.at.entry)) asked.set(edit.at.entry, edit.after)
  if (asked.size === 0) return asked
  const ids = idsOf(native, asked.keys())
  const moves = new Map<number, number>()
  for (const ordinal of native.branch.path) {
    const entry = native.entries[ordinal]
    const target = entry?.type === 'context_edit' && entry.target ? ids.get(entry.target) : undefined
    const after = asked.get(target ?? ordinal)
    if (after !== undefined && !dropped.has(ordinal)) moves.set(ordinal, after)
  }
  return moves
}

/**
 * The new path: behind each entry stand what moved there, then what was inserted there, as `apply` has it. What
 * comes behind a summary comes before the tail it keeps. `tails`: where the tail of each boundary starts in it.
 */
function stepsOf(
  native: PiNative,
  edits: readonly Edit[],
  dropped: ReadonlySet<number>,
  moves: ReadonlyMap<number, number>,
  makeId: IdMaker,
): { steps: Step[]; tails: Map<number, number> } {
  const insertions = new Map<number, Insertion[]>()
  for (const edit of edits) {
    if (edit.kind !== 'answer-call' && edit.kind !== 'insert-message') continue
    insertions.set(edit.at.entry, [...(insertions.get(edit.at.entry) ?? []), edit])
  }
  const arriving = new Map<number, number[]>()
  for (const [ordinal, after] of moves) arriving.set(after, [...(arriving.get(after) ?? []), ordinal])
  const added = (ordinal: number): AddedEntry[] => {
    const anchor = native.entries[ordinal]
    if (!anchor) return []
    return (insertions.get(ordinal) ?? []).map((edit) => {
      const about = edit.kind === 'answer-call' ? edit.callId : edit.text
      return { edit, anchor, id: makeId(edit.kind, anchor.id ?? String(ordinal), about) }
    })
  }
  const behind = (ordinal: number): Step[] => {
    const arrived = dropped.has(ordinal) ? [] : (arriving.get(ordinal) ?? [])
    if (!dropped.has(ordinal)) arriving.delete(ordinal)
    return [...arrived, ...added(ordinal)]
  }
  const { path, boundary, firstKept } = native.branch
  const tailStart = boundary === undefined ? undefined : firstKept.get(boundary)
  const starts = new Map<number, number>()
  const steps: Step[] = []
  for (const ordinal of path) {
    starts.set(ordinal, steps.length)
    if (ordinal === tailStart && boundary !== undefined) for (const each of behind(boundary)) steps.push(each)
    // What was inserted behind a moved entry stays where that stood; what moved behind it comes last.
    if (moves.has(ordinal)) {
      for (const each of added(ordinal)) steps.push(each)
      continue
    }
    if (!dropped.has(ordinal)) steps.push(ordinal)
    if (ordinal !== boundary || tailStart === undefined) for (const each of behind(ordinal)) steps.push(each)
  }
  for (const rest of arriving.values()) for (const each of rest) steps.push(each)
  const tails = new Map<number, number>()
  for (const [opener, kept] of firstKept) {
    const start = kept === undefined ? undefined : starts.get(kept)
    if (start !== undefined) tails.set(opener, start)
  }
  return { steps, tails }
}

/** The lines that each added or moved step stands behind: the last step before it that keeps its place. */
function placesOf(native: PiNative, steps: readonly Step[], moves: ReadonlyMap<number, number>): Map<number, Step[]> {
  const places = new Map<number, Step[]>()
  let place = native.entries.find((entry) => entry.type === 'session')?.ordinal
  for (const step of steps) {
    if (typeof step === 'number' && !moves.has(step)) {
      place = step
      continue
    }
    const behind = place ?? (typeof step === 'number' ? step : step.anchor.ordinal)
    const list = places.get(behind)
    if (list) list.push(step)
    else places.set(behind, [step])
  }
  return places
}

type Setter = (ordinal: number, path: readonly string[], value: JsonValue) => void

function idOf(native: PiNative, step: Step | undefined): string | null {
  if (step === undefined) return null
  return typeof step === 'number' ? (native.entries[step]?.id ?? null) : step.id
}

/** The id of the last step before `index` that has one. */
function idBefore(native: PiNative, steps: readonly Step[], index: number): string | null {
  for (let at = index - 1; at >= 0; at--) {
    const id = idOf(native, steps[at])
    if (id !== null) return id
  }
  return null
}

function livingAncestor(native: PiNative, ordinal: number, dropped: ReadonlySet<number>): number | undefined {
  let at = native.branch.parents[ordinal]
  while (at !== undefined && dropped.has(at)) at = native.branch.parents[at]
  return at
}

/**
 * Parents change where another entry now stands before, and nowhere else. Side branches stay where they were: they
 * leave entries that left or moved away.
 */
function relink(native: PiNative, steps: readonly Step[], gone: ReadonlySet<number>, set: Setter): void {
  const { parents } = native.branch
  const onPath = new Set<number>()
  steps.forEach((step, index) => {
    if (typeof step !== 'number') return
    onPath.add(step)
    if (steps[index - 1] !== parents[step]) set(step, ['parentId'], idBefore(native, steps, index))
  })
  for (const { ordinal, type } of native.entries) {
    const parent = parents[ordinal]
    if (parent === undefined || type === 'leaf' || onPath.has(ordinal) || !gone.has(parent)) continue
    set(ordinal, ['parentId'], idOf(native, livingAncestor(native, ordinal, gone)))
  }
}

/** Labels, branch summaries and leaf controls name the nearest living ancestor of what left. */
function renameReferences(native: PiNative, dropped: ReadonlySet<number>, set: Setter): void {
  if (dropped.size === 0) return
  const byId = idsOf(native, dropped)
  const renamed = (id: string): string | null => {
    const ordinal = byId.get(id)
    return ordinal === undefined ? id : idOf(native, livingAncestor(native, ordinal, dropped))
  }
  for (const entry of native.entries) {
    if (entry.target && byId.has(entry.target)) set(entry.ordinal, ['targetId'], renamed(entry.target))
    if (entry.appendParent && byId.has(entry.appendParent)) {
      set(entry.ordinal, ['appendParentId'], renamed(entry.appendParent))
    }
    if (entry.from !== undefined && byId.has(entry.from)) {
      set(entry.ordinal, ['fromId'], renamed(entry.from) ?? 'root')
    }
  }
}

/** The kept tail starts at its first survivor that is no result (E05); version 1 counts entries instead. */
function renameFirstKept(
  native: PiNative,
  steps: readonly Step[],
  tails: ReadonlyMap<number, number>,
  dropped: ReadonlySet<number>,
  set: Setter,
): void {
  const canOpen = (step: Step): boolean => {
    if (typeof step !== 'number') return step.edit.kind === 'insert-message'
    const entry = native.entries[step]
    return entry?.role !== 'toolResult' && (native.linear || entry?.id !== undefined)
  }
  for (const [boundary, start] of tails) {
    const entry = native.entries[boundary]
    if (entry === undefined || dropped.has(boundary)) continue
    const kept = steps.slice(start, steps.indexOf(boundary)).find(canOpen) ?? boundary
    if (typeof entry.firstKept === 'number') {
      // Every entry has a place in a linear file; the header is the first.
      const headers = native.entries.filter(({ type, ordinal }) => type === 'session' && !dropped.has(ordinal)).length
      const place = headers + steps.indexOf(kept)
      if (place !== entry.firstKept) set(boundary, ['firstKeptEntryIndex'], place)
    } else if (kept !== native.branch.firstKept.get(boundary)) {
      const id = idOf(native, kept)
      if (id !== null) set(boundary, ['firstKeptEntryId'], id)
    }
  }
}

/**
 * The line that makes the end of the new path the leaf, where the last line of the file would not. The last leaf
 * control (OpenClaw v4), where it decides, is set to the new end instead.
 */
function leafMark(
  native: PiNative,
  steps: readonly Step[],
  places: ReadonlyMap<number, readonly Step[]>,
  gone: ReadonlySet<number>,
  set: Setter,
  makeId: IdMaker,
): string | undefined {
  const end = steps.at(-1)
  if (end === undefined) return undefined
  const oldEnd = native.branch.path.at(-1)
  let leaf: Step | undefined
  for (const entry of native.entries) {
    const { ordinal } = entry
    if (!gone.has(ordinal) && entry.type !== 'session' && !entry.side) {
      if (entry.type !== 'leaf') leaf = ordinal
      else {
        const target = native.branch.parents[ordinal]
        if (target !== undefined && target === oldEnd && end !== oldEnd) {
          set(ordinal, ['targetId'], idOf(native, end))
          if (entry.appendParent === entry.target) set(ordinal, ['appendParentId'], idOf(native, end))
          leaf = end
        } else leaf = target !== undefined && gone.has(target) ? livingAncestor(native, target, gone) : target
      }
    }
    leaf = places.get(ordinal)?.at(-1) ?? leaf
  }
  if (leaf === end) return undefined
  const time = typeof end === 'number' ? native.entries[end]?.time : end.anchor.time
  const parentId = idOf(native, end)
  return leafMarkText({ id: makeId('leaf', parentId ?? ''), parentId, time })
}

/** The tool that an answered call asked for. */
function toolNames(session: Session, edits: readonly Edit[]): (edit: EditOf<'answer-call'>) => string {
  const wanted = new Set(edits.filter((edit) => edit.kind === 'answer-call').map((edit) => edit.at.entry))
  const tools = new Map<string, string>()
  for (const message of session.main.messages) {
    const [entry] = message.entries
    if (entry === undefined || !wanted.has(entry)) continue
    for (const block of message.blocks) if (block.type === 'call') tools.set(`${entry}/${block.id}`, block.tool)
  }
  return (edit) => tools.get(`${edit.at.entry}/${edit.callId}`) ?? ''
}

function followersOf(
  native: PiNative,
  steps: readonly Step[],
  places: ReadonlyMap<number, readonly Step[]>,
  toolOf: (edit: EditOf<'answer-call'>) => string,
): Map<number, Follower[]> {
  const indexes = new Map<Step, number>()
  for (const [index, step] of places.size > 0 ? steps.entries() : []) indexes.set(step, index)
  const follower = (step: Step): Follower => {
    if (typeof step === 'number') return { moved: step }
    const { edit, anchor, id } = step
    const { time } = anchor
    const placed = native.linear ? { time } : { id, parentId: idBefore(native, steps, indexes.get(step) ?? 0), time }
    if (edit.kind === 'answer-call') return { text: answerText(edit, toolOf(edit), placed) }
    return { text: messageText(edit, placed, native.speaker) }
  }
  return new Map([...places].map(([ordinal, list]) => [ordinal, list.map(follower)]))
}
