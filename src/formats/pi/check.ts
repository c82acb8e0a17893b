/** What pi and OpenClaw expect of a session file beyond legal turns (message-rules E01-E09), and its repairs. */
import type { Edit, EditChange } from '../../core/edits.ts'
import type { Violation } from '../../core/legality/violation.ts'
import type { JsonValue } from '../../core/transcript.ts'
import type { Session } from '../format.ts'
import { idMaker } from './derived.ts'
import type { PiEntry } from './entry.ts'
import { nativeOf, type PiNative } from './reader.ts'

/** A fault of one entry with the edit that mends it, where there is one that loses nothing. */
interface Fault {
  readonly rule: string
  readonly severity: Violation['severity']
  readonly entry: PiEntry
  readonly message: string
  readonly id?: string
  readonly repair?: { readonly block?: number; readonly what: string; readonly change: EditChange }
}

export function checkPi(session: Session): Violation[] {
  return faultsOf(session).map(({ rule, severity, entry, message, id }) => ({
    rule,
    severity,
    message,
    at: { thread: session.main.thread, entry: entry.ordinal },
    line: entry.line,
    ...((id ?? entry.id) === undefined ? {} : { id: id ?? entry.id ?? '' }),
  }))
}

export function repairsOfPi(session: Session): Edit[] {
  const { thread } = session.main
  return [...splitsOf(session), ...faultsOf(session)].flatMap(({ rule, entry, repair }): Edit[] => {
    if (!repair) return []
    const { block, what, change } = repair
    const at = { thread, entry: entry.ordinal, ...(block === undefined ? {} : { block }) }
    return [{ rule, reason: what, purpose: 'legality', class: 'worthless', frees: 0, removed: [], at, ...change }]
  })
}

function faultsOf(session: Session): Fault[] {
  const native = nativeOf(session)
  return [
    ...headerFaults(native),
    ...(native.linear
      ? []
      : [...linkFaults(native), ...keptFaults(native), ...referenceFaults(native), ...editFaults(native)]),
    ...skippedFaults(session, native),
    ...contentFaults(session, native),
  ]
}

/** pi passes over a line of joined objects as damaged: each gets a line of its own. */
function splitsOf(session: Session): Fault[] {
  const native = nativeOf(session)
  const lines = new Set(native.raggedLines)
  return native.entries.flatMap((entry) => {
    if (!lines.delete(entry.line)) return []
    const what = 'joined objects get a line each'
    return [{ rule: 'E01', severity: 'warn', entry, message: what, repair: { what, change: { kind: 'split-line' } } }]
  })
}

function setField(field: string, value: JsonValue, what: string): NonNullable<Fault['repair']> {
  return { what, change: { kind: 'set-field', field, value } }
}

function drop(entry: PiEntry, what: string): NonNullable<Fault['repair']> {
  return { what, change: { kind: 'drop-message', entries: [entry.ordinal] } }
}

function headerFaults({ entries }: PiNative): Fault[] {
  const [first] = entries
  if (first === undefined || first.type === 'session') return []
  const message = 'the first entry is no header: pi takes such a file for empty'
  return [{ rule: 'E01', severity: 'reject', entry: first, message }]
}

/** The id of the parent an entry has in the view, also where a repair gives it one; null for a root. */
function parentId(native: PiNative, ordinal: number, given: ReadonlyMap<number, string>): string | null {
  const at = native.branch.parents[ordinal]
  return at === undefined ? null : (native.entries[at]?.id ?? given.get(at) ?? null)
}

function linkFaults(native: PiNative): Fault[] {
  const { entries, branch } = native
  const makeId = idMaker(entries)
  const faults: Fault[] = []
  const seen = new Set<string>()
  const given = new Map<number, string>()
  for (const entry of entries) {
    if (entry.type === 'session') continue
    if (entry.id === undefined) {
      const id = makeId('id', String(entry.ordinal))
      given.set(entry.ordinal, id)
      const repair = setField('id', id, 'an entry without id gets one')
      faults.push({ rule: 'E01', severity: 'reject', entry, message: `${entry.type} entry has no id`, repair })
    } else if (seen.has(entry.id)) {
      const message = `id ${entry.id} stands twice: a parent of that name is ambiguous`
      faults.push({ rule: 'E08', severity: 'warn', entry, message })
    } else seen.add(entry.id)
  }
  const relinked = (ordinal: number): NonNullable<Fault['repair']> => ({
    what: 'linked to the entry that was the leaf before it',
    change: { kind: 'relink', parent: parentId(native, ordinal, given) },
  })
  for (const ordinal of branch.broken) {
    const entry = entries[ordinal]
    if (!entry || (entry.parent === undefined && branch.parents[ordinal] === undefined)) continue
    const message =
      entry.parent == null ? 'entry has no parentId' : `parent ${entry.parent} is no entry before this one`
    faults.push({ rule: 'E01', severity: 'reject', entry, message, repair: relinked(ordinal) })
  }
  for (const ordinal of branch.lostTips) {
    const tip = entries[ordinal]
    if (!tip) continue
    const message = 'the last entry starts a branch of its own: the conversation would be empty'
    faults.push({ rule: 'E02', severity: 'reject', entry: tip, message, repair: relinked(tip.ordinal) })
  }
  return faults
}

function keptFaults(native: PiNative): Fault[] {
  const { entries, branch } = native
  return [...branch.firstKept].flatMap(([ordinal, kept]): Fault[] => {
    const entry = entries[ordinal]
    if (typeof entry?.firstKept !== 'string') return []
    const id = kept === undefined ? entry.id : entries[kept]?.id
    if (id === entry.firstKept || id === undefined) return []
    const message = `the kept tail starts at ${entry.firstKept}, which is a result or not on the path before`
    const repair = setField('firstKeptEntryId', id, 'the kept tail starts at an entry that can be sent')
    return [{ rule: 'E05', severity: 'reject', entry, message, id: entry.firstKept, repair }]
  })
}

function referenceFaults({ entries }: PiNative): Fault[] {
  const ids = new Set(entries.map((entry) => entry.id))
  return entries.flatMap((entry): Fault[] => {
    const { type, target, from } = entry
    if (type === 'label' && !(target && ids.has(target))) {
      const message = `label on ${target ?? 'nothing'}, which is no entry`
      return [{ rule: 'E06', severity: 'warn', entry, message, repair: drop(entry, 'a label on nothing leaves') }]
    }
    if (type === 'leaf' && (target === undefined || (target !== null && !ids.has(target)))) {
      const message = `leaf control for ${target ?? 'nothing'}, which is no entry`
      return [
        { rule: 'E06', severity: 'warn', entry, message, repair: drop(entry, 'a leaf control without effect leaves') },
      ]
    }
    if (type === 'branch_summary' && from !== undefined && from !== 'root' && !ids.has(from)) {
      const message = `branch summary from ${from}, which is no entry`
      return [
        {
          rule: 'E06',
          severity: 'warn',
          entry,
          message,
          repair: setField('fromId', 'root', 'the branch came from the root'),
        },
      ]
    }
    return []
  })
}

const EDITABLE = new Set(['user', 'assistant', 'toolResult'])

function editFaults({ entries, branch }: PiNative): Fault[] {
  const before = new Map<string, PiEntry>()
  const faults: Fault[] = []
  for (const ordinal of branch.path) {
    const entry = entries[ordinal]
    if (!entry) continue
    if (entry.type === 'context_edit') {
      const target = entry.target ? before.get(entry.target) : undefined
      const isEditable = target && (target.type === 'custom_message' || EDITABLE.has(target.role ?? ''))
      const message = !target
        ? `context edit of ${entry.target ?? 'nothing'}, which is not on the active branch before it`
        : !isEditable
          ? `context edit of ${entry.target}, which holds no editable content`
          : entry.replaces === 'malformed'
            ? 'context edit whose replacement is neither null nor content'
            : undefined
      if (message !== undefined) {
        const repair = drop(entry, 'a context edit without effect leaves')
        faults.push({ rule: 'E07', severity: 'reject', entry, message, repair })
      }
    }
    if (entry.id !== undefined) before.set(entry.id, entry)
  }
  return faults
}

/** Results of calls whose message is never sent answer nothing (E04). */
function skippedFaults(session: Session, { entries, branch }: PiNative): Fault[] {
  const sent = new Set(session.main.messages.flatMap((message) => message.entries))
  const skipped = new Set<string>()
  return branch.window.flatMap((ordinal): Fault[] => {
    const entry = entries[ordinal]
    if (entry?.role === 'assistant') {
      skipped.clear()
      if (entry.skipped) for (const id of entry.callIds ?? []) skipped.add(id)
    }
    if (entry?.callId === undefined || !skipped.has(entry.callId) || !sent.has(ordinal)) return []
    const message = `result for ${entry.callId}, whose call failed or was stopped and is not sent`
    const what = 'the result of a call that is not sent is kept as text'
    const repair = { block: 0, what, change: { kind: 'result-to-text' as const } }
    return [{ rule: 'E04', severity: 'reject', entry, message, id: entry.callId, repair }]
  })
}

/** Results and assistant messages hold arrays (E09). Content that a context edit replaced is not sent. */
function contentFaults(session: Session, { entries, contentIn }: PiNative): Fault[] {
  return session.main.messages.flatMap((message): Fault[] => {
    const entry = entries[message.entries[0] ?? -1]
    if (!entry || entry.content === undefined || entry.content === 'array' || contentIn.has(entry.ordinal)) return []
    if (entry.role !== 'assistant' && entry.role !== 'toolResult') return []
    const [block] = message.blocks
    const part = block?.type === 'result' ? block.parts[0] : block
    const text = part?.type === 'text' ? part.text : ''
    const value = text === '' ? [] : [{ type: 'text', text }]
    const repair = setField('message.content', value, 'the content becomes an array of blocks')
    const words = `content of a ${entry.role} message is no array`
    return [{ rule: 'E09', severity: 'warn', entry, message: words, repair }]
  })
}
