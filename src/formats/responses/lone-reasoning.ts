/** Reasoning whose answer never came or stands elsewhere is refused (B22): it leaves. */
import type { Edit } from '../../core/edits.ts'
import { removedText } from '../../core/removed.ts'
import type { JsonValue, Transcript } from '../../core/transcript.ts'
import { checkRequest } from '../legality/index.ts'

const PLACE = /^input[.[](\d+)/

export function loneReasoning(request: JsonValue, transcript: Transcript): Edit[] {
  const entries = new Set(
    checkRequest('openai-responses', request)
      .filter(({ rule }) => rule === 'B22')
      .map(({ at }) => Number(PLACE.exec(at ?? '')?.[1])),
  )
  if (entries.size === 0) return []
  return transcript.messages
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === 'thinking' && entries.has(block.at.entry))
    .map((block): Edit => {
      const { thread, entry } = block.at
      const facts = { at: { thread, entry }, rule: 'B22', class: 'worthless' } as const
      const text = block.type === 'thinking' ? block.text : ''
      return {
        ...facts,
        kind: 'strip-thinking',
        reason: 'reasoning that no item of its own follows leaves',
        purpose: 'legality',
        frees: block.tokens,
        removed: text === '' ? [] : [removedText(text, facts)],
      }
    })
}

/** Of the item that everything may still follow. */
export function lastEntry(transcript: Transcript): number | undefined {
  return transcript.messages.at(-1)?.entries.at(-1)
}
