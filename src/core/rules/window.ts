import type { Exchange, ResultBlock, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import type { WindowOptions } from './rule.ts'

export interface AnsweredExchange extends Exchange {
  readonly result: ResultBlock
  readonly resultMessage: number
}

/**
 * Exchanges whose result has left the window (DESIGN, Newest). Invented answers and refused calls never count:
 * nothing was read there.
 */
export function beyondWindow(transcript: Transcript, options: WindowOptions): AnsweredExchange[] {
  const beyond: AnsweredExchange[] = []
  let newer = 0
  for (const exchange of exchangesOf(transcript).toReversed()) {
    if (!isAnswered(exchange) || exchange.result.invented) continue
    const keep = transcript.tools.reads.has(exchange.call.tool) ? options.keepReads : options.keep
    if (newer >= keep && exchange.result.chars >= options.minChars) beyond.push(exchange)
    newer++
  }
  return beyond.reverse()
}

export function isAnswered(exchange: Exchange): exchange is AnsweredExchange {
  return exchange.result !== undefined && exchange.resultMessage !== undefined
}
