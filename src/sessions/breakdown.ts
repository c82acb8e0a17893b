/** Where the tokens of a transcript's view are: by kind of content and by tool. */
import { imageTokens } from '../core/tokens.ts'
import { type Block, exchangesOf, type Role, type Transcript } from '../core/transcript.ts'

export const KINDS = [
  'userText',
  'assistantText',
  'thinking',
  'callArguments',
  'toolResults',
  'images',
  'other',
] as const
export type Kind = (typeof KINDS)[number]

export interface Breakdown {
  readonly total: number
  readonly byKind: Readonly<Record<Kind, number>>
  /** Arguments and results of each tool, the largest first. */
  readonly byTool: Readonly<Record<string, number>>
}

/** In estimated tokens, not calibrated. */
export function breakdownOf(transcript: Transcript): Breakdown {
  const byKind: Record<Kind, number> = {
    userText: 0,
    assistantText: 0,
    thinking: 0,
    callArguments: 0,
    toolResults: 0,
    images: 0,
    other: 0,
  }
  let total = 0
  for (const message of transcript.messages) {
    for (const block of message.blocks) {
      total += block.tokens
      const images = block.type === 'result' ? Math.min(block.tokens, imagesIn(block.parts)) : 0
      byKind.images += images
      byKind[kindOf(block, message.role)] += block.tokens - images
    }
  }
  return { total, byKind, byTool: byTool(transcript) }
}

export function kindOf(block: Block, role: Role): Kind {
  if (block.type === 'text') return role === 'assistant' ? 'assistantText' : role === 'user' ? 'userText' : 'other'
  if (block.type === 'thinking') return 'thinking'
  if (block.type === 'call') return 'callArguments'
  if (block.type === 'result') return 'toolResults'
  return block.type === 'opaque' ? 'other' : 'images'
}

function imagesIn(parts: Extract<Block, { type: 'result' }>['parts']): number {
  let sum = 0
  for (const part of parts) if (part.type === 'image') sum += imageTokens(part.width, part.height)
  return sum
}

function byTool(transcript: Transcript): Record<string, number> {
  const sums = new Map<string, number>()
  for (const { call, result } of exchangesOf(transcript)) {
    sums.set(call.tool, (sums.get(call.tool) ?? 0) + call.tokens + (result?.tokens ?? 0))
  }
  return Object.fromEntries([...sums].sort((a, b) => b[1] - a[1]))
}
