/**
 * The session's id inside its lines, for a fork: Claude Code names it on every line (and refuses a line that names
 * another), pi and OpenClaw in the header only. Nothing else in a line changes.
 */
import type { SourceLine, Splice } from './format.ts'
import { byteOffsets, spanOf } from './json-spans.ts'
import { parseLine } from './lines.ts'

interface Renamer {
  /** The line's bytes with its end, under the new id. */
  push(line: SourceLine): Buffer
  /** In output order. */
  readonly splices: readonly Splice[]
}

/** Rewrites the id `from` to `to`, line by line; lines that name another session stay. */
export function sessionRenamer(from: string, to: string): Renamer {
  const splices: Splice[] = []
  const needle = Buffer.from(JSON.stringify(from))
  const value = Buffer.from(JSON.stringify(to))
  let written = 0
  function push(line: SourceLine): Buffer {
    const place = line.bytes.includes(needle) ? placeOfId(line, from) : undefined
    const pieces = [line.bytes, Buffer.from(line.end)]
    if (place) {
      const original = line.bytes.subarray(place.start, place.end)
      splices.push({ start: written + place.start, end: written + place.start + value.length, original })
      pieces.splice(0, 1, line.bytes.subarray(0, place.start), value, line.bytes.subarray(place.end))
    }
    const bytes = Buffer.concat(pieces)
    written += bytes.length
    return bytes
  }
  return { push, splices }
}

/** Byte range of the id's JSON value, quotes included; undefined where the line names no session or another one. */
function placeOfId(line: SourceLine, id: string): { start: number; end: number } | undefined {
  const { text, entries, problem } = parseLine(line)
  const [entry] = entries
  if (!entry || problem !== undefined) return undefined
  const key = entry.value.type === 'session' ? 'id' : 'sessionId'
  if (entry.value[key] !== id) return undefined
  const span = spanOf(text, [key], entry.start)
  if (!span) return undefined
  const [start, end] = byteOffsets(text, line.bytes.length, [span.start, span.end])
  return start === undefined || end === undefined ? undefined : { start, end }
}

/**
 * One set of splices for two rewritings in a row: `first` led from the input to the middle, `second` from the middle
 * to the output. What the second changed inside a place of the first is covered by that place.
 */
export function composeSplices(first: readonly Splice[], second: readonly Splice[]): Splice[] {
  const composed: Splice[] = []
  let index = 0
  // How far the output is ahead of the middle.
  let shift = 0
  const middleStart = (splice: Splice) => splice.start - shift
  const grows = (splice: Splice) => splice.end - splice.start - splice.original.length
  for (const place of first) {
    for (let next = second[index]; next && middleStart(next) < place.start; next = second[index]) {
      composed.push(next)
      shift += grows(next)
      index++
    }
    const start = place.start + shift
    for (let next = second[index]; next && middleStart(next) < place.end; next = second[index]) {
      shift += grows(next)
      index++
    }
    composed.push({ start, end: place.end + shift, original: place.original })
  }
  composed.push(...second.slice(index))
  return composed
}
