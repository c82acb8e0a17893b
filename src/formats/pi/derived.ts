/**
 * Entries that a repair or an edit adds. Their ids come from what they belong to, never from chance, so that the
 * same edit writes the same bytes and the next load finds the same entry.
 */
import { createHash } from 'node:crypto'
import type { EditOf } from '../../core/edits.ts'
import { INVENTED_MARK } from './content.ts'
import type { PiEntry } from './entry.ts'

const SHORT_ID = /^[0-9a-f]{8}$/
const NOTHING_PAID = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const NOTHING_USED = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NOTHING_PAID }
const LEAF_MARK = 'spillway.leaf'

export type IdMaker = (...seed: readonly string[]) => string

/** Hands out ids in the file's own style (8 hex digits, or UUIDs), each at most once. */
export function idMaker(entries: readonly PiEntry[]): IdMaker {
  const taken = new Set(entries.map((entry) => entry.id))
  const short = entries.some((entry) => entry.id !== undefined && SHORT_ID.test(entry.id))
  return (...seed) => {
    for (let round = 0; ; round++) {
      const hash = createHash('sha256')
        .update(JSON.stringify(round === 0 ? seed : [...seed, round]))
        .digest('hex')
      const id = short ? hash.slice(0, 8) : uuidOf(hash)
      if (taken.has(id)) continue
      taken.add(id)
      return id
    }
  }
}

/** Version 8: a UUID of the maker's own making. */
function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-')
}

/** `id` and `parentId` are left out in version 1 files, where entries have none. */
export interface Placed {
  readonly id?: string
  readonly parentId?: string | null
  /** Milliseconds since the epoch: that of the entry it follows. */
  readonly time: number | undefined
}

function entryText(type: string, placed: Placed, fields: object): string {
  const { id, parentId, time } = placed
  const timestamp = new Date(time ?? 0).toISOString()
  return JSON.stringify({ type, ...(id === undefined ? {} : { id, parentId: parentId ?? null }), timestamp, ...fields })
}

/** The line of a made-up answer. */
export function answerText(edit: EditOf<'answer-call'>, toolName: string, placed: Placed): string {
  const message = {
    role: 'toolResult',
    toolCallId: edit.callId,
    toolName,
    content: [{ type: 'text', text: edit.text }],
    details: { [INVENTED_MARK]: true },
    isError: edit.isError,
    timestamp: placed.time ?? 0,
  }
  return entryText('message', placed, { message })
}

/** Who an assistant message is from: pi goes on with the model of the newest one. */
export interface Speaker {
  readonly api: string
  readonly provider: string
  readonly model: string
}

/** The line of an inserted message. */
export function messageText(edit: EditOf<'insert-message'>, placed: Placed, speaker: Speaker): string {
  const content = [{ type: 'text', text: edit.text }]
  const timestamp = placed.time ?? 0
  const message =
    edit.role === 'user'
      ? { role: 'user', content, timestamp }
      : {
          role: 'assistant',
          content,
          ...speaker,
          usage: NOTHING_USED,
          stopReason: 'stop',
          timestamp,
        }
  return entryText('message', placed, { message })
}

/** An entry outside the context that makes its parent the leaf again: the last line of a file decides (E02). */
export function leafMarkText(placed: Placed): string {
  return entryText('custom', placed, { customType: LEAF_MARK })
}
