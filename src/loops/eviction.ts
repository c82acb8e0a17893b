/** What an eviction leaves behind and takes to the archive: the note, with a summary where the caller writes one. */
import type { Economized } from '../core/economy.ts'
import { REFERENCE_LENGTH } from '../core/reference.ts'
import { type StoredEdit, storeEdits } from '../core/state.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { Transcript } from '../core/transcript.ts'
import {
  type BudgetChoice,
  type EvictableTurn,
  earlierNotes,
  type Note,
  type NoteFacts,
  type NoteSection,
  noteText,
  readNote,
} from '../planning/budget/index.ts'
import type { EpochInput } from './epoch-input.ts'
import { HEADINGS } from './gather.ts'
import { countedOn, ledgerOf } from './ledger.ts'
import { noteEdits, pruned } from './note-edits.ts'

/** Words of a summary that is still to be written. */
const SUMMARY_TOKENS = 500
/** What the wire puts around the note. */
const NOTE_FRAME_TOKENS = 12

/** The size of the note as it would be written; its reference is as long as any. */
export function noteSizeOf(
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
export async function evict(
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
