/**
 * What is wrong with a session file's own shape (message-rules D), each finding with its repair where there is one.
 * `check` shows the violations, `repairs` the edits, so that neither can know more than the other.
 *
 * D06 (the flattened branch obeys the turn rules) is core/legality's. D10 is about what edits may drop. D14 cannot be
 * seen at rest: whether thinking came before or after an edit is not recorded.
 */
import type { Edit, EditChange } from '../../core/edits.ts'
import type { Severity, Violation } from '../../core/legality/violation.ts'
import type { Session } from '../format.ts'
import { ROOT } from './chain.ts'
import type { Entry, Oddity } from './entry.ts'
import { layoutOf } from './layout.ts'
import { type Native, nativeOf } from './session.ts'

export interface Finding {
  readonly violation: Violation
  readonly repairs: readonly Edit[]
}

export function findingsOf(session: Session): Finding[] {
  const native = nativeOf(session)
  return [
    ...parentFindings(native),
    ...repeatedKeys(native),
    ...foreignReferences(native),
    ...interleaved(native),
    ...boundaries(native),
    ...oddities(native),
    ...lineFindings(session, native),
    ...foreignSessions(native),
  ]
}

function found(
  entry: Entry | undefined,
  rule: string,
  severity: Severity,
  message: string,
  repairs: readonly Edit[] = [],
): Finding {
  const at = entry && { thread: entry.link.thread, entry: entry.link.entry }
  return {
    violation: {
      rule,
      severity,
      message,
      ...(at ? { at } : {}),
      ...(entry ? { line: entry.link.line } : {}),
      ...(entry?.link.key === undefined ? {} : { id: entry.link.key }),
    },
    repairs,
  }
}

function repair(entry: Entry, rule: string, reason: string, change: EditChange): Edit {
  return {
    ...change,
    rule,
    reason,
    at: { thread: entry.link.thread, entry: entry.link.entry },
    purpose: 'legality',
    class: 'worthless',
    frees: 0,
    removed: [],
  }
}

const FAULTS = {
  dangling: {
    rule: 'D01',
    severity: 'reject',
    says: 'names no entry of this file: what came before is lost on resume',
  },
  'other-thread': { rule: 'D04', severity: 'reject', says: "is a subagent's entry" },
  cycle: { rule: 'D02', severity: 'warn', says: 'leads back to the entry itself' },
} as const

function parentFindings(native: Native): Finding[] {
  return native.chain.faults.flatMap((fault) => {
    const entry = native.entries[fault.entry]
    if (!entry) return []
    const { rule, severity, says } = FAULTS[fault.cause]
    const parent = native.entries[fault.parent]?.link.key ?? null
    const reason = parent === null ? 'linked as a root' : `linked to the entry before it, ${parent}`
    return found(entry, rule, severity, `parentUuid ${entry.link.parent} ${says}`, [
      repair(entry, rule, reason, { kind: 'relink', parent }),
    ])
  })
}

function repeatedKeys(native: Native): Finding[] {
  return native.entries.flatMap((entry, ordinal) => {
    const { key, line } = entry.link
    const first = key === undefined ? undefined : native.byKey.get(key)
    const original = first === undefined || first === ordinal ? undefined : native.entries[first]
    if (!original) return []
    const message = `uuid ${key} already stands in line ${original.link.line}`
    const same = sameContent(entry, original)
    const drop = repair(entry, 'D02', `line ${line} repeats line ${original.link.line}`, {
      kind: 'drop-message',
      entries: [ordinal],
    })
    return found(entry, 'D02', 'warn', message, same ? [drop] : [])
  })
}

function sameContent(a: Entry, b: Entry): boolean {
  const words = (entry: Entry): string =>
    JSON.stringify([entry.type, entry.link.parent, entry.sent?.blocks.map(({ at: _, ...block }) => block)])
  return words(a) === words(b)
}

/** What names nothing here may name an entry of another file: kept. */
function foreignReferences(native: Native): Finding[] {
  const isForeign = (key: string | undefined): boolean => key !== undefined && !native.byKey.has(key)
  return native.entries.flatMap((entry) => {
    const { leaf, logicalParent, sourceAssistant } = entry.references ?? {}
    const findings: Finding[] = []
    if (isForeign(leaf)) {
      findings.push(
        found(entry, entry.type === 'summary' ? 'D12' : 'D03', 'warn', `leafUuid ${leaf} names no entry of this file`),
      )
    }
    if (isForeign(logicalParent)) {
      findings.push(found(entry, 'D08', 'warn', `logicalParentUuid ${logicalParent} names no entry of this file`))
    }
    if (isForeign(sourceAssistant)) {
      findings.push(
        found(entry, 'D07', 'warn', `sourceToolAssistantUUID ${sourceAssistant} names no entry of this file`),
      )
    }
    return findings
  })
}

/** Entries of one message id belong together; another message between them splits it (D05). */
function interleaved(native: Native): Finding[] {
  return [...native.paths.values()].flatMap((path) => {
    const findings: Finding[] = []
    const newest = new Map<string, number>()
    let current: string | undefined
    path.forEach((ordinal, index) => {
      const entry = native.entries[ordinal]
      if (entry?.sent?.role !== 'assistant' || entry.sent.kind !== undefined) return
      const { id } = entry.sent
      const before = id === undefined ? undefined : newest.get(id)
      if (before !== undefined && id !== current) {
        const message = `message ${id} goes on after another message began`
        findings.push(found(entry, 'D05', 'reject', message, together(native, path, index, before)))
      }
      if (id !== undefined) newest.set(id, ordinal)
      current = id
    })
    return findings
  })
}

/** The entry moves behind the last one of its message; its neighbours close up. */
function together(native: Native, path: readonly number[], index: number, before: number): Edit[] {
  const entry = native.entries[path[index] ?? ROOT]
  const follower = native.entries[path[path.indexOf(before) + 1] ?? ROOT]
  const previous = native.entries[path[index - 1] ?? ROOT]?.link.key
  const next = native.entries[path[index + 1] ?? ROOT]
  const target = native.entries[before]?.link.key
  if (!entry?.link.key || !follower || target === undefined || previous === undefined) return []
  const reason = 'entries of one message stand together'
  const relink = (one: Entry, parent: string): Edit => repair(one, 'D05', reason, { kind: 'relink', parent })
  return [relink(entry, target), relink(follower, entry.link.key), ...(next ? [relink(next, previous)] : [])]
}

function boundaries(native: Native): Finding[] {
  return native.entries.flatMap((entry) => {
    if (!entry.isBoundary) return []
    const findings = preservedFindings(native, entry)
    if (typeof entry.link.parent === 'string') {
      const relink = repair(entry, 'D08', 'a compaction starts anew', { kind: 'relink', parent: null })
      findings.push(
        found(entry, 'D08', 'reject', 'a compact_boundary has a parent: the old history comes back', [relink]),
      )
    }
    return findings
  })
}

/** `allUuids` also lists what the harness never wrote; only what it re-attaches must exist (D09). */
function preservedFindings(native: Native, boundary: Entry): Finding[] {
  const preserved = boundary.references?.preserved
  if (!preserved) return []
  const exists = (key: string | undefined): boolean => key === undefined || native.byKey.has(key)
  const living = preserved.keys.filter(exists)
  const findings: Finding[] = []
  const wrong = (what: string, field: string, value: string | readonly string[] | null): void => {
    const edit = repair(boundary, 'D09', `${what} follows the entries that exist`, {
      kind: 'set-field',
      field: `compactMetadata.${field}`,
      value,
    })
    findings.push(found(boundary, 'D09', 'reject', `${what} names an entry that is not in this file`, [edit]))
  }
  if (living.length < preserved.keys.length) wrong('preservedMessages.uuids', 'preservedMessages.uuids', living)
  if (!exists(preserved.head)) wrong('preservedSegment.headUuid', 'preservedSegment.headUuid', living[0] ?? null)
  if (!exists(preserved.tail)) wrong('preservedSegment.tailUuid', 'preservedSegment.tailUuid', living.at(-1) ?? null)
  if (!exists(preserved.anchor)) {
    const anchor = summaryBehind(native, boundary)
    wrong('preservedMessages.anchorUuid', 'preservedMessages.anchorUuid', anchor)
    wrong('preservedSegment.anchorUuid', 'preservedSegment.anchorUuid', anchor)
  }
  return findings
}

function summaryBehind(native: Native, boundary: Entry): string | null {
  const ordinals = native.threads.get(boundary.link.thread) ?? []
  const summary = ordinals.find(
    (ordinal) => ordinal > boundary.link.entry && native.entries[ordinal]?.sent?.kind === 'compaction-summary',
  )
  return (summary === undefined ? boundary.link.key : native.entries[summary]?.link.key) ?? null
}

const ODDITIES: Readonly<Record<Oddity, { rule: string; says: string }>> = {
  'copy-keeps-content': { rule: 'D07', says: 'toolUseResult still holds what left the message' },
  'error-as-model-text': { rule: 'D11', says: 'an API error is recorded as the words of a model' },
  'foreign-output': { rule: 'D15', says: "a persisted output lies in another session's folder" },
}

function oddities(native: Native): Finding[] {
  return native.entries.flatMap((entry) =>
    (entry.oddities ?? []).map((oddity) => found(entry, ODDITIES[oddity].rule, 'warn', ODDITIES[oddity].says)),
  )
}

/** A bad line that holds whole objects can be split, so that the loader reads them; other damage stays and warns. */
function lineFindings(session: Session, native: Native): Finding[] {
  const { badLines, lines } = session.facts
  const firstOn = new Map<number, Entry>()
  if (badLines.length > 0) {
    for (const entry of native.entries) if (!firstOn.has(entry.link.line)) firstOn.set(entry.link.line, entry)
  }
  const findings = badLines.map(({ line, problem }): Finding => {
    const entry = firstOn.get(line)
    if (!entry) return { violation: { rule: 'D13', severity: 'warn', message: problem, line }, repairs: [] }
    const split = repair(entry, 'D13', 'each object gets a line of its own', { kind: 'split-line' })
    return found(entry, 'D13', 'reject', problem, [split])
  })
  if (native.unended) {
    const message = 'the last line has no newline: the next entry would be joined to it'
    findings.push({ violation: { rule: 'D13', severity: 'warn', message, line: lines }, repairs: [] })
  }
  return findings
}

/** Inside a projects folder the file's name is the session's id (D13). */
function foreignSessions(native: Native): Finding[] {
  const id = layoutOf(native.fileName)?.id
  if (id === undefined) return []
  return [...native.sessionIds].flatMap(([sessionId, ordinals]) => {
    if (sessionId === id) return []
    const repairs = ordinals.flatMap((ordinal) => {
      const entry = native.entries[ordinal]
      const change: EditChange = { kind: 'set-field', field: 'sessionId', value: id }
      return entry ? repair(entry, 'D13', `sessionId follows the file's name, ${id}`, change) : []
    })
    const message = `${ordinals.length} entries carry sessionId ${sessionId}, the file's name says ${id}`
    return found(native.entries[ordinals[0] ?? ROOT], 'D13', 'reject', message, repairs)
  })
}
