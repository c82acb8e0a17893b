/** What a batch of edits saves, and what of the prompt would have to be written to the cache again. */
import type { Edit } from '../core/edits.ts'
import type { EconomyContext } from '../core/policy.ts'
import { thinkingStep } from '../core/thinking.ts'
import type { Transcript } from '../core/transcript.ts'
import { addressKey, turnsOf, viewTokens } from '../core/transcript.ts'

/** Tokens of the prompt as it would be sent now. */
export function promptTokens(transcript: Transcript, context: EconomyContext): number {
  const { floor, scale } = context.measure ?? { floor: 0, scale: 1 }
  return floor + scale * viewTokens(transcript)
}

export interface EditSums {
  /** Tokens that leave, with the thinking that must leave behind a first edit (A33). */
  readonly saves: number
  /** Tokens already sent behind the first edit, that stay: they are written again. */
  readonly rewritten: number
}

/** Of `economy` on top of `urgent`: what an edit that must happen anyway has broken already costs nothing more. */
export function measureEdits(
  transcript: Transcript,
  context: EconomyContext,
  urgent: readonly Edit[],
  economy: readonly Edit[],
): EditSums {
  if (economy.length === 0) return { saves: 0, rewritten: 0 }
  const scale = context.measure?.scale ?? 1
  const model = context.model ?? transcript.model
  const anyway = freed(thinkingStep(transcript, urgent, model))
  const strips = thinkingStep(transcript, [...urgent, ...economy], model)
  const saves = freed(economy) + freed(strips) - anyway
  const sent = sentBehind(transcript, economy) - sentBehind(transcript, urgent)
  return { saves: scale * saves, rewritten: scale * Math.max(0, sent - saves) }
}

function freed(edits: readonly Edit[]): number {
  return edits.reduce((sum, edit) => sum + edit.frees, 0)
}

/** Estimated tokens from the first edited block to the newest answer, which was never sent. */
function sentBehind(transcript: Transcript, edits: readonly Edit[]): number {
  const blocks = new Set<string>()
  const entries = new Set<number>()
  for (const edit of edits) {
    if (edit.kind === 'relink' || edit.kind === 'split-line' || edit.kind === 'set-field') continue
    if (edit.at.block === undefined) entries.add(edit.at.entry)
    else blocks.add(addressKey(edit.at))
  }
  if (blocks.size === 0 && entries.size === 0) return 0
  const end = turnsOf(transcript).at(-1)?.start ?? 0
  let found = false
  let sum = 0
  for (const message of transcript.messages.slice(0, end)) {
    for (const block of message.blocks) {
      found ||= entries.has(block.at.entry) || blocks.has(addressKey(block.at))
      if (found) sum += block.tokens
    }
  }
  return sum
}
