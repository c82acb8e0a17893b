/** The view of a transcript: what a store recorded, with the decisions of all epochs carried out on it. */
import { type Economized, economize } from '../core/economy.ts'
import type { Edit, Removed } from '../core/edits.ts'
import { check } from '../core/legality/index.ts'
import { type EconomyContext, type Policy, REPAIR_ONLY } from '../core/policy.ts'
import { type EconomyState, EMPTY_STATE } from '../core/state.ts'
import type { SessionStoreEntry } from '../formats/claude-code/index.ts'
import { claudeCode, claudeCodeReader, editedEntries } from '../formats/claude-code/index.ts'
import type { Session } from '../formats/format.ts'

/** Two faults of a torn transcript may meet in one message; more passes were never seen to be needed. */
const MOST_PASSES = 3

/** Nothing new. */
const REPLAY: Policy = { name: 'replay', rules: {}, choose: () => ({ edits: [], waiting: [] }) }

/** Edits that change what a block says and leave the chain of entries alone. */
const WORDS_ONLY: ReadonlySet<Edit['kind']> = new Set([
  'replace-result',
  'replace-arguments',
  'replace-media',
  'replace-text',
  'strip-thinking',
])

export interface Recording {
  readonly entries: readonly SessionStoreEntry[]
  readonly session: Session
}

export interface View {
  readonly entries: SessionStoreEntry[]
  /** The states of all passes, to be stored. */
  readonly passes: readonly EconomyState[]
  /** Decisions that were not there before, over all passes, and what they took out. */
  readonly added: number
  readonly removed: readonly Removed[]
  /** Of the first pass: the others only repair what it brought to light. */
  readonly economized: Economized
}

export function recordingOf(entries: readonly SessionStoreEntry[]): Recording {
  const reader = claudeCodeReader()
  for (const entry of entries) reader.pushEntry(entry)
  return { entries, session: reader.finish() }
}

/** The view after this epoch, legal to resume. Pure: nothing is stored and the recorded entries stay as they are. */
export function economizedView(
  recording: Recording,
  decided: readonly EconomyState[],
  policy: Policy,
  context: EconomyContext,
): View {
  const repairing = (session: Session): EconomyContext => ({ ...context, repairs: claudeCode.repairs(session) })
  return viewOf(recording, decided, {
    economize: (session, state, pass) =>
      economize(session.main, pass === 0 ? policy : REPAIR_ONLY, repairing(session), state),
    needsAnother: isIllegal,
  })
}

/** The view of the decisions made before, with nothing new: what can always be given out. */
export function decidedView(recording: Recording, decided: readonly EconomyState[]): View {
  return viewOf(recording, decided, {
    economize: (session, state) =>
      economize(session.main, REPLAY, { now: 0, limit: Number.POSITIVE_INFINITY, repair: false }, state),
    needsAnother: () => false,
  })
}

interface Passes {
  economize(session: Session, state: EconomyState, pass: number): Economized
  needsAnother(session: Session): boolean
}

function viewOf(recording: Recording, decided: readonly EconomyState[], passes: Passes): View {
  let { session, entries } = recording
  const states: EconomyState[] = []
  const removed: Removed[] = []
  let added = 0
  let first: Economized | undefined
  for (let pass = 0; ; pass++) {
    const before = decided[pass] ?? EMPTY_STATE
    const economized = passes.economize(session, before, pass)
    const fresh = economized.state.applied.length - before.applied.length
    first ??= economized
    states.push(economized.state)
    for (const each of economized.removed) removed.push(each)
    added += fresh
    if (economized.edits.length > 0) entries = editedEntries(session, economized.edits, entries)
    const isChanged = fresh > 0 && economized.edits.some((edit) => !WORDS_ONLY.has(edit.kind))
    const isDecided = decided[pass + 1] !== undefined
    const mayGoOn = isDecided || (isChanged && pass + 1 < MOST_PASSES)
    if (mayGoOn) session = recordingOf(entries).session
    if (!isDecided && !(mayGoOn && passes.needsAnother(session))) {
      return { entries: [...entries], passes: states, added, removed, economized: first }
    }
  }
}

function isIllegal(session: Session): boolean {
  const violations = [...claudeCode.check(session, 'rest'), ...check(session.main, { at: 'rest' })]
  return violations.some((violation) => violation.severity === 'reject')
}
