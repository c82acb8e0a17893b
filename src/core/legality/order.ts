/** Results come first in the turn that answers (A15, A16). */
import type { Message, Transcript } from '../transcript.ts'
import { spokenMessages } from './spoken.ts'
import type { Violation } from './violation.ts'

export interface OrderFault {
  /** The message whose results stand behind other content. */
  readonly message: Message
  /** Others stand before it inside the same message (`inside`) or as messages of their own. */
  readonly inside: boolean
  /** Last entry of the assistant message the results answer. */
  readonly behind: number | undefined
}

export function orderFaults(transcript: Transcript): OrderFault[] {
  const faults: OrderFault[] = []
  let otherSeen = false
  let behind: number | undefined
  for (const message of spokenMessages(transcript)) {
    if (message.role === 'assistant') {
      otherSeen = false
      behind = message.entries.at(-1)
      continue
    }
    const firstOther = message.blocks.findIndex((block) => block.type !== 'result')
    const lastResult = message.blocks.findLastIndex((block) => block.type === 'result')
    if (lastResult >= 0 && otherSeen) faults.push({ message, inside: false, behind })
    else if (firstOther >= 0 && lastResult > firstOther) faults.push({ message, inside: true, behind })
    if (firstOther >= 0) otherSeen = true
  }
  return faults
}

export function order(transcript: Transcript): Violation[] {
  return orderFaults(transcript).map(({ message, inside }) => {
    const result = message.blocks.find((block) => block.type === 'result')
    return {
      rule: inside ? 'A15' : 'A16',
      severity: 'reject',
      message: inside
        ? 'a result stands behind other content of its message'
        : 'a message stands between a call and its result',
      ...(result ? { at: result.at, id: result.type === 'result' ? result.callId : '' } : {}),
    }
  })
}
