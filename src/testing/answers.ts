/** Turns a scripted answer into the message that goes over the wire: ids, signatures, stop reason, usage. */
import { createHash } from 'node:crypto'
import type { AnswerBlock } from './script.ts'
import type { StreamedMessage } from './sse.ts'
import { tokensIn } from './tokens.ts'
import type { WireBlock, WireRequest, WireUsage } from './wire.ts'

/**
 * @param serial number of this answer on its server. Ids derive from it and from the length of the conversation, so
 *   a re-run gives the same ids and a session continued on another server gets no id twice.
 */
export function buildMessage(
  content: readonly AnswerBlock[],
  request: WireRequest,
  usage: WireUsage,
  serial: number,
  stopReason?: string,
): StreamedMessage {
  const id = (name: string): string => identifier(`${serial}/${request.messages.length}/${name}`)
  const blocks = content.map((block, index): WireBlock => {
    if (block.type === 'thinking') return { ...block, signature: `sig-${id(`thinking${index}`)}${id(`more${index}`)}` }
    if (block.type === 'tool_use') return { ...block, id: block.id ?? `toolu_${id(`call${index}`)}` }
    return { ...block }
  })
  const calls = blocks.some((block) => block.type === 'tool_use')
  return {
    id: `msg_${id('message')}`,
    model: request.model,
    content: blocks,
    stop_reason: stopReason ?? (calls ? 'tool_use' : 'end_turn'),
    usage: {
      ...usage,
      output_tokens: blocks.reduce((sum, block) => sum + tokensIn(JSON.stringify(block)), 0),
      service_tier: 'standard',
    },
  }
}

export function requestId(serial: number): string {
  return `req_${identifier(`request${serial}`)}`
}

function identifier(of: string): string {
  return createHash('sha256').update(of).digest('hex').slice(0, 24)
}
