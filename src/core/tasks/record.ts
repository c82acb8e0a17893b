/** What a finished task shrinks to (seed O4): about 100 tokens in the agent's own language. */

import { REFERENCE_LENGTH } from '../reference.ts'

/** Lists may be empty; texts are one line. */
export interface TaskRecord {
  /** Who did it: the child's session key or agent id, else the tool. */
  readonly origin: string
  readonly task: string
  readonly outcome: string
  readonly result: string
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  readonly errors: readonly string[]
  /** Commands and ways that did not work. */
  readonly triedAndFailed: readonly string[]
  readonly toRemember: readonly string[]
  /** References into the archive. */
  readonly references: readonly string[]
}

const HEADER = new RegExp(
  `^\\[spillway ([a-z2-7]{${REFERENCE_LENGTH}}): task (completed|failed)\\. Back: spillway recall \\1\\]$`,
)
const ORIGIN = /^from: (\S{1,200})$/m

/** A record that stands in a transcript. */
export interface StandingRecord {
  readonly text: string
  readonly ref: string
  readonly outcome: 'completed' | 'failed'
  /** Child session key or agent id. */
  readonly ids: readonly string[]
}

/** The record that this text is, undefined where it is none. */
export function recordIn(text: string): StandingRecord | undefined {
  const end = text.indexOf('\n')
  const header = end > 200 ? null : HEADER.exec(end < 0 ? text : text.slice(0, end))
  if (!header) return undefined
  const origin = ORIGIN.exec(text)?.[1]
  return {
    text,
    ref: header[1] ?? '',
    outcome: header[2] === 'failed' ? 'failed' : 'completed',
    ids: origin === undefined ? [] : [origin],
  }
}
