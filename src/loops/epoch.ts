/**
 * One call of `fit` that looks at everything: replays what was decided, decides anew where the budget asks for it,
 * brings what leaves to the archive, and proves the result. The same state and messages give the same bytes.
 */
import { apply } from '../core/apply.ts'
import { type Economized, economize } from '../core/economy.ts'
import type { Edit } from '../core/edits.ts'
import type { Violation } from '../core/legality/index.ts'
import { REFERENCE_LENGTH } from '../core/reference.ts'
import { replayed, type StoredEdit, storeEdits } from '../core/state.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { JsonValue, Transcript } from '../core/transcript.ts'
import { fieldsOf, textOf } from '../formats/fields.ts'
import { standsAlone } from '../formats/provider-pieces.ts'
import { repairRequest } from '../formats/repair-request.ts'
import { joinedUsers } from '../formats/user-runs.ts'
import {
  type BudgetChoice,
  type BudgetTerms,
  budgetPolicy,
  type EvictableTurn,
  earlierNotes,
  isNote,
  type Note,
  type NoteFacts,
  type NoteSection,
  noteText,
  readNote,
  transcriptSize,
} from '../planning/budget/index.ts'
import type { ContentArchive } from './content-archive.ts'
import type { FitOptions } from './fit-options.ts'
import type { FitState } from './fit-state.ts'
import { findIn } from './found.ts'
import { gather, HEADINGS } from './gather.ts'
import { markOf, openDecisions } from './known-prefix.ts'
import { countedOn, ledgerOf } from './ledger.ts'
import { readerOf, refusesUserBehindTool, type Shaped } from './request.ts'

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

export interface EpochInput {
  readonly messages: readonly unknown[]
  readonly options: FitOptions
  readonly shaped: Shaped
  readonly state: FitState
  readonly archive: ContentArchive
  readonly terms: Omit<BudgetTerms, 'noteSize' | 'standsAlone'>
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

/** Words of a summary that is still to be written. */
const SUMMARY_TOKENS = 500
/** What the wire puts around the note. */
const NOTE_FRAME_TOKENS = 12

/** The size of the note as it would be written; its reference is as long as any. */
function noteSizeOf(
  { options }: EpochInput,
  start: Transcript,
  turns: readonly EvictableTurn[],
  sections: readonly NoteSection[],
  room: number,
): number {
  const facts = countedOn(earlierFacts(start), turns, '#'.repeat(REFERENCE_LENGTH))
  const size = NOTE_FRAME_TOKENS + estimateTokens(noteText(facts, sections, room).text)
  return options.summarize ? Math.max(size, Math.min(room, size + SUMMARY_TOKENS)) : size
}

function earlierFacts(start: Transcript): NoteFacts | undefined {
  const { text } = earlierNotes(start)
  return text === undefined ? undefined : readNote(text)?.facts
}

interface Left {
  readonly applied: readonly StoredEdit[]
  readonly removed: Economized['removed']
  readonly note?: Note
  readonly turnsSoFar: number
}

/** What an eviction leaves behind: one note at the end, in place of an earlier one. */
async function evict(
  input: EpochInput,
  transcript: Transcript,
  start: Transcript,
  economized: Economized,
  chosen: BudgetChoice,
  sections: readonly NoteSection[],
): Promise<Left> {
  const { applied } = economized.state
  const earlierText = chosen.earlierNote ?? earlierNotes(start).text
  const earlier = earlierText === undefined ? undefined : readNote(earlierText)
  if (chosen.evicted.length === 0) return { applied, removed: [], turnsSoFar: earlier?.facts.turns ?? 0 }
  const { removed, facts } = ledgerOf(transcript, input.messages, chosen.evicted, earlier?.facts)
  const { summary, failure } = await summaryOf(input, transcript, chosen, earlier?.sections.get(HEADINGS.summary))
  const told = noteText(facts, [...summary, ...sections], chosen.noteRoom)
  const note = failure === undefined ? told : { ...told, cuts: [...told.cuts, failure] }
  const insertions = noteEdits(transcript, note.text, input.shaped)
  return {
    applied: [...pruned(applied), ...storeEdits(transcript, insertions)],
    removed,
    note,
    turnsSoFar: facts.turns,
  }
}

interface Summary {
  readonly summary: NoteSection[]
  /** Why the caller's words are missing: the note stands without them. */
  readonly failure?: string
}

async function summaryOf(
  { options, messages }: EpochInput,
  transcript: Transcript,
  chosen: BudgetChoice,
  earlier: string | undefined,
): Promise<Summary> {
  const section = (body: string | undefined): NoteSection[] =>
    body === undefined || body.trim() === '' ? [] : [{ heading: HEADINGS.summary, body }]
  if (!options.summarize) return { summary: section(earlier) }
  const places = new Map(transcript.links.map(({ entry, line }) => [entry, line - 1]))
  const indexes = chosen.evicted.flatMap(({ entries }) => entries.flatMap((entry) => places.get(entry) ?? []))
  const evicted = [...new Set(indexes)].map((index) => messages[index])
  try {
    return { summary: section(await options.summarize(evicted, earlier)) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { summary: section(earlier), failure: `${HEADINGS.summary}: not written (${why})` }
  }
}

const NOTE_RULE = 'note'

function isNoteInsertion({ edit }: StoredEdit): boolean {
  return edit.kind === 'insert-message' && edit.rule === NOTE_RULE
}

/** Said where a user message may not follow a tool's result (F15). */
const BETWEEN_TEXT = 'The context is being compacted.'

function noteEdits(transcript: Transcript, text: string, shaped: Shaped): Edit[] {
  const last = transcript.messages.at(-1)
  const entry = last?.entries.at(-1)
  if (entry === undefined) return []
  const at = { thread: transcript.thread, entry }
  const facts = { rule: NOTE_RULE, purpose: 'legality', class: 'worthless', removed: [], at } as const
  const said = (role: 'user' | 'assistant', words: string): Edit => ({
    ...facts,
    kind: 'insert-message',
    reason: 'what the run needs to remain itself',
    frees: -estimateTokens(words),
    role,
    text: words,
  })
  const isBehindTool = last?.blocks.some((block) => block.type === 'result') ?? false
  const between = isBehindTool && refusesUserBehindTool(shaped) ? [said('assistant', BETWEEN_TEXT)] : []
  return [...between, said('user', text)]
}

/** Earlier notes are withdrawn, and what was decided about entries that are gone is forgotten. */
function pruned(applied: readonly StoredEdit[]): StoredEdit[] {
  const gone = new Set(
    applied.flatMap(({ edit, keys }) =>
      edit.kind === 'drop-message' ? edit.entries.map((entry) => keys[entry] ?? '') : [],
    ),
  )
  return applied.filter((stored) => {
    const { edit, keys } = stored
    if (isNoteInsertion(stored)) return false
    return edit.kind === 'drop-message' || !gone.has(keys[edit.at.entry] ?? '')
  })
}

/**
 * Messages of the user that only became neighbours because turns between them left are one; those the caller put side
 * by side stay as they are. Nothing behind the note is touched.
 */
function joinedRuns(before: readonly unknown[], after: readonly unknown[], { format }: Shaped): readonly unknown[] {
  if (format.name === 'responses' || format.name === 'ai-sdk-ui') return after
  const places = new Map(before.map((item, index) => [item, index]))
  const note = after.findLastIndex((item) => !places.has(item) && holdsNote(item))
  const out: unknown[] = []
  let previous: unknown
  after.forEach((item, index) => {
    const wereNeighbours = places.has(item) && places.get(item) === (places.get(previous) ?? Number.NaN) + 1
    const joined =
      index > note || out.length === 0 || wereNeighbours
        ? undefined
        : joinedUsers(out.at(-1) as JsonValue, item as JsonValue)
    if (joined === undefined) out.push(item)
    else out[out.length - 1] = joined
    previous = item
  })
  return out
}

function holdsNote(item: unknown): boolean {
  const content = fieldsOf(item)?.content
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }]
  return parts.some((part) => isNote(textOf(fieldsOf(part)?.text) ?? ''))
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
