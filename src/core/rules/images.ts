/**
 * Images and documents become pointers with type, pixels and size: inside a result when the result leaves the
 * window (they leave with their result), from a person after 40 turns (DESIGN, Pointer).
 */
import type { Edit, Removed } from '../edits.ts'
import { countOf, pointerTo } from '../pointer.ts'
import { removedMedia, removedText, targetOf } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { MediaBlock, MediaPart, Transcript } from '../transcript.ts'
import { turnsOf } from '../transcript.ts'
import type { Rule, WindowOptions } from './rule.ts'
import { type AnsweredExchange, beyondWindow } from './window.ts'

export interface ImagesOptions extends WindowOptions {
  /** A person's image or document leaves after this many turns. */
  readonly afterTurns: number
}

export const DEFAULT_IMAGE_TURNS = 40

export const images: Rule<ImagesOptions> = (transcript, options) => [
  ...beyondWindow(transcript, options)
    .filter(({ result }) => hasMedia(result) && !result.spilled)
    .map(withoutMedia),
  ...oldMedia(transcript, options.afterTurns),
]

/** Only what can be archived byte for byte leaves: a URL or a file id is small and stays. */
function hasMedia(result: AnsweredExchange['result']): boolean {
  const known = result.parts.every((part) => part.type === 'text' || (part.type !== 'opaque' && part.bytes > 0))
  return known && result.parts.some((part) => part.type !== 'text')
}

function describe(media: Omit<MediaPart, 'type'>): string {
  const pixels = media.width > 0 && media.height > 0 ? `${media.width}x${media.height}, ` : ''
  return `${media.mediaType}, ${pixels}${countOf(media.bytes, 'bytes')}`
}

function withoutMedia({ call, result }: AnsweredExchange): Edit {
  const removed: Removed[] = []
  const lines: string[] = []
  const target = targetOf(call)
  const facts = { at: result.at, rule: 'images', class: 'restorable' as const, call }
  for (const part of result.parts) {
    if (part.type === 'opaque') continue
    const out = part.type === 'text' ? removedText(part.text, facts) : removedMedia(part, facts)
    removed.push(out)
    lines.push(
      pointerTo({
        ref: out.ref,
        tool: part.type === 'text' ? call.tool : `${call.tool} ${part.type}`,
        ...(target === undefined ? {} : { target }),
        size: part.type === 'text' ? countOf(part.text.length, 'characters') : describe(part),
      }),
    )
  }
  const text = lines.join('\n')
  return {
    kind: 'replace-result',
    at: result.at,
    rule: 'images',
    reason: `${call.tool} result with an image is older than the newest results`,
    purpose: 'economy',
    class: 'restorable',
    frees: result.tokens - estimateTokens(text),
    removed,
    text,
  }
}

function oldMedia(transcript: Transcript, afterTurns: number): Edit[] {
  const turns = turnsOf(transcript)
  const edits: Edit[] = []
  // Everything before the start of the turn with this index has seen at least `afterTurns` turns.
  const limit = turns[turns.length - afterTurns]?.start ?? 0
  transcript.messages.slice(0, turns.length < afterTurns ? 0 : limit).forEach((message) => {
    if (message.role !== 'user') return
    for (const block of message.blocks) {
      if ((block.type === 'image' || block.type === 'document') && block.bytes > 0) edits.push(pointerFor(block))
    }
  })
  return edits
}

function pointerFor(block: MediaBlock): Edit {
  const removed = removedMedia(block, { at: block.at, rule: 'images', class: 'restorable' })
  const text = pointerTo({ ref: removed.ref, tool: block.type, size: describe(block) })
  return {
    kind: 'replace-media',
    at: block.at,
    rule: 'images',
    reason: `${block.type} of ${countOf(block.bytes, 'bytes')} is old`,
    purpose: 'economy',
    class: 'restorable',
    frees: block.tokens - estimateTokens(text),
    removed: [removed],
    text,
  }
}
