/** A transcript that is being written, read once and kept up to date with what is appended: to ask for its plan often. */

import type { SessionStoreEntry } from '../formats/claude-code/index.ts'
import { claudeCodeReader } from '../formats/claude-code/index.ts'
import type { Session } from '../formats/format.ts'
import type { Decisions } from './decisions.ts'

export interface LiveTranscript {
  /** Takes the next entries. @returns those that were not there before, by their uuids */
  take(entries: readonly SessionStoreEntry[]): SessionStoreEntry[]
  session(): Session
  /** Those that count now, with what has waited since. */
  decisions: Decisions
}

export function liveTranscript(decisions: Decisions): LiveTranscript {
  const reader = claudeCodeReader()
  const known = new Set<string>()
  const isKnown = ({ uuid }: SessionStoreEntry): boolean => {
    if (typeof uuid !== 'string') return false
    if (known.has(uuid)) return true
    known.add(uuid)
    return false
  }
  return {
    take(entries) {
      const fresh = entries.filter((entry) => !isKnown(entry))
      for (const entry of fresh) reader.pushEntry(entry)
      return fresh
    },
    session: () => reader.finish(),
    decisions,
  }
}
