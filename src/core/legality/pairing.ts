/** Calls and results (A09-A13, A14): one answer for each call, in the turn that follows it, and no other. */
import type { Address, CallBlock, Message, ResultBlock, Transcript } from '../transcript.ts'
import { addressKey, exchangesOf } from '../transcript.ts'
import { settledAt } from './spoken.ts'
import type { Violation } from './violation.ts'

export interface PairingFaults {
  /** Calls without result that can no longer be answered; of a misplaced one nobody expects an answer. */
  readonly unanswered: readonly CallBlock[]
  /** Results that answer no call of the turn before. */
  readonly orphans: readonly ResultBlock[]
  /** Second and further results of an answered call. */
  readonly duplicates: readonly ResultBlock[]
  /** Calls whose id another call of the same turn already has. */
  readonly repeated: readonly CallBlock[]
  readonly misplaced: readonly (CallBlock | ResultBlock)[]
}

/** `settled`: index in `messages` up to which calls must be answered. */
export function pairingFaults(transcript: Transcript, settled: number): PairingFaults {
  const exchanges = exchangesOf(transcript)
  const paired = new Set<string>()
  const answered = new Map<string, Set<string>>()
  for (const { call, result, turn } of exchanges) {
    if (!result) continue
    paired.add(addressKey(result.at))
    const ids = answered.get(call.id) ?? new Set()
    answered.set(call.id, ids.add(String(turn)))
  }
  const calls = new Map<string, string>()
  const unanswered: CallBlock[] = []
  const repeated: CallBlock[] = []
  for (const { call, result, turn, message } of exchanges) {
    const key = `${turn}/${call.id}`
    if (calls.has(key)) repeated.push(call)
    else if (!result && message < settled && transcript.messages[message]?.role === 'assistant') unanswered.push(call)
    calls.set(key, call.tool)
  }
  const orphans: ResultBlock[] = []
  const duplicates: ResultBlock[] = []
  const misplaced: (CallBlock | ResultBlock)[] = []
  let turn = -1
  let previous: Message | undefined
  for (const message of transcript.messages) {
    if (message.kind === 'api-error') continue
    if (message.role === 'assistant' && !(previous?.role === 'assistant' && sameId(previous, message))) turn++
    for (const block of message.blocks) {
      if (block.type === 'call' && message.role !== 'assistant') misplaced.push(block)
      if (block.type !== 'result') continue
      if (message.role === 'assistant') misplaced.push(block)
      else if (!paired.has(addressKey(block.at))) {
        if (answered.get(block.callId)?.has(String(turn))) duplicates.push(block)
        else orphans.push(block)
      }
    }
    previous = message
  }
  return { unanswered, orphans, duplicates, repeated, misplaced }
}

function sameId(a: Message, b: Message): boolean {
  return a.id !== undefined && a.id === b.id
}

export function pairing(transcript: Transcript, at: 'rest' | 'request'): Violation[] {
  const faults = pairingFaults(transcript, settledAt(transcript, at))
  const found = (rule: string, at: Address, id: string, message: string): Violation => ({
    rule,
    severity: 'reject',
    message,
    at,
    id,
  })
  return [
    ...faults.unanswered.map((call) =>
      found('A09', call.at, call.id, `${call.tool} call ${call.id} has no result in the turn after it`),
    ),
    ...faults.orphans.map((result) =>
      found('A11', result.at, result.callId, `result for ${result.callId} answers no call of the turn before it`),
    ),
    ...faults.duplicates.map((result) =>
      found('A12', result.at, result.callId, `call ${result.callId} has more than one result`),
    ),
    ...faults.repeated.map((call) => found('A13', call.at, call.id, `call id ${call.id} stands twice in one turn`)),
    ...faults.misplaced.map((block) =>
      block.type === 'call'
        ? found('A14', block.at, block.id, `${block.tool} call stands in a user message`)
        : found('A14', block.at, block.callId, 'a result stands in an assistant message'),
    ),
  ]
}
