/**
 * Results that are too large for the room are shortened before they are first sent: that is always legal and never
 * costs a cache write. Results of one turn have a common cap, so eight calls in parallel are as safe as one.
 */
import type { Edit } from '../../core/edits.ts'
import { countOf, pointerTo } from '../../core/pointer.ts'
import { removedBody, targetOf } from '../../core/removed.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { type CallBlock, exchangesOf, type ResultBlock, type Transcript, turnsOf } from '../../core/transcript.ts'
import { headOf } from './note.ts'
import { blockSize } from './size.ts'

/** A longer preview is no preview. */
const PREVIEW_TOKENS = 1000
/** Of a preview, what shows the beginning. */
const HEAD_SHARE = 0.6
/** What the pointer and the words around the preview take. */
const FRAME_TOKENS = 90
const LEAST_PREVIEW_TOKENS = 40

/** @param cap estimated tokens that the results of the newest turn may take together */
export function spillEdits(transcript: Transcript, cap: number): Edit[] {
  const newest = turnsOf(transcript).length - 1
  const batch = exchangesOf(transcript).flatMap(({ call, result, turn }) =>
    turn === newest && result ? [{ call, result, size: blockSize(result) }] : [],
  )
  const total = batch.reduce((sum, { size }) => sum + size, 0)
  if (total <= cap) return []
  const level = levelOf(
    batch.map(({ size }) => size),
    cap,
  )
  return batch.flatMap(({ call, result, size }) => (size > level ? (spilled(call, result, level) ?? []) : []))
}

/** What each may take so that all together fit: those below it stay whole. */
function levelOf(sizes: readonly number[], cap: number): number {
  let left = cap
  const sorted = sizes.toSorted((one, other) => one - other)
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

/** A result with a part that nobody can name stays: it could not be brought back. */
function spilled(call: CallBlock, result: ResultBlock, level: number): Edit | undefined {
  if (result.spilled || result.parts.some((part) => part.type === 'opaque')) return undefined
  const removed = removedBody(result, { rule: 'spill', class: 'restorable', call })
  const target = targetOf(call)
  const pointer = pointerTo({
    ref: removed.ref,
    tool: call.tool,
    ...(target === undefined ? {} : { target }),
    size: countOf(result.chars, 'characters'),
  })
  const words = result.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const text = pointer + previewOf(words, Math.min(PREVIEW_TOKENS, level - FRAME_TOKENS))
  const frees = result.tokens - estimateTokens(text)
  if (frees <= 0) return undefined
  return {
    kind: 'replace-result',
    at: result.at,
    rule: 'spill',
    reason: `${call.tool} result of ${countOf(result.chars, 'characters')} is larger than the room`,
    purpose: 'economy',
    class: 'restorable',
    frees,
    removed: [removed],
    text,
  }
}

/** Beginning and end of a text in these tokens, with what was left out between them. */
function previewOf(text: string, tokens: number): string {
  if (tokens < LEAST_PREVIEW_TOKENS || text.trim() === '') return ''
  const head = headOf(text, Math.floor(tokens * HEAD_SHARE))
  const tail = tailOf(text.slice(head.length), tokens - Math.floor(tokens * HEAD_SHARE))
  const left = text.length - head.length - tail.length
  if (left <= 0) return `\n${text}`
  return `\n${head}\n[… ${countOf(left, 'characters')} left out …]\n${tail}`
}

function tailOf(text: string, tokens: number): string {
  const reversed = headOf(
    Array.from(text.slice(-tokens * 8))
      .reverse()
      .join(''),
    tokens,
  )
  return Array.from(reversed).reverse().join('')
}
