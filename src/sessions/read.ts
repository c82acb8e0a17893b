/** From a source to a session: find the format from the first entries, then push every line once. */
import { SpillwayError } from '../core/errors.ts'
import type { Format, ReadOptions, Session, SourceLine } from '../formats/format.ts'
import { FORMATS } from '../formats/index.ts'
import { lineSplitter, parseLine } from '../formats/lines.ts'
import type { Source } from './source.ts'

/** So many entries are shown to each format before it must know its own. */
const DETECT_ENTRIES = 20
/** Damage at the start may hide the entries; after so many bytes there is no session to be expected. */
const DETECT_BYTES = 128 * 1024 * 1024
/** A line is kept in memory until it ends; what goes on longer than this (a device, a runaway pipe) may never end. */
const LONGEST_LINE_BYTES = 512 * 1024 * 1024

/** The source is none of the known sessions; it may be something else. */
export class UnknownFormatError extends SpillwayError {}

export interface Reading {
  readonly source: Source
  readonly format: Format
  readonly session: Session
  /** The same bytes read as every call across compactions; it can be measured, not written. */
  readonly history: () => Session
  /** Decompressed bytes. */
  readonly bytes: number
}

/**
 * Reads one session file, every line once.
 * @throws SpillwayError `unreadable` when it is of no known format
 */
export async function readSession(
  source: Source,
  options: Omit<ReadOptions, 'fileName'> = {},
  onBytes?: (bytes: number) => void,
): Promise<Reading> {
  const held: SourceLine[] = []
  const first: unknown[] = []
  let heldBytes = 0
  let chosen: { format: Format; reader: ReturnType<Format['reader']> } | undefined

  function choose(): void {
    const format = FORMATS.find((candidate) => candidate.detect(first))
    if (!format) throw unknownFormat(source, first.length)
    const reader = format.reader({ ...options, fileName: source.file })
    chosen = { format, reader }
    for (const line of held) reader.push(line)
    held.length = 0
  }

  const bytes = await eachLine(
    source,
    (line) => {
      if (chosen) {
        chosen.reader.push(line)
        return
      }
      held.push(line)
      heldBytes += line.bytes.length
      for (const entry of parseLine(line).entries) first.push(entry.value)
      if (first.length >= DETECT_ENTRIES || heldBytes >= DETECT_BYTES) choose()
    },
    onBytes,
  )
  if (!chosen) choose()
  if (!chosen) throw unknownFormat(source, first.length)
  const { format, reader } = chosen
  return { source, format, session: reader.finish(), history: () => reader.finish('history'), bytes }
}

/**
 * Calls `onLine` for every line of the source; returns the number of decompressed bytes.
 * @throws SpillwayError `unreadable` when a line does not end
 */
export async function eachLine(
  source: Source,
  onLine: (line: SourceLine) => void,
  onBytes?: (bytes: number) => void,
): Promise<number> {
  const splitter = lineSplitter()
  let bytes = 0
  let lines = 0
  let ended = 0
  for await (const chunk of source.chunks(onBytes)) {
    bytes += chunk.length
    for (const line of splitter.push(chunk)) {
      onLine(line)
      lines = line.number
      ended = line.offset + line.bytes.length + line.end.length
    }
    if (bytes - ended > LONGEST_LINE_BYTES) {
      const message = `goes on after ${LONGEST_LINE_BYTES} bytes; expected one JSON object a line`
      throw new SpillwayError('unreadable', `${source.file}:${lines + 1}: ${message}`)
    }
  }
  for (const line of splitter.finish()) onLine(line)
  return bytes
}

function unknownFormat(source: Source, entries: number): SpillwayError {
  const names = FORMATS.map((format) => format.name).join(', ')
  const found = entries === 0 ? 'no JSON object on any line' : `${entries} entries of an unknown kind`
  return new UnknownFormatError('unreadable', `${source.file}: ${found}; expected a session of ${names}`)
}
