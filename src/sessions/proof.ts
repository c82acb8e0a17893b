/** Is a session legal? The neutral turn rules and the format's own, with the line each violation stands on. */
import { check, type Violation } from '../core/legality/index.ts'
import type { Address, Transcript } from '../core/transcript.ts'
import { editableThreads } from './economize-session.ts'
import type { Reading } from './read.ts'

/** Every violation of the session as a file, or as the start of the next request. */
export function violationsOf(reading: Reading, at: 'rest' | 'request' = 'rest'): Violation[] {
  const { session, format } = reading
  const lineOf = lineFinder(session.main)
  const threads = [session.main, ...editableThreads(session)]
  const turns = threads.flatMap((thread) => check(thread, { at }))
  return [...format.check(session, at), ...turns].map((violation) => {
    const line = violation.line ?? (violation.at && lineOf(violation.at))
    return line === undefined ? violation : { ...violation, line }
  })
}

/** Only what the provider or the loader refuses. */
export function rejections(violations: readonly Violation[]): Violation[] {
  return violations.filter((violation) => violation.severity === 'reject')
}

/** 1-based line of an address in the source; undefined for what was inserted. */
export function lineFinder(transcript: Transcript): (at: Address) => number | undefined {
  const lines = new Map(transcript.links.map((link) => [link.entry, link.line]))
  return (at) => lines.get(at.entry)
}
