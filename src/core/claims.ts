/**
 * One edit an address, the first proposal wins; economy edits must shrink and never touch what is protected
 * (DESIGN section 4, order inside an epoch and invariants 5 and 6).
 */
import { answerOf, type Edit, type EditOf } from './edits.ts'
import type { Message, Transcript } from './transcript.ts'
import { addressKey, turnsOf } from './transcript.ts'

export interface Claims {
  /** The proposals that may be carried out; each takes its addresses. */
  admit(proposals: readonly Edit[]): Edit[]
  /** Takes an edit's addresses without asking (replayed decisions). */
  take(edit: Edit): void
}

/** Edits about the file's own structure stand beside edits of what an entry says. */
function fieldOf(edit: Edit): string {
  if (edit.kind === 'relink' || edit.kind === 'split-line') return `/${edit.kind}`
  if (edit.kind === 'set-field') return `/set-field/${edit.field}`
  if (edit.kind === 'answer-call') return '/answer'
  if (isOfPart(edit)) return `/part/${edit.part}`
  if (edit.kind === 'insert-message' || edit.kind === 'move') return `/${edit.kind}`
  return ''
}

/** Parts of one result are edited side by side, but not beside an edit of the whole. */
function isOfPart(edit: Edit): edit is EditOf<'replace-media'> {
  return edit.kind === 'replace-media' && edit.part !== undefined
}

const SOME_PART = '/some part'

function keysOf(edit: Edit): string[] {
  const keys = [addressKey(edit.at) + fieldOf(edit)]
  const result = answerOf(edit)
  if (result) keys.push(addressKey(result))
  if (edit.kind === 'drop-message') keys.push(...edit.entries.map((entry) => addressKey({ ...edit.at, entry })))
  return keys
}

export function claims(transcript: Transcript, newestTurns: number): Claims {
  const taken = new Set<string>()
  const gone = new Set<number>()
  const shielded = protectedEntries(transcript, newestTurns)

  const take = (edit: Edit): void => {
    for (const key of keysOf(edit)) taken.add(key)
    if (isOfPart(edit)) taken.add(addressKey(edit.at) + SOME_PART)
    if (edit.kind === 'drop-message') for (const entry of edit.entries) gone.add(entry)
  }
  const admissible = (edit: Edit): boolean => {
    if (gone.has(edit.at.entry) && !isSilent(edit)) return false
    const keys = keysOf(edit)
    if (keys.some((key) => taken.has(key) || taken.has(key + SOME_PART))) return false
    if (isOfPart(edit) && taken.has(addressKey(edit.at))) return false
    if (edit.purpose !== 'economy') return true
    return edit.frees > 0 && !touches(edit, shielded)
  }
  return {
    take,
    admit: (proposals) =>
      proposals.filter((edit) => {
        const admitted = admissible(edit)
        if (admitted) take(edit)
        return admitted
      }),
  }
}

function isSilent(edit: Edit): boolean {
  return edit.kind === 'relink' || edit.kind === 'split-line' || edit.kind === 'set-field'
}

function touches(edit: Edit, shielded: ReadonlySet<number>): boolean {
  const result = answerOf(edit)
  const entries = result ? [edit.at.entry, result.entry] : [edit.at.entry]
  return entries.some((entry) => shielded.has(entry))
}

/** Somebody's words, not an answer to a call; a conversation may begin with what a harness announces. */
function isAsked({ role, kind, blocks }: Message): boolean {
  const speaks = kind === undefined || kind === 'task-event'
  return role === 'user' && speaks && blocks.every((block) => block.type !== 'result')
}

/** Entries of the system message, the task (first user message) and the newest turns. */
export function protectedEntries(transcript: Transcript, newestTurns: number): Set<number> {
  const entries = new Set<number>()
  const task = transcript.messages.find(isAsked)
  for (const message of transcript.messages) {
    if (message === task || message.role === 'system') for (const entry of message.entries) entries.add(entry)
  }
  const turns = turnsOf(transcript)
  const newest = newestTurns > 0 ? turns[Math.max(0, turns.length - newestTurns)]?.start : undefined
  if (newest === undefined) return entries
  for (const message of transcript.messages.slice(newest)) for (const entry of message.entries) entries.add(entry)
  return entries
}
