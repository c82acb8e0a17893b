/**
 * One call of `fit` that looks at everything: replays what was decided, decides anew where the budget asks for it,
 * brings what leaves to the archive, and proves the result. The same state and messages give the same bytes.
 */
import { apply } from '../core/apply.ts'
import { type Economized, economize } from '../core/economy.ts'
import type { Violation } from '../core/legality/index.ts'
import { replayed, type StoredEdit } from '../core/state.ts'
import type { JsonValue, Transcript } from '../core/transcript.ts'
import { standsAlone } from '../formats/provider-pieces.ts'
import { repairRequest } from '../formats/repair-request.ts'
import {
  type BudgetChoice,
  budgetPolicy,
  earlierNotes,
  type Note,
  type NoteSection,
  transcriptSize,
} from '../planning/budget/index.ts'
import type { EpochInput } from './epoch-input.ts'
import { evict, noteSizeOf } from './eviction.ts'
import type { FitState } from './fit-state.ts'
import { findIn } from './found.ts'
import { gather } from './gather.ts'
import { joinedRuns } from './joined-runs.ts'
import { markOf, openDecisions } from './known-prefix.ts'
import { isNoteInsertion } from './note-edits.ts'
import { readerOf, type Shaped } from './request.ts'

export interface Epoch {
  readonly items: readonly unknown[]
  /** What the items say. */
  readonly view: Transcript
  readonly state: FitState
  readonly choice: BudgetChoice
  readonly economized: Economized
  readonly note?: Note
  readonly turnsSoFar: number
  readonly violations: readonly Violation[]
  /** Uncalibrated size of what would be sent if nothing were decided now. */
  readonly sizeBefore: number
}

export async function epochOf(input: EpochInput): Promise<Epoch> {
  const { messages, shaped, state, archive } = input
  const { transcript, native } = shaped.format.read(shaped.holding(messages))
  const open = openDecisions(state, messages)
  const start = apply(transcript, replayed(transcript, open))
  const sections = await sectionsFor(input, transcript, start)
  const reader = readerOf(shaped)
  const { policy, choice } = budgetPolicy({
    ...input.terms,
    standsAlone,
    noteSize: (room, turns) => noteSizeOf(input, start, turns, sections, room),
  })
  const economized = economize(
    transcript,
    policy,
    {
      now: 0,
      limit: input.terms.budget.limit,
      repairs: shaped.format.repairs(native),
      answerLast: true,
      ...(reader === undefined ? {} : { model: reader }),
    },
    { ...state.economy, applied: open },
  )
  const chosen = choice()
  if (!chosen) throw new Error('the economy asks its policy once for every transcript')
  const left = await evict(input, transcript, start, economized, chosen, sections)
  await archive.put([...economized.removed, ...left.removed])

  const edits = replayed(transcript, left.applied)
  const written = shaped.itemsIn(shaped.format.write(native, edits))
  const joined = left.applied.some(isNoteInsertion) ? joinedRuns(messages, written, shaped) : written
  const { items, violations } = legalItems(shaped, joined)
  const view = shaped.format.read(shaped.holding(items)).transcript
  return {
    items,
    view,
    choice: chosen,
    economized,
    violations,
    turnsSoFar: left.turnsSoFar,
    sizeBefore: transcriptSize(start),
    ...(left.note ? { note: left.note } : {}),
    state: nextState(input, economized, left.applied, items, chosen),
  }
}

/** What would be put back; nothing is asked or read unless a compaction may come. */
async function sectionsFor(input: EpochInput, transcript: Transcript, start: Transcript): Promise<NoteSection[]> {
  const { options, terms } = input
  if (terms.scale * (terms.floor + transcriptSize(start)) < terms.budget.limit) return []
  const earlier = earlierNotes(start).text
  return gather({
    putBack: options.putBack ?? {},
    found: findIn(transcript),
    folder: options.folder ?? process.cwd(),
    ...(earlier === undefined ? {} : { earlier }),
  })
}

/** What repairs of the first round do not reach shows only in the result; the end is made sendable too. */
function legalItems(
  shaped: Shaped,
  items: readonly unknown[],
): { readonly items: readonly unknown[]; readonly violations: readonly Violation[] } {
  const rejected = (request: JsonValue): Violation[] =>
    shaped.format.check(request, 'request').filter(({ severity }) => severity === 'reject')
  const request = shaped.holding(items)
  if (rejected(request).length === 0) return { items, violations: [] }
  const { value } = repairRequest(shaped.format, request, 'request', readerOf(shaped))
  return { items: shaped.itemsIn(value), violations: rejected(value) }
}

function nextState(
  { messages, state }: EpochInput,
  economized: Economized,
  applied: readonly StoredEdit[],
  items: readonly unknown[],
  chosen: BudgetChoice,
): FitState {
  const { turns: _, ...economy } = economized.state
  const before = state.economy.applied
  const isSame = applied.length === before.length && applied.every((stored, index) => stored === before[index])
  const isCompacted = chosen.state === 'compacted' || chosen.state === 'cannot-fit'
  return {
    ...state,
    economy: { ...economy, applied, pending: [] },
    ...(isSame || applied.length === 0 ? {} : { decided: { input: markOf(messages), output: markOf(items) } }),
    ...(isCompacted ? { settled: settledIn(messages, items) } : {}),
    compactions: state.compactions + (isCompacted ? 1 : 0),
  }
}

/** Messages up to the last that a compaction changed, the note left out: the next one changes what comes behind. */
function settledIn(before: readonly unknown[], after: readonly unknown[]): number {
  const given = new Set(before)
  return after.slice(0, -1).findLastIndex((item) => !given.has(item)) + 1
}
