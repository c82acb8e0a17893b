/** What every target of a conversion shares: what it is told, and what it says it cannot hold. */
import { createHash } from 'node:crypto'
import type { Address, Block, JsonObject, JsonValue, Message, ResultBlock, Transcript } from '../../core/transcript.ts'
import { addressKey, exchangesOf } from '../../core/transcript.ts'

/** Something of the conversation that the target has no place for. */
export interface Unheld {
  readonly at: Address
  /** What it is and why it does not fit, in words. */
  readonly what: string
}

export interface Conversion {
  /** How a call and its result are named in the target. */
  idOf(block: Block): string
  /** The tool that a result answers; '' for one that answers nothing. */
  toolOf(result: ResultBlock): string
  report(at: Address, what: string): void
}

export interface Target {
  /** Ids that the target accepts. */
  readonly callId: RegExp
  /** The request; `system` are the texts of the system prompt. */
  valueOf(messages: readonly Message[], system: readonly string[], conversion: Conversion): JsonValue
}

export function conversionOf(transcript: Transcript, callId: RegExp, report: Conversion['report']): Conversion {
  const ids = new Map<string, string>()
  const tools = new Map<string, string>()
  const taken = new Set<string>()
  for (const { call, result } of exchangesOf(transcript)) {
    const id = freeId(call.id, callId, taken)
    ids.set(addressKey(call.at), id)
    if (!result) continue
    ids.set(addressKey(result.at), id)
    tools.set(addressKey(result.at), call.tool)
  }
  const recorded = (block: Block): string => {
    if (block.type === 'call') return block.id
    return block.type === 'result' ? freeId(block.callId, callId, new Set()) : ''
  }
  return {
    idOf: (block) => ids.get(addressKey(block.at)) ?? recorded(block),
    toolOf: (result) => tools.get(addressKey(result.at)) ?? '',
    report,
  }
}

/** The id itself, or one made of it: where the target does not accept it (A17, B07), or it came before (A13). */
function freeId(id: string, accepted: RegExp, taken: Set<string>): string {
  let free = accepted.test(id) ? id : derivedId(id, 0)
  for (let round = 1; taken.has(free); round++) free = derivedId(id, round)
  taken.add(free)
  return free
}

function derivedId(id: string, round: number): string {
  return `call_${createHash('sha256')
    .update(JSON.stringify([id, round]))
    .digest('hex')
    .slice(0, 24)}`
}

export function textPart(text: string, type = 'text'): JsonObject {
  return { type, text }
}

/** The reasons that several targets give. */
export const UNHELD = {
  thinking: 'thinking: it is only valid with the provider that made it',
  seal: 'the signature of a piece of thinking: it is only valid with the provider that made it',
  media: 'a picture or document in a place where this format has none',
  opaque: 'a block that only the format it comes from knows',
  flag: 'the error flag of a result; its words stay',
  order: 'words behind a call: they stand before it',
  failure: 'an API error: it is no part of a conversation',
  misplaced: 'a block in a message of a role that cannot hold it',
  parts: 'the borders between the parts of a result; the words stay',
} as const
