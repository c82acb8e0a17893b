/** A read Claude Code session: the neutral one and, beside it, what only this format understands. */
import { SpillwayError } from '../../core/errors.ts'
import type { Session } from '../format.ts'
import type { Recorded } from './view.ts'

export interface Native extends Recorded {
  readonly reading: 'view' | 'history'
  /** The source's file name, where there is one. */
  readonly fileName: string | undefined
  /** Ordinals of the active branch of every thread with a chain. */
  readonly paths: ReadonlyMap<string, readonly number[]>
  /** Session ids in the lines, each with the ordinals of the entries that carry it (only inside a projects folder). */
  readonly sessionIds: ReadonlyMap<string, readonly number[]>
  /** The last line has no newline. */
  readonly unended: boolean
}

export interface ClaudeCodeSession extends Session {
  readonly native: Native
}

/** What the reader kept for the writer and the checks. Throws for a session that another format read. */
export function nativeOf(session: Session): Native {
  if (session.main.sizesOnly)
    throw new SpillwayError('usage', 'a reading that was made to measure can be neither checked nor written')
  if ('native' in session && session.facts.format === 'claude-code') return (session as ClaudeCodeSession).native
  throw new SpillwayError('unreadable', `a session read as ${session.facts.format} is no Claude Code session`)
}
