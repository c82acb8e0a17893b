/**
 * The short text left in place of archived content (DESIGN, Pointer):
 * `[spillway <ref>: <Tool> <target>, <n> characters. Back: <how>]`.
 *
 * No age, clock or counter: the same content always leaves the same bytes, so the prompt cache holds.
 */
import { REFERENCE_LENGTH } from './reference.ts'
import { estimateTokens } from './tokens.ts'

export const POINTER_TOKENS = 40
/** A pointer that names a spill file may be longer. */
export const POINTER_TOKENS_WITH_PATH = 60
const MOST_TARGET_CHARS = 80
const ELLIPSIS = '…'

export interface PointerFacts {
  readonly ref: string
  /** Tool name, or what it was (`image`, `argument content`). */
  readonly tool: string
  readonly target?: string
  /** "5,120 characters", "640x480, 12,345 bytes": what left. */
  readonly size: string
  /** Path of the spill file, where the agent's own tools can read it. */
  readonly path?: string
}

const POINTER = new RegExp(`^\\[spillway ([a-z2-7]{${REFERENCE_LENGTH}}): [^\\n]{0,400}\\]$`)
/** A pointer whose way back is a file. */
const SPILLED = /\. Back: \/[^\n]*\]$/
const NOTE = /^\[(?:stale(?: failure)?; run again: |interrupted: |no result recorded: )[^\n]{0,400}\]$/

/** The reference of a text that is a Spillway pointer, else undefined. */
export function pointerReference(text: string): string | undefined {
  if (text.length > 500) return undefined
  return POINTER.exec(text)?.[1]
}

/** What Read puts before each line. */
const LINE_NUMBER = /^ *\d+[\t→]/
const MOST_NUMBER_CHARS = 12

/** Opens with a pointer or one of our fixed notes: what stood there was already taken out. */
export function isSpillwayText(text: string): boolean {
  const number = LINE_NUMBER.exec(text.slice(0, MOST_NUMBER_CHARS))
  if (number) text = text.slice(number[0].length, number[0].length + 501)
  if (text.charCodeAt(0) !== 0x5b) return false
  const end = text.indexOf('\n')
  const first = end < 0 || end > 500 ? text.slice(0, 501) : text.slice(0, end)
  return POINTER.test(first) || NOTE.test(first)
}

/**
 * The pointers to spill files in a text that opens with one, without line numbers: what must stay of a result that was
 * spilled at birth. Other texts of ours open with a pointer too (task records); theirs names no file.
 */
export function spillPointers(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(LINE_NUMBER, ''))
  const pointers = lines.filter((line) => SPILLED.test(line) && pointerReference(line) !== undefined)
  return pointers[0] === lines[0] ? pointers : []
}

/** Every reference that pointers in this text name (a session file's line, a spill preview). */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(new RegExp(`\\[spillway ([a-z2-7]{${REFERENCE_LENGTH}}): `, 'g'))].map(
    (match) => match[1] ?? '',
  )
}

/** Nothing to normalise or to cut: what most paths and commands are. */
const PLAIN = /^(?! )(?!.* {2})[\x20-\x7e]*(?<! )$/

/** One line, no control characters, cut in the middle at code points. */
export function elide(text: string, mostChars: number): string {
  if (text.length <= mostChars && PLAIN.test(text)) return text
  const points = Array.from(
    text
      .slice(0, 4000)
      .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
      .trim(),
  )
  if (points.length <= mostChars && text.length <= 4000) return points.join('')
  const head = Math.ceil((mostChars - 1) / 2)
  const tail = mostChars - 1 - head
  const end = Array.from(
    text
      .slice(-4000)
      .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
      .trim(),
  )
  return points.slice(0, head).join('') + ELLIPSIS + (tail > 0 ? end.slice(-tail).join('') : '')
}

export function countOf(count: number, unit: string): string {
  return `${count.toString().replace(/\B(?=(\d{3})+$)/g, ',')} ${unit}`
}

/** The pointer text; the target gives way until the whole fits its token limit. */
export function pointerTo(facts: PointerFacts): string {
  const how = facts.path ?? `spillway recall ${facts.ref}`
  const most = facts.path === undefined ? POINTER_TOKENS : POINTER_TOKENS_WITH_PATH
  const tool = elide(facts.tool, 30).replaceAll(']', ')')
  let text = ''
  for (let room = MOST_TARGET_CHARS; ; room = Math.floor(room / 2)) {
    const target = facts.target === undefined || room < 4 ? '' : ` ${elide(facts.target, room).replaceAll(']', ')')}`
    text = `[spillway ${facts.ref}: ${tool}${target}, ${facts.size}. Back: ${how}]`
    if (estimateTokens(text) <= most || room < 4) return text
  }
}
