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
  const native = nativeOf(session)
  const dropped = droppedEntries(session, native, edits)
  const moves = movesOf(native, edits, dropped)
  const makeId = idMaker(native.entries)
  const steps = stepsOf(native, edits, dropped, moves, makeId)
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
    relink(native, steps, dropped, set)
    const mark = leafMark(native, steps, dropped, set, makeId)
    if (mark !== undefined) tail.push(mark)
    renameReferences(native, dropped, set)
  }
  renameFirstKept(native, steps, dropped, moves, set)
  for (const ordinal of dropped) fields.delete(ordinal)
  const followers = followersOf(native, steps, moves, toolNames(session))
  return { gone: native.linear ? new Set([...dropped, ...moves.keys()]) : dropped, followers, fields, tail }
}

/** Entries whose message does not survive, those dropped by name, and the edits and labels that are about them. */
function droppedEntries(session: Session, native: PiNative, edits: readonly Edit[]): Set<number> {
  const dropped = new Set<number>()
  for (const edit of edits) if (edit.kind === 'drop-message') for (const entry of edit.entries) dropped.add(entry)
  const alive = new Set(apply(session.main, edits).messages.flatMap((message) => message.entries))
  for (const message of session.main.messages) {
    for (const entry of message.entries) if (!alive.has(entry)) dropped.add(entry)
  }
  const ids = new Set<string>()
  for (const ordinal of dropped) {
    const id = native.entries[ordinal]?.id
    if (id !== undefined) ids.add(id)
  }
  for (const entry of native.entries) {
    if (entry.type === 'context_edit' && entry.target && ids.has(entry.target)) dropped.add(entry.ordinal)
  }
  return dropped
}

/** Where each moved entry goes, in the order of the path. */
function movesOf(native: PiNative, edits: readonly Edit[], dropped: ReadonlySet<number>): Map<number, number> {
  const asked = new Map<number, number>()
  for (const edit of edits)
    if (edit.kind === 'move' && !dropped.has(edit.at.entry)) asked.set(edit.at.entry, edit.after)
  if (asked.size === 0) return asked
  const moves = new Map<number, number>()
  for (const ordinal of native.branch.path) {
    const after = asked.get(ordinal)
    if (after !== undefined) moves.set(ordinal, after)
  }
  return moves
}

/** The new path: behind each entry stand what moved there, then what was inserted there, as `apply` has it. */
function stepsOf(
  native: PiNative,
  edits: readonly Edit[],
  dropped: ReadonlySet<number>,
  moves: ReadonlyMap<number, number>,
  makeId: IdMaker,
): Step[] {
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
  const steps: Step[] = []
  for (const ordinal of native.branch.path) {
    if (!moves.has(ordinal) && !dropped.has(ordinal)) {
      steps.push(ordinal)
      for (const moved of arriving.get(ordinal) ?? []) steps.push(moved, ...added(moved))
      arriving.delete(ordinal)
    }
    if (!moves.has(ordinal)) steps.push(...added(ordinal))
  }
  for (const rest of arriving.values()) for (const moved of rest) steps.push(moved, ...added(moved))
  return steps
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

/** Parents change where another entry now stands before, and nowhere else. */
function relink(native: PiNative, steps: readonly Step[], dropped: ReadonlySet<number>, set: Setter): void {
  const { parents } = native.branch
  const onPath = new Set<number>()
  steps.forEach((step, index) => {
    if (typeof step !== 'number') return
    onPath.add(step)
    if (steps[index - 1] !== parents[step]) set(step, ['parentId'], idBefore(native, steps, index))
  })
  for (const { ordinal, type } of native.entries) {
    const parent = parents[ordinal]
    if (parent === undefined || type === 'leaf' || onPath.has(ordinal) || !dropped.has(parent)) continue
    const ancestor = livingAncestor(native, ordinal, dropped)
    set(ordinal, ['parentId'], idOf(native, ancestor))
  }
}

/** Labels, branch summaries and leaf controls name the nearest living ancestor of what left. */
function renameReferences(native: PiNative, dropped: ReadonlySet<number>, set: Setter): void {
  if (dropped.size === 0) return
  const byId = new Map<string, number>()
  for (const ordinal of dropped) {
    const id = native.entries[ordinal]?.id
    if (id !== undefined) byId.set(id, ordinal)
  }
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

/** The recorded kept tail starts at the next survivor that is no result (E05); version 1 counts entries instead. */
function renameFirstKept(
  native: PiNative,
  steps: readonly Step[],
  dropped: ReadonlySet<number>,
  moves: ReadonlyMap<number, number>,
  set: Setter,
): void {
  const { path, firstKept } = native.branch
  for (const [boundary, recorded] of firstKept) {
    const entry = native.entries[boundary]
    if (entry === undefined || recorded === undefined || dropped.has(boundary)) continue
    const before = path.slice(path.indexOf(recorded), path.indexOf(boundary))
    const kept = before.find((ordinal) => stays(ordinal) && native.entries[ordinal]?.role !== 'toolResult')
    if (typeof entry.firstKept === 'number') {
      // Every entry has a place in a linear file; the header is the first.
      const headers = native.entries.filter(({ type, ordinal }) => type === 'session' && !dropped.has(ordinal)).length
      const place = headers + steps.indexOf(kept ?? boundary)
      if (place !== entry.firstKept) set(boundary, ['firstKeptEntryIndex'], place)
    } else if (kept !== recorded) {
      const id = native.entries[kept ?? boundary]?.id
      if (id !== undefined) set(boundary, ['firstKeptEntryId'], id)
    }
  }

  function stays(ordinal: number): boolean {
    const entry = native.entries[ordinal]
    return !dropped.has(ordinal) && !moves.has(ordinal) && (native.linear || entry?.id !== undefined)
  }
}

/**
 * The line that makes the end of the new path the leaf, where the last line of the file would not. The last leaf
 * control (OpenClaw v4), where it decides, is set to the new end instead.
 */
function leafMark(
  native: PiNative,
  steps: readonly Step[],
  dropped: ReadonlySet<number>,
  set: Setter,
  makeId: IdMaker,
): string | undefined {
  const end = steps.at(-1)
  if (end === undefined) return undefined
  const oldEnd = native.branch.path.at(-1)
  const added = new Map<number, AddedEntry>()
  for (const step of steps) if (typeof step !== 'number') added.set(step.anchor.ordinal, step)
  let leaf: Step | undefined
  for (const entry of native.entries) {
    if (!dropped.has(entry.ordinal) && entry.type !== 'session' && !entry.side) {
      if (entry.type !== 'leaf') leaf = entry.ordinal
      else {
        const target = native.branch.parents[entry.ordinal]
        leaf = target
        if (target !== undefined && target === oldEnd && end !== oldEnd) {
          set(entry.ordinal, ['targetId'], idOf(native, end))
          if (entry.appendParent === entry.target) set(entry.ordinal, ['appendParentId'], idOf(native, end))
          leaf = end
        } else if (target !== undefined && dropped.has(target)) leaf = livingAncestor(native, target, dropped)
      }
    }
    leaf = added.get(entry.ordinal) ?? leaf
  }
  if (leaf === end) return undefined
  const time = typeof end === 'number' ? native.entries[end]?.time : end.anchor.time
  const parentId = idOf(native, end)
  return leafMarkText({ id: makeId('leaf', parentId ?? ''), parentId, time })
}

/** The tool that an answered call asked for. */
function toolNames(session: Session): (edit: EditOf<'answer-call'>) => string {
  return (edit) => {
    const message = session.main.messages.find(({ entries }) => entries.includes(edit.at.entry))
    const call = message?.blocks.find((block) => block.type === 'call' && block.id === edit.callId)
    return call?.type === 'call' ? call.tool : ''
  }
}

/** What is written behind each entry's line. Only version 1 files move lines: elsewhere the links say the order. */
function followersOf(
  native: PiNative,
  steps: readonly Step[],
  moves: ReadonlyMap<number, number>,
  toolOf: (edit: EditOf<'answer-call'>) => string,
): Map<number, Follower[]> {
  const followers = new Map<number, Follower[]>()
  const lastRecorded = native.entries.length - 1
  let place: number | undefined
  steps.forEach((step, index) => {
    if (typeof step === 'number') {
      if (!native.linear || !moves.has(step)) place = step
      else follow(place ?? moves.get(step) ?? lastRecorded, { moved: step })
      return
    }
    const { edit, anchor, id } = step
    const time = anchor.time
    const placed = native.linear ? { time } : { id, parentId: idBefore(native, steps, index), time }
    const text =
      edit.kind === 'answer-call' ? answerText(edit, toolOf(edit), placed) : messageText(edit, placed, native.speaker)
    follow(native.linear ? (place ?? anchor.ordinal) : anchor.ordinal, { text })
  })
  return followers

  function follow(ordinal: number, follower: Follower): void {
    const list = followers.get(ordinal)
    if (list) list.push(follower)
    else followers.set(ordinal, [follower])
  }
}
