/**
 * The output side of a format's writer: lines go in, kept or changed, and what `restore` needs comes out beside
 * them. Splices stand in output order; carrying them out from the last to the first gives the input back.
 */
import type { SourceLine, Splice } from './format.ts'
import { byteOffsets, inOrder, type TextSplice } from './json-spans.ts'

export interface SessionText {
  /** The line as it is. */
  keep(line: SourceLine): Buffer[]
  /** The line with these places of its decoded text changed; `text` is that text. */
  change(line: SourceLine, text: string, splices: readonly TextSplice[]): Buffer[]
  /** The line leaves, its end too. */
  remove(line: SourceLine): void
  /** A new line after what was written so far; it ends an unended line first. */
  add(text: string): Buffer[]
  /** In output order, never touching each other. */
  readonly splices: readonly Splice[]
}

const END_BYTES = { '\n': Buffer.from('\n'), '\r\n': Buffer.from('\r\n') }

interface OpenSplice {
  readonly start: number
  end: number
  readonly original: Buffer[]
}

export function sessionText(): SessionText {
  const open: OpenSplice[] = []
  let written = 0
  let newline: '\n' | '\r\n' = '\n'
  let lineIsOpen = false

  /** `length` bytes of output, the next ones, stand where `original` stood. */
  function replaced(original: Buffer, length: number): void {
    const last = open.at(-1)
    if (last && last.end === written) {
      last.end += length
      last.original.push(original)
    } else {
      open.push({ start: written, end: written + length, original: [original] })
    }
    written += length
  }

  function ended(line: SourceLine): Buffer[] {
    lineIsOpen = line.end === ''
    if (line.end === '') return []
    newline = line.end
    written += line.end.length
    return [END_BYTES[line.end]]
  }

  return {
    keep(line) {
      written += line.bytes.length
      return [line.bytes, ...ended(line)]
    },
    change(line, text, splices) {
      const sorted = inOrder(splices)
      const places = byteOffsets(
        text,
        line.bytes.length,
        sorted.flatMap((splice) => [splice.start, splice.end]),
      )
      const pieces: Buffer[] = []
      let at = 0
      sorted.forEach((splice, index) => {
        const start = places[2 * index] ?? at
        const end = places[2 * index + 1] ?? start
        const replacement = Buffer.from(splice.text, 'utf8')
        pieces.push(line.bytes.subarray(at, start), replacement)
        written += start - at
        replaced(line.bytes.subarray(start, end), replacement.length)
        at = end
      })
      pieces.push(line.bytes.subarray(at))
      written += line.bytes.length - at
      return [...pieces.filter((piece) => piece.length > 0), ...ended(line)]
    },
    remove(line) {
      replaced(line.bytes, 0)
      if (line.end !== '') replaced(END_BYTES[line.end], 0)
    },
    add(text) {
      const added = Buffer.from(`${lineIsOpen ? newline : ''}${text}${newline}`, 'utf8')
      lineIsOpen = false
      replaced(Buffer.alloc(0), added.length)
      return [added]
    },
    get splices() {
      return open.map(({ start, end, original }) => ({ start, end, original: Buffer.concat(original) }))
    },
  }
}
