/** Is this history legal to send (message-rules A06-A16)? Works on turns; formats add the rules of their own shape. */
import type { Transcript } from '../transcript.ts'
import { empties } from './empties.ts'
import { order } from './order.ts'
import { pairing } from './pairing.ts'
import type { Violation } from './violation.ts'

export { repairTurns } from './repair.ts'
export type { Severity, Violation } from './violation.ts'

export interface CheckOptions {
  /** `rest`: a file may end on an assistant message or an unanswered call; `request`: it is sent as it is. */
  readonly at: 'rest' | 'request'
}

export function check(transcript: Transcript, options: CheckOptions): Violation[] {
  return [...pairing(transcript, options.at), ...order(transcript), ...empties(transcript)]
}
