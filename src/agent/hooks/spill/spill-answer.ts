/**
 * One tool's answer with its oversized parts moved out: texts from the largest down until the rest is small, or the
 * whole answer at once when it is many small pieces; images and documents each for itself.
 */
import { imageSize } from '../../../formats/image-size.ts'
import { isRecord } from '../pre-tool-use.ts'
import { type Content, contentOf, isMedia, type TextSlot } from './content.ts'
import type { SpillLimits } from './limits.ts'
import { characterCount, headOf, tailOf } from './preview.ts'
import type { SpillTexts } from './texts.ts'

/** Keeps content and returns the pointer to it. */
export type Keep = (content: string | Uint8Array, mediaType: string, what: Kept) => string

export interface Kept {
  /** `image`, `document`; absent for a text. */
  readonly kind?: string
  /** Characters of a text, bytes of the rest. */
  readonly size: number
  /** `900x780`, where an image says so. */
  readonly pixels?: string
}

export interface SpillFrame {
  readonly limits: SpillLimits
  /** The threshold that holds for this tool. */
  readonly threshold: number
  readonly texts: SpillTexts
  readonly keep: Keep
  /** What a Read asked for. */
  readonly filePath: string
}

/** So many texts get a pointer each; more become one. */
const MOST_POINTERS = 3
/** How an answer of many small pieces is shortened: list items and characters a text, step by step harder. */
const SHORTENINGS: readonly (readonly [items: number, characters: number])[] = [
  [20, 200],
  [8, 100],
  [3, 60],
]
const MOST_DEPTH = 40

/** The answer to give instead, or undefined when it may pass. */
export function spillAnswer(answer: unknown, frame: SpillFrame): unknown {
  const content = contentOf(answer, frame.filePath)
  const media = spillMedia(content, frame)
  const spilled = frame.limits.whole ? spillWhole(content, frame) : spillFields(content, frame)
  return spilled ?? (media ? content.copy() : undefined)
}

/** What stands in place of a text: the pointer, its beginning, its end. */
export function inPlaceOf(
  text: string,
  pointer: string,
  { limits, texts }: Pick<SpillFrame, 'limits' | 'texts'>,
): string {
  const lines = [pointer]
  if (limits.previewHead > 0) lines.push(texts.first(limits.previewHead), headOf(text, limits.previewHead))
  if (limits.previewTail > 0) lines.push(texts.last(limits.previewTail), tailOf(text, limits.previewTail))
  return lines.join('\n')
}

function spillMedia({ media }: Content, { limits, keep }: SpillFrame): boolean {
  const { mediaBytes } = limits
  if (mediaBytes === null) return false
  const large = media.filter(({ bytes }) => bytes >= mediaBytes)
  for (const { kind, mediaType, data, bytes, put } of large) {
    const { width, height } = imageSize(data)
    const pixels = width > 0 && height > 0 ? { pixels: `${width}x${height}` } : {}
    put(keep(Buffer.from(data, 'base64'), mediaType, { kind, size: bytes, ...pixels }))
  }
  return large.length > 0
}

/** Each long text field for itself; what stands in a list stays. */
function spillFields(content: Content, frame: SpillFrame): unknown {
  const long = content.texts.filter(({ text, inList }) => !inList && reaches(text, frame.threshold))
  for (const slot of long) replace(slot, frame)
  return long.length > 0 ? content.copy() : undefined
}

function spillWhole(content: Content, frame: SpillFrame): unknown {
  const { limits, threshold } = frame
  const measured = content.texts.map((slot) => ({ slot, characters: characterCount(slot.text) }))
  let rest = measured.reduce((sum, { characters }) => sum + characters, 0)
  if (rest < threshold) return undefined
  // A shorter text would not get shorter by a pointer with a preview.
  const least = Math.min(threshold, 2 * (limits.previewHead + limits.previewTail))
  const chosen: TextSlot[] = []
  for (const { slot, characters } of measured.sort((one, other) => other.characters - one.characters)) {
    if (rest < threshold || characters < least || chosen.length === MOST_POINTERS) break
    chosen.push(slot)
    rest -= characters
  }
  if (rest >= threshold) return spillTogether(content, frame)
  for (const slot of chosen) replace(slot, frame)
  return content.copy()
}

function replace({ text, put }: TextSlot, frame: SpillFrame): void {
  const pointer = frame.keep(text, 'text/plain', { size: characterCount(text) })
  const left = inPlaceOf(text, pointer, frame)
  const shorter = [left, pointer].find((candidate) => candidate.length < text.length)
  if (shorter !== undefined) put(shorter)
}

/** Many small pieces: all of them are kept as one, a few stay, and the longest of those carries the pointer. */
function spillTogether({ copy }: Content, frame: SpillFrame): unknown {
  const answer = copy()
  const lines = linesOf(answer)
  const text = lines?.join('\n') ?? JSON.stringify(answer, null, 1)
  const size = characterCount(text)
  let short: Content | undefined
  for (const [items, characters] of SHORTENINGS) {
    short = contentOf(shortened(answer, items, characters, 0), frame.filePath)
    if (short.texts.reduce((sum, slot) => sum + slot.text.length, 0) < frame.threshold) break
  }
  const carrier = short?.texts.reduce<TextSlot | undefined>(
    (longest, slot) => (longest === undefined || slot.text.length > longest.text.length ? slot : longest),
    undefined,
  )
  if (short === undefined || carrier === undefined) return undefined
  const pointer = frame.keep(text, lines === undefined ? 'application/json' : 'text/plain', { size })
  carrier.put(`${pointer}\n${carrier.text}`)
  return short.copy()
}

/** A list of texts, or an answer whose only texts are one such list, reads best line by line. */
function linesOf(answer: unknown): string[] | undefined {
  if (isRecord(answer)) {
    const lists = Object.values(answer).filter(Array.isArray)
    const others = Object.values(answer).some(
      (value) => isRecord(value) || (typeof value === 'string' && value.length > 80),
    )
    return lists.length === 1 && !others ? linesOf(lists[0]) : undefined
  }
  if (!Array.isArray(answer)) return undefined
  const lines = answer.map((item) => (typeof item === 'string' ? item : textPart(item)))
  return lines.every((line) => line !== undefined) ? lines : undefined
}

/** The text of a text part; nothing for a part that stays as it is. */
function textPart(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined
  if (item.type === 'text' && typeof item.text === 'string') return item.text
  return isMedia(item) ? '' : undefined
}

function shortened(value: unknown, items: number, characters: number, depth: number): unknown {
  if (typeof value === 'string') {
    return characterCount(value) > characters ? `${headOf(value, characters)}…` : value
  }
  // Images and documents were judged already; they stay, whatever their place in a list.
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH || isMedia(value)) return value
  if (Array.isArray(value)) {
    const kept = value.filter((item, at) => at < items || isMedia(item))
    return kept.map((item) => shortened(item, items, characters, depth + 1))
  }
  const pairs = Object.entries(value).map(([key, member]) => [key, shortened(member, items, characters, depth + 1)])
  return Object.fromEntries(pairs)
}

function reaches(text: string, characters: number): boolean {
  return text.length >= characters && (text.length >= 2 * characters || characterCount(text) >= characters)
}
