/** A recorded session as it stood at each of its compactions. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Transcript } from '../src/core/transcript.ts'
import type { Format, Session, SourceLine } from '../src/formats/format.ts'
import { FORMATS } from '../src/formats/index.ts'
import { lineSplitter, parseLine } from '../src/formats/lines.ts'

/** Entries a format is detected from. */
const DETECT_ENTRIES = 20

/** The view at the last request before each compaction and at the end. */
export function segmentsOf(file: string): Transcript[] {
  const lines = linesOf(file)
  const format = formatOf(lines, file)
  const whole = read(format, lines)
  const lastEntries = new Map(whole.facts.requests.map((request) => [request.segment, request.entry]))
  return [...lastEntries.values()].map((entry) => {
    const last = whole.main.links.find((link) => link.entry === entry)?.line ?? lines.length
    return read(format, lines.slice(0, last)).main
  })
}

function linesOf(file: string): SourceLine[] {
  const bytes = readFileSync(file)
  const splitter = lineSplitter()
  return [...splitter.push(file.endsWith('.gz') ? gunzipSync(bytes) : bytes), ...splitter.finish()]
}

function formatOf(lines: readonly SourceLine[], file: string): Format {
  const first = lines.slice(0, DETECT_ENTRIES).flatMap((line) => parseLine(line).entries.map((entry) => entry.value))
  const format = FORMATS.find((candidate) => candidate.detect(first))
  if (!format) throw new Error(`${file} is of no known format`)
  return format
}

function read(format: Format, lines: readonly SourceLine[]): Session {
  const reader = format.reader()
  for (const line of lines) reader.push(line)
  return reader.finish()
}
