/** What Codex expects of a rollout beyond legal turns, and its repairs. Rules of our own: X01, X02. */
import type { Edit } from '../../core/edits.ts'
import type { Violation } from '../../core/legality/violation.ts'
import type { Session } from '../format.ts'
import { nativeOf } from './reader.ts'

/** X01: Codex takes the session's id from its `session_meta` and resumes no file without one. X02: it skips such lines. */
export function checkCodex(session: Session): Violation[] {
  const { entries, raggedLines } = nativeOf(session)
  const isHeadless = entries.length > 0 && entries.every((entry) => entry.type !== 'session_meta')
  const headless: Violation = {
    rule: 'X01',
    severity: 'reject',
    message: 'no session_meta entry: Codex cannot resume this file',
    line: 1,
  }
  const ragged = [...raggedLines].map((line): Violation => {
    return { rule: 'X02', severity: 'warn', message: 'not one JSON object: Codex passes over this line', line }
  })
  return [...(isHeadless ? [headless] : []), ...ragged]
}

/** Joined objects get a line each. */
export function repairsOfCodex(session: Session): Edit[] {
  const { entries, raggedLines } = nativeOf(session)
  const lines = new Set(raggedLines)
  return entries.flatMap((entry): Edit[] => {
    if (!lines.delete(entry.line)) return []
    return [
      {
        kind: 'split-line',
        rule: 'X02',
        reason: 'joined objects get a line each',
        purpose: 'legality',
        class: 'worthless',
        frees: 0,
        removed: [],
        at: { thread: session.main.thread, entry: entry.ordinal },
      },
    ]
  })
}
