/** The decisions that put the note into a conversation and take earlier ones back. */
import type { Edit } from '../core/edits.ts'
import type { StoredEdit } from '../core/state.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { Transcript } from '../core/transcript.ts'
import { refusesUserBehindTool, type Shaped } from './request.ts'

const NOTE_RULE = 'note'

export function isNoteInsertion({ edit }: StoredEdit): boolean {
  return edit.kind === 'insert-message' && edit.rule === NOTE_RULE
}

/** Said where a user message may not follow a tool's result (F15). */
const BETWEEN_TEXT = 'The context is being compacted.'

/** A message behind the last one; `[]` for a conversation without entries. */
export function noteEdits(transcript: Transcript, text: string, shaped: Shaped): Edit[] {
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
export function pruned(applied: readonly StoredEdit[]): StoredEdit[] {
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
