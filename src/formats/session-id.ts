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

/** A place in the middle text that one of the two rewritings touched. */
interface Place {
  readonly start: number
  readonly end: number
  /** Input bytes of a place of the first rewriting. */
  readonly input?: Buffer
  /** Middle bytes of a place of the second, and by how much the output is longer there. */
  readonly middle?: Buffer
  readonly grows: number
}

/**
 * One set of splices for two rewritings in a row: `first` led from the input to the middle, `second` from the middle
 * to the output. Places that touch become one, whose original is what the input had there.
 */
export function composeSplices(first: readonly Splice[], second: readonly Splice[]): Splice[] {
  const composed: Splice[] = []
  let shift = 0
  let group: Place[] = []
  let groupEnd = -1
  const close = (): void => {
    const [opening] = group
    if (!opening) return
    const grows = group.reduce((sum, place) => sum + place.grows, 0)
    const start = opening.start + shift
    composed.push({ start, end: groupEnd + shift + grows, original: inputOf(group, groupEnd) })
    shift += grows
    group = []
  }
  for (const place of [...placesOfFirst(first), ...placesOfSecond(second)].sort((a, b) => a.start - b.start)) {
    if (place.start > groupEnd) close()
    group.push(place)
    groupEnd = Math.max(group.length === 1 ? place.end : groupEnd, place.end)
  }
  close()
  return composed
}

function placesOfFirst(first: readonly Splice[]): Place[] {
  return first.map(({ start, end, original }) => ({ start, end, input: original, grows: 0 }))
}

function placesOfSecond(second: readonly Splice[]): Place[] {
  let shift = 0
  return second.map((splice) => {
    const start = splice.start - shift
    const grows = splice.end - splice.start - splice.original.length
    shift += grows
    return { start, end: start + splice.original.length, middle: splice.original, grows }
  })
}

/** The input bytes under touching places: the first's originals, and between them what the second found there. */
function inputOf(group: readonly Place[], end: number): Buffer {
  const pieces: Buffer[] = []
  const found = group.filter((place) => place.middle !== undefined)
  let at = group[0]?.start ?? 0
  let next = 0
  const upTo = (limit: number): void => {
    for (let place = found[next]; place?.middle && at < limit; place = found[next]) {
      const last = Math.min(limit, place.end)
      if (last > at) pieces.push(place.middle.subarray(at - place.start, last - place.start))
      at = Math.max(at, last)
      if (place.end > limit) return
      next++
    }
  }
  for (const { start, end: last, input } of group) {
    if (!input) continue
    upTo(start)
    pieces.push(input)
    at = last
  }
  upTo(end)
  return Buffer.concat(pieces)
}
