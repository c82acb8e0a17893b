/**
 * The session's id inside its lines, for a fork: Claude Code names it on every line (and refuses a line that names
 * another), pi, OpenClaw and Codex in the header only. Nothing else in a line changes.
 */
import { fieldsOf } from './fields.ts'
import type { SourceLine, Splice } from './format.ts'
import { byteOffsets, membersAt, spanOf, type TextSplice } from './json-spans.ts'
import { type LineEntry, parseLine } from './lines.ts'

interface Renamer {
  /** The line's bytes with its end, under the new id. */
  push(line: SourceLine): Buffer
  /** In output order. */
  readonly splices: readonly Splice[]
}

/** Gives every line of a session of this format the new id. */
export function sessionRenamer(format: string, id: string): Renamer {
  const splices: Splice[] = []
  let written = 0
  function push(line: SourceLine): Buffer {
    const { text, entries } = parseLine(line)
    const changes = entries.flatMap((entry) => placesOfId(text, entry, format, id))
    const offsets = byteOffsets(
      text,
      line.bytes.length,
      changes.flatMap(({ start, end }) => [start, end]),
    )
    const pieces: Buffer[] = []
    let at = 0
    changes.forEach((change, index) => {
      const [start = 0, end = 0] = offsets.slice(2 * index)
      const value = Buffer.from(change.text)
      pieces.push(line.bytes.subarray(at, start), value)
      const from = written + start
      splices.push({ start: from, end: from + value.length, original: line.bytes.subarray(start, end) })
      written += value.length - (end - start)
      at = end
    })
    pieces.push(line.bytes.subarray(at), Buffer.from(line.end))
    written += line.bytes.length + line.end.length
    return Buffer.concat(pieces)
  }
  return { push, splices }
}

function placesOfId(text: string, entry: LineEntry, format: string, id: string): TextSplice[] {
  if (format === 'codex') return placesInMeta(text, entry, id)
  const isClaudeCode = format === 'claude-code'
  if (!isClaudeCode && entry.value.type !== 'session') return []
  const key = isClaudeCode ? 'sessionId' : 'id'
  if (typeof entry.value[key] !== 'string') return []
  return membersAt(text, entry.start)
    .filter((member) => member.key === key)
    .map((member) => ({ ...member.value, text: JSON.stringify(id) }))
}

/** Codex: the entry that opens a rollout holds it in its payload. */
function placesInMeta(text: string, entry: LineEntry, id: string): TextSplice[] {
  if (entry.value.type !== 'session_meta' || typeof fieldsOf(entry.value.payload)?.id !== 'string') return []
  const payload = spanOf(text, ['payload'], entry.start)
  return membersAt(text, payload?.start ?? entry.start)
    .filter((member) => member.key === 'id')
    .map((member) => ({ ...member.value, text: JSON.stringify(id) }))
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
