/**
 * What the edits mean for each recorded entry: which blocks change or leave, which entries leave whole. Agrees with
 * `apply` on the neutral view, whose messages may span several entries.
 */
import type { Edit, EditOf } from '../../core/edits.ts'
import type { Block, JsonValue, Message } from '../../core/transcript.ts'
import type { Session } from '../format.ts'
import type { Native } from './session.ts'

export type BlockEdit = EditOf<
  'replace-result' | 'replace-arguments' | 'replace-media' | 'replace-text' | 'result-to-text' | 'fold-exchange'
>

export interface EntryPlan {
  readonly blocks: Map<number, BlockEdit>
  /** Blocks that leave. */
  readonly removed: Set<number>
  /** Thinking leaves; the entry stays even when empty. */
  strip: boolean
  order: readonly number[] | undefined
  /** New values of fields, by dotted path. */
  readonly fields: Map<string, JsonValue>
  splitLine: boolean
  /** Nothing is left of the entry but its place in the chain. */
  hollow: boolean
}

/** A new entry and the recorded one it follows. */
export interface Insertion {
  readonly behind: number
  readonly edit: EditOf<'answer-call'> | EditOf<'insert-message'>
}

/** One entry that goes behind another; a message of several entries moves as several. */
export interface Move {
  readonly entry: number
  readonly after: number
}

export interface EditPlan {
  readonly entries: Map<number, EntryPlan>
  /** Entries that leave whole. */
  readonly gone: Set<number>
  readonly insertions: readonly Insertion[]
  readonly moves: readonly Move[]
  readonly relinks: ReadonlyMap<number, string | null>
}

export function planOf(entries: Map<number, EntryPlan>, entry: number): EntryPlan {
  const known = entries.get(entry)
  if (known) return known
  const plan: EntryPlan = {
    blocks: new Map(),
    removed: new Set(),
    strip: false,
    order: undefined,
    fields: new Map(),
    splitLine: false,
    hollow: false,
  }
  entries.set(entry, plan)
  return plan
}

export function planEdits(session: Session, native: Native, edits: readonly Edit[]): EditPlan {
  const entries = new Map<number, EntryPlan>()
  const gone = new Set<number>()
  const insertions: Insertion[] = []
  const moves: Move[] = []
  const relinks = new Map<number, string | null>()
  const members = membersOf(session, native)
  const { messageAt, lastOnBranch } = members
  const targets = new Map<number, readonly number[]>()
  const droppedCalls = new Map<number, string[]>()
  for (const edit of edits) {
    const { entry, block } = edit.at
    if (!native.entries[entry]) continue
    const plan = planOf(entries, entry)
    switch (edit.kind) {
      case 'drop-message':
        for (const member of edit.entries) if (native.entries[member]) gone.add(member)
        break
      case 'drop-exchange':
      case 'fold-exchange':
        if (edit.kind === 'fold-exchange') plan.blocks.set(block ?? 0, edit)
        else plan.removed.add(block ?? 0)
        if (edit.result) planOf(entries, edit.result.entry).removed.add(edit.result.block ?? 0)
        droppedCalls.set(entry, [...(droppedCalls.get(entry) ?? []), callIdAt(native, entry, block ?? 0)])
        break
      case 'drop-block':
        plan.removed.add(block ?? 0)
        break
      case 'strip-thinking':
        plan.strip = true
        break
      case 'reorder':
        plan.order = edit.order
        break
      case 'answer-call':
        insertions.push({ behind: entry, edit })
        break
      case 'insert-message':
        insertions.push({ behind: lastOnBranch(messageAt(entry)) ?? entry, edit })
        break
      case 'move': {
        const target = messageAt(edit.after)
        const after = lastOnBranch(target) ?? edit.after
        for (const each of messageAt(entry).map((member) => ({ entry: member, after }))) moves.push(each)
        targets.set(after, target)
        break
      }
      case 'relink':
        relinks.set(entry, edit.parent)
        break
      case 'split-line':
        plan.splitLine = true
        break
      case 'set-field':
        plan.fields.set(edit.field, edit.value)
        break
      default:
        plan.blocks.set(block ?? 0, edit)
    }
  }
  for (const each of yieldingTo(moves, targets, members)) moves.push(each)
  for (const transcript of [session.main, ...session.others]) {
    for (const message of transcript.messages) emptied(message, entries, gone)
  }
  for (const attachment of attachmentsOf(native, droppedCalls)) gone.add(attachment)
  if (gone.size > 0) for (const repeat of repeatsOf(native, gone)) gone.add(repeat)
  return { entries, gone, insertions, moves, relinks }
}

/** Lines that repeat an entry's key leave with it, else they would take its place. */
function repeatsOf(native: Native, gone: ReadonlySet<number>): number[] {
  return native.entries.flatMap(({ link }, ordinal) => {
    const first = link.key === undefined ? ordinal : (native.byKey.get(link.key) ?? ordinal)
    return first !== ordinal && gone.has(first) ? ordinal : []
  })
}

interface Members {
  /** All entries of the message that one of its entries stands for. */
  messageAt(entry: number): readonly number[]
  /** A message is put behind all entries of the one before it, where the branch leads on. */
  lastOnBranch(entries: readonly number[]): number | undefined
  /** Entries of the branch that speak between the entries of one message and answer none of its calls. */
  between(members: readonly number[]): readonly number[]
}

/** Indexed where there is anything to look up: a long damaged session asks for thousands. */
function membersOf(session: Session, native: Native): Members {
  let messages: Map<number, readonly number[]> | undefined
  let places: Map<number, number> | undefined
  const placeOf = (entry: number): number | undefined => {
    places ??= new Map([...native.paths.values()].flatMap((path) => path.map((one, index) => [one, index] as const)))
    return places.get(entry)
  }
  return {
    messageAt(entry) {
      messages ??= new Map(
        [...session.others, session.main].flatMap((transcript) =>
          transcript.messages.flatMap(({ entries }) => entries.map((member) => [member, entries] as const)),
        ),
      )
      return messages.get(entry) ?? [entry]
    },
    lastOnBranch: (entries) => entries.findLast((entry) => placeOf(entry) !== undefined),
    between(members) {
      const own = members.flatMap((entry) => placeOf(entry) ?? []).sort((a, b) => a - b)
      const [first, last] = [own[0], own.at(-1)]
      if (first === undefined || last === undefined || last - first < own.length) return []
      const path = native.paths.get(native.entries[members[0] ?? 0]?.link.thread ?? '') ?? []
      const ours = new Set(members)
      return path.slice(first, last + 1).filter((entry) => {
        const sent = native.entries[entry]?.sent
        return sent !== undefined && !ours.has(entry) && !ours.has(sent.answers)
      })
    },
  }
}

/** What stands between the entries of a message would still stand before what moved behind it: it comes after that. */
function yieldingTo(moves: readonly Move[], targets: ReadonlyMap<number, readonly number[]>, members: Members): Move[] {
  const lastBehind = new Map(moves.map(({ entry, after }) => [after, entry]))
  const moving = new Set(moves.map(({ entry }) => entry))
  return [...targets].flatMap(([target, entries]) => {
    const after = lastBehind.get(target) ?? target
    const between = members.between(entries).filter((entry) => !moving.has(entry))
    for (const entry of between) moving.add(entry)
    return between.map((entry) => ({ entry, after }))
  })
}

function callIdAt(native: Native, entry: number, block: number): string {
  const call = native.entries[entry]?.sent?.blocks.find((one) => one.at.block === block)
  return call?.type === 'call' ? call.id : ''
}

/**
 * Where blocks left a message: entries that are empty now leave as lines, and all of them when nothing but thinking
 * is left (never a message of thinking alone).
 */
function emptied(message: Message, entries: ReadonlyMap<number, EntryPlan>, gone: Set<number>): void {
  const touched = message.entries.filter((entry) => (entries.get(entry)?.removed.size ?? 0) > 0)
  if (touched.length === 0) return
  const stays = (block: Block): boolean => {
    const plan = entries.get(block.at.entry)
    const removed = plan?.removed.has(block.at.block ?? 0) || (plan?.strip && block.type === 'thinking')
    return !removed && !gone.has(block.at.entry)
  }
  const left = message.blocks.filter(stays)
  if (left.every((block) => block.type === 'thinking')) {
    for (const entry of message.entries) gone.add(entry)
    return
  }
  const alive = new Set(left.map((block) => block.at.entry))
  for (const entry of touched) if (!alive.has(entry)) gone.add(entry)
}

/** Attachments about a dropped call (a hook's blocking error, …) leave with it; ids repeat, so the newest call counts. */
function attachmentsOf(native: Native, droppedCalls: ReadonlyMap<number, readonly string[]>): number[] {
  if (droppedCalls.size === 0) return []
  const watched = new Set([...droppedCalls.values()].flat())
  const newest = new Map<string, number>()
  const attachments: number[] = []
  native.entries.forEach((entry, ordinal) => {
    for (const block of entry.sent?.blocks ?? []) {
      if (block.type === 'call' && watched.has(block.id)) newest.set(`${entry.link.thread}/${block.id}`, ordinal)
    }
    const about = entry.references?.toolUse
    if (about === undefined || !watched.has(about)) return
    const call = newest.get(`${entry.link.thread}/${about}`)
    if (call !== undefined && droppedCalls.get(call)?.includes(about)) attachments.push(ordinal)
  })
  return attachments
}
