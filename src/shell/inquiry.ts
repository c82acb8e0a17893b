import type { Part } from './classification.ts'
import type { Guard } from './guards.ts'
import { MOST_QUOTED_CHARACTERS } from './limits.ts'

/**
 * What a refused part would do:
 * `look` reads and ends by itself (its result goes stale), `neutral` says nothing about staleness (waits, fetches),
 * `endless` looks but does not end by itself, `act` changes something or may.
 */
export type Effect = 'look' | 'neutral' | 'endless' | 'act'

export interface Refusal {
  /** The id of the guard that refused; the mutation test switches guards off by it. */
  readonly guard: Guard
  /** The offending piece as written. */
  readonly subject: string
  /** What it does, as the end of a sentence that begins with the subject. */
  readonly why: string
  readonly effect: Effect
}

/** One part while it is being looked at. */
export interface Finding {
  readonly text: string
  refusals: readonly Refusal[]
  /** A part that says nothing about staleness, such as `sleep 5`. */
  readonly neutral: boolean
}

/** The state of one classification. */
export interface Inquiry {
  readonly disabled: ReadonlySet<string>
  readonly findings: Finding[]
  current: Finding
  commands: number
  /** Look at every part, even when the answer is clear; otherwise stop at the first act. */
  readonly complete: boolean
  /** The answer is clear: something acts. */
  settled: boolean
}

/** Most parts are refused by nothing. */
const NO_REFUSALS: readonly Refusal[] = []

export function startInquiry(disabled: ReadonlySet<string>, complete: boolean): Inquiry {
  const outside: Finding = { text: '', refusals: NO_REFUSALS, neutral: true }
  return { disabled, findings: [outside], current: outside, commands: 0, complete, settled: false }
}

/** Opens a finding for one part; the caller restores the former one with the function that comes back. */
export function openFinding(inquiry: Inquiry, text: string): Finding {
  const former = inquiry.current
  inquiry.current = { text, refusals: NO_REFUSALS, neutral: false }
  inquiry.findings.push(inquiry.current)
  return former
}

export function refuse(inquiry: Inquiry, guard: Guard, subject: string, why: string, effect: Effect = 'act'): void {
  if (inquiry.disabled.has(guard)) return
  inquiry.current.refusals = [...inquiry.current.refusals, { guard, subject, why, effect }]
  if (effect === 'act' && !inquiry.complete) inquiry.settled = true
}

/** A part as it is quoted in reasons: one line, cut. */
export function quoted(text: string): string {
  return `\`${oneLine(text)}\``
}

function oneLine(text: string): string {
  const cut = text.length > MOST_QUOTED_CHARACTERS ? `${text.slice(0, MOST_QUOTED_CHARACTERS - 1)}…` : text
  for (let at = 0; at < cut.length; at++) {
    const code = cut.charCodeAt(at)
    // Only a text with control characters, backticks or non-ASCII letters needs the slower look.
    if (code < 0x20 || code === 0x60 || code > 0x7e) {
      return cut
        .replaceAll('\u0000', '…')
        .replaceAll(/[\s\p{C}`]+/gu, ' ')
        .trim()
    }
  }
  return cut
}

const WEIGHT: Record<Effect, number> = { neutral: 0, look: 1, endless: 2, act: 3 }

export function worstEffect(finding: Finding): Effect {
  if (finding.refusals.length === 0) return finding.neutral ? 'neutral' : 'look'
  return finding.refusals.reduce<Effect>(
    (worst, { effect }) => (WEIGHT[effect] > WEIGHT[worst] ? effect : worst),
    'neutral',
  )
}

export function partOf(finding: Finding): Part {
  const refusal = finding.refusals[0]
  const effect = worstEffect(finding)
  return {
    text: oneLine(finding.text),
    allow: refusal === undefined,
    ephemeral: effect === 'look' || effect === 'neutral',
    reason: refusal === undefined ? 'only looks' : `${quoted(refusal.subject)} ${refusal.why}`,
  }
}
