/** The largest single things that a context holds, so that a page can lead from a sum to what it is made of. */
import { targetOf } from '../core/removed.ts'
import { exchangesOf, type Transcript } from '../core/transcript.ts'
import { type Kind, kindOf } from './breakdown.ts'

/** So many pieces are told; the rest is small. */
const MOST_PIECES = 100
const MOST_CHARS = 120

export interface Piece {
  readonly kind: Kind
  readonly tool: string | null
  /** What a call was about (its path, command, pattern), else the role of who said it. */
  readonly what: string
  /** 1-based position of its message in what would be sent now. */
  readonly message: number
  /** Estimated, not calibrated. */
  readonly tokens: number
}

export function largestPieces(transcript: Transcript): Piece[] {
  const about = new Map<object, { tool: string; what: string }>()
  for (const { call, result } of exchangesOf(transcript)) {
    const facts = { tool: call.tool, what: targetOf(call) ?? '' }
    about.set(call, facts)
    if (result) about.set(result, facts)
  }
  const pieces = transcript.messages.flatMap((message, index) =>
    message.blocks.map((block): Piece => {
      const facts = about.get(block)
      return {
        kind: kindOf(block, message.role),
        tool: facts?.tool ?? null,
        what: (facts?.what ?? message.role).slice(0, MOST_CHARS),
        message: index + 1,
        tokens: block.tokens,
      }
    }),
  )
  return pieces.sort((a, b) => b.tokens - a.tokens).slice(0, MOST_PIECES)
}
