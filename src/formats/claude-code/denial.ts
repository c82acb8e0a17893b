/**
 * Who refused a call, by structure (issue, "Denials by structure"; reference claude-agent-sdk section 7).
 *
 * "user-rejected" does not mean that a person refused: a call that was stopped while it ran is recorded with the
 * same kind, and so is one that needed an approval nobody could give. The first match wins.
 */
import type { Denial } from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'

const STOPPED_WHILE_RUNNING = 'Correction to the text above'
/** The harness's words for a refused or stopped call, whole or behind what the call had put out. */
const HARNESS_WORDS =
  /(?:^|\n)(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|\[Request interrupted by user(?: for tool use)?\]\s*$)/
/** Recordings before `toolDenialKind`: nothing but the marker tells that a call was stopped. */
const INTERRUPT_MARKER = /(?:^|\n)\[Request interrupted by user(?: for tool use)?\]\s*$/

/** The denial that holds for a result with the error flag; `text` is its body. */
export function denialOf(entry: Fields, isError: boolean, text: string): Denial | undefined {
  if (!isError) return undefined
  const kind = textOf(entry.toolDenialKind)
  if (kind === undefined) return INTERRUPT_MARKER.test(tail(text)) ? 'stopped' : undefined
  const source = textOf(fieldsOf(entry.permissionDecision)?.source)
  const beforeRun = entry.toolDenialBeforeRun === true
  const holdsPersonsWords = entry.holdsPersonsWords === true
  const rejected = kind === 'user-rejected'
  const bare = !beforeRun && entry.toolDenialAfterRun !== true && !holdsPersonsWords && source === undefined
  if (kind === 'interrupted' || kind === 'cancelled') return 'stopped'
  if (rejected && bare && text.includes(STOPPED_WHILE_RUNNING)) return 'stopped'
  if (holdsPersonsWords || (rejected && (beforeRun || bare))) return 'person'
  if (kind === 'permission-rule' || kind.startsWith('automode-')) return 'machine'
  if (rejected && source === 'config') return 'machine'
  return undefined
}

/** What a stopped call had put out before the harness's own words; '' when nothing. */
export function partialOutput(text: string): string {
  const words = HARNESS_WORDS.exec(text)
  return words === null ? text : text.slice(0, words.index)
}

function tail(text: string): string {
  return text.length > 200 ? text.slice(-200) : text
}
