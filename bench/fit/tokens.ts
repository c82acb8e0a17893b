/** One count for all strategies: our estimate of each message as it is sent. */
import { estimateTokens } from '../../src/core/tokens.ts'
import type { ChatMessage } from './trajectory.ts'

const known = new WeakMap<ChatMessage, number>()

export function tokensOf(messages: readonly ChatMessage[]): number {
  let sum = 0
  for (const message of messages) {
    const tokens = known.get(message) ?? estimateTokens(JSON.stringify(message))
    known.set(message, tokens)
    sum += tokens
  }
  return sum
}
