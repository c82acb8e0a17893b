/**
 * Decisions that were made, as plain JSON that the caller keeps (DESIGN section 4, Identity and State).
 *
 * A decision once made is replayed byte for byte before new ones are considered. Ordinals may shift when a store
 * returns fewer entries, so a stored edit is addressed by the key of its entry.
 */
import { hash } from 'node:crypto'
import { answerOf, type Edit } from './edits.ts'
import type { Address, Transcript } from './transcript.ts'
import { exchangesOf } from './transcript.ts'

export const STATE_VERSION = 1

export interface StoredEdit {
  /** As it was applied, without the content it took out (that is in the archive). */
  readonly edit: Edit
  /** Persistent keys of the entries it names, by the ordinal they had. */
  readonly keys: Readonly<Record<number, string>>
}

export interface EconomyState {
  readonly version: typeof STATE_VERSION
  readonly applied: readonly StoredEdit[]
  /** Allowed but postponed by the plan, with what waiting has cost so far. */
  readonly pending: readonly { readonly edit: StoredEdit; readonly waited: number }[]
  /** Turns there were when `pending` was decided: waiting costs once a turn, however often one asks. */
  readonly turns?: number
}

export const EMPTY_STATE: EconomyState = { version: STATE_VERSION, applied: [], pending: [] }

/** An epoch asks several times for those of one transcript, which never changes once it is made. */
const knownKeys = new WeakMap<Transcript, ReadonlyMap<number, string>>()

/** Key of every entry: its uuid or id, else a hash of its content and its count among equal ones. */
function persistentKeys(transcript: Transcript): ReadonlyMap<number, string> {
  const known = knownKeys.get(transcript) ?? keysOf(transcript)
  knownKeys.set(transcript, known)
  return known
}

function keysOf(transcript: Transcript): Map<number, string> {
  const keys = new Map<number, string>()
  for (const link of transcript.links) if (link.key !== undefined) keys.set(link.entry, link.key)
  const seen = new Map<string, number>()
  for (const message of transcript.messages) {
    for (const entry of message.entries) {
      if (keys.has(entry)) continue
      const content = message.blocks.filter((block) => block.at.entry === entry).map(({ at: _, ...rest }) => rest)
      // JSON escapes lone surrogates: no two texts share their UTF-8.
      const digest = hash('sha256', JSON.stringify([message.role, content]), 'hex').slice(0, 16)
      const count = seen.get(digest) ?? 0
      seen.set(digest, count + 1)
      keys.set(entry, `${digest}#${count}`)
    }
  }
  return keys
}

function entriesOf(edit: Edit): number[] {
  const entries = [edit.at.entry]
  if (edit.kind === 'drop-message') entries.push(...edit.entries)
  const answer = answerOf(edit)
  if (answer) entries.push(answer.entry)
  if (edit.kind === 'move') entries.push(edit.after)
  return entries
}

/** Stored forms of edits that were just applied to `transcript`. */
export function storeEdits(transcript: Transcript, edits: readonly Edit[]): StoredEdit[] {
  if (edits.length === 0) return []
  const keys = persistentKeys(transcript)
  return edits.map((edit) => {
    const named: Record<number, string> = {}
    for (const entry of entriesOf(edit)) named[entry] = keys.get(entry) ?? ''
    return { edit: { ...edit, removed: [] }, keys: named }
  })
}

/** The stored edits as they apply to this transcript; what names entries that are gone is left out. */
export function replayed(transcript: Transcript, stored: readonly StoredEdit[]): Edit[] {
  return placedEdits(transcript, stored).filter((edit) => edit !== undefined)
}

/** Each stored edit where it applies now; undefined for one that names entries that are gone. */
export function placedEdits(transcript: Transcript, stored: readonly StoredEdit[]): (Edit | undefined)[] {
  if (stored.length === 0) return []
  const ordinals = new Map([...persistentKeys(transcript)].map(([entry, key]) => [key, entry]))
  const answered = new Set(
    exchangesOf(transcript)
      .filter(({ result }) => result)
      .map(({ call }) => call.id),
  )
  return stored.map(({ edit, keys }) => {
    const now = (entry: number): number | undefined => ordinals.get(keys[entry] ?? '')
    const placed = readdressed(edit, transcript.thread, now)
    return placed?.kind === 'answer-call' && answered.has(placed.callId) ? undefined : placed
  })
}

function readdressed(edit: Edit, thread: string, now: (entry: number) => number | undefined): Edit | undefined {
  const move = (at: Address): Address | undefined => {
    const entry = now(at.entry)
    return entry === undefined ? undefined : { ...at, thread, entry }
  }
  const at = move(edit.at)
  if (!at) return undefined
  if (edit.kind === 'drop-message') {
    return { ...edit, at, entries: edit.entries.map(now).filter((entry) => entry !== undefined) }
  }
  if ((edit.kind === 'drop-exchange' || edit.kind === 'fold-exchange') && edit.result) {
    const result = move(edit.result)
    return result ? { ...edit, at, result } : undefined
  }
  if (edit.kind === 'move') {
    const after = now(edit.after)
    return after === undefined ? undefined : { ...edit, at, after }
  }
  return { ...edit, at }
}
