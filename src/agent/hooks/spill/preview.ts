/** Beginning and end of a long text: whole characters, no terminal colours. */
import { stripVTControlCharacters } from 'node:util'

/** Escapes take room that the reader does not see: so many units a character are looked at. */
const UNITS_PER_CHARACTER = 8
const LEAST_UNITS = 2000
/** What belongs to the character before it: accents, variation selectors, joined emoji, skin tones. */
const CONTINUES = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])$/u
/** A cluster is followed so far; longer ones are no text. */
const MOST_CLUSTER = 16

/** The first characters (code points), no cluster cut unless it is endless. */
export function headOf(text: string, characters: number): string {
  if (characters <= 0) return ''
  const points = Array.from(readable(text.slice(0, Math.max(LEAST_UNITS, characters * UNITS_PER_CHARACTER))))
  let end = Math.min(points.length, characters)
  for (let step = 0; step < MOST_CLUSTER && end > 0 && continues(points, end); step++) end--
  return points.slice(0, end).join('')
}

/** The last characters (code points), no cluster cut unless it is endless. */
export function tailOf(text: string, characters: number): string {
  if (characters <= 0) return ''
  const points = Array.from(readable(text.slice(-Math.max(LEAST_UNITS, characters * UNITS_PER_CHARACTER))))
  let start = Math.max(0, points.length - characters)
  for (let step = 0; step < MOST_CLUSTER && start < points.length && start > 0 && continues(points, start); step++)
    start++
  return points.slice(start).join('')
}

function continues(points: readonly string[], at: number): boolean {
  const here = points[at]
  return here !== undefined && (CONTINUES.test(here) || points[at - 1] === '\u200d')
}

/** Without escape sequences, half surrogate pairs (a cut made them) and other control characters. */
function readable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cs}\u0000-\u0008\u000b-\u001f\u007f]/gu, '')
}

/** Code points of a text. */
export function characterCount(text: string): number {
  // ASCII, which nearly every output is, is counted by the engine.
  if (Buffer.byteLength(text) === text.length) return text.length
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      at++
    }
  }
  return count
}
