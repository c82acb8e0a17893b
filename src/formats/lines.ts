/**
 * From bytes to lines to JSON objects. Bytes are the truth: a line that cannot be understood is reported and
 * carried along verbatim, it never stops the rest.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import type { SourceLine } from './format.ts'
import { skipValue, skipWhitespace } from './json-spans.ts'

/** Longer lines are reported and kept, not parsed: memory would grow out of proportion. */
export const MOST_LINE_BYTES = 64 * 1024 * 1024
/** Deeper values are reported and kept: no code that walks them may run out of stack. */
export const MOST_NESTING = 500
/** Above this size the nesting is measured before parsing, since a parser pays for every level. */
const MEASURE_NESTING_FROM = 1024 * 1024

const LF = 0x0a
const CR = 0x0d
const BOM = '\ufeff'

interface LineSplitter {
  /** The lines that this chunk completes. The chunk's memory is shared with them: it must not be written again. */
  push(chunk: Buffer): SourceLine[]
  /** The last line, where no newline ended it. */
  finish(): SourceLine[]
}

/** Splits chunks of any size at LF. A CR directly before the LF belongs to the end, any other to the line. */
export function lineSplitter(): LineSplitter {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let offset = 0
  let number = 0

  function complete(tail: Buffer, ended: boolean): SourceLine {
    const whole = pending.length === 0 ? tail : Buffer.concat([...pending, tail], pendingBytes + tail.length)
    pending = []
    pendingBytes = 0
    const crlf = ended && whole.at(-1) === CR
    const bytes = crlf ? whole.subarray(0, whole.length - 1) : whole
    const line: SourceLine = { number: ++number, offset, bytes, end: crlf ? '\r\n' : ended ? '\n' : '' }
    offset += whole.length + (ended ? 1 : 0)
    return line
  }

  return {
    push(chunk) {
      const lines: SourceLine[] = []
      let start = 0
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
        lines.push(complete(chunk.subarray(start, at), true))
        start = at + 1
      }
      if (start < chunk.length) {
        pending.push(chunk.subarray(start))
        pendingBytes += chunk.length - start
      }
      return lines
    },
    finish() {
      return pendingBytes === 0 ? [] : [complete(Buffer.alloc(0), false)]
    },
  }
}

/** One JSON object of a line; `start` and `end` are string offsets into the line's decoded text. */
export interface LineEntry {
  readonly value: Readonly<Record<string, unknown>>
  readonly start: number
  readonly end: number
}

export interface ParsedLine {
  /** The decoded line, a BOM included; '' when it could not be decoded. */
  readonly text: string
  /** Usually one; none for an empty or a bad line; several where objects were joined (then `problem` says so). */
  readonly entries: readonly LineEntry[]
  /** What is wrong with the line and what was expected, without the line's number. */
  readonly problem?: string
}

const EXPECTED = '(expected one JSON object)'

/** The JSON objects of one line. Empty lines hold none and are no problem. Never throws. */
export function parseLine(line: SourceLine): ParsedLine {
  const { bytes } = line
  if (bytes.length === 0) return { text: '', entries: [] }
  if (bytes.length > MOST_LINE_BYTES) {
    return bad('', `${bytes.length} bytes on one line, more than ${MOST_LINE_BYTES}; not read`)
  }
  const ascii = isAscii(bytes)
  if (!ascii && !isUtf8(bytes)) return bad('', `invalid UTF-8 ${EXPECTED}`)
  const text = bytes.toString(ascii ? 'latin1' : 'utf8')
  const start = line.number === 1 && text.startsWith(BOM) ? BOM.length : 0
  if (text.length > MEASURE_NESTING_FROM && skipValue(text, start, MOST_NESTING).state === 'deep') return tooDeep(text)
  let value: unknown
  try {
    value = JSON.parse(start === 0 ? text : text.slice(start))
  } catch {
    return parsePieces(text, start)
  }
  if (!isObject(value)) return bad(text, `${nameOf(value)} ${EXPECTED}`)
  if (isTooDeep(value)) return tooDeep(text)
  return { text, entries: [{ value, start, end: text.length }] }
}

function bad(text: string, problem: string, entries: readonly LineEntry[] = []): ParsedLine {
  return { text, entries, problem }
}

export const TOO_DEEP = `nested deeper than ${MOST_NESTING} levels; not read`

function tooDeep(text: string): ParsedLine {
  return bad(text, TOO_DEEP)
}

/** A line that is not one JSON value: nothing at all, objects that were joined, or damage. */
function parsePieces(text: string, from: number): ParsedLine {
  const entries: LineEntry[] = []
  let start = skipWhitespace(text, from)
  while (start < text.length) {
    const { end, state } = skipValue(text, start, MOST_NESTING)
    if (state === 'deep') return tooDeep(text)
    const problem = state === 'whole' ? takePiece(text, start, end, entries) : cutProblem(text, start, state)
    if (problem !== undefined) {
      const before = entries.length === 0 ? '' : `after ${entries.length} whole JSON object(s): `
      return bad(text, `${before}${problem} ${EXPECTED}`, entries)
    }
    start = skipWhitespace(text, end)
  }
  if (entries.length < 2) return { text, entries }
  return bad(text, `${entries.length} JSON objects joined on one line ${EXPECTED}`, entries)
}

/** Adds the object at this place, or says why there is none. */
function takePiece(text: string, start: number, end: number, entries: LineEntry[]): string | undefined {
  const nul = text.slice(start, end).indexOf('\0')
  if (nul >= 0) return `NUL at column ${start + nul + 1}`
  try {
    const value: unknown = JSON.parse(text.slice(start, end))
    if (!isObject(value)) return nameOf(value)
    entries.push({ value, start, end })
    return undefined
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined
    const column = start + 1 + (position === undefined ? 0 : Number(position))
    return `no JSON at column ${column}`
  }
}

function cutProblem(text: string, start: number, state: 'in-string' | 'in-container'): string {
  const nul = text.indexOf('\0', start)
  if (nul >= 0) return `NUL at column ${nul + 1}`
  return `cut in the middle of ${state === 'in-string' ? 'a string' : 'an object or array'}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Is this parsed value too deep to be walked? Then it is reported and kept, as a line that holds it would be. */
export function isTooDeep(value: object): boolean {
  return deeperThan(value, MOST_NESTING)
}

/** Recursion is bounded by `levels`. Every object of every line passes here: nothing is allocated for it. */
function deeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const child of value) if (isDeep(child, levels)) return true
    return false
  }
  for (const key in value) if (isDeep((value as Record<string, unknown>)[key], levels)) return true
  return false
}

function isDeep(child: unknown, levels: number): boolean {
  return typeof child === 'object' && child !== null && deeperThan(child, levels - 1)
}
