/** A session file as bytes, through a format and back. */
import type { Edit } from '../../src/core/edits.ts'
import type { Format, Session, SourceLine, Splice } from '../../src/formats/format.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { lineSplitter, parseLine } from '../../src/formats/lines.ts'

export function linesOf(bytes: Buffer): SourceLine[] {
  const splitter = lineSplitter()
  return [...splitter.push(bytes), ...splitter.finish()]
}

export function formatOf(bytes: Buffer): Format {
  const first = linesOf(bytes)
    .slice(0, 20)
    .flatMap((line) => parseLine(line).entries.map((entry) => entry.value))
  const format = FORMATS.find((candidate) => candidate.detect(first))
  if (!format) throw new Error('no format knows this file')
  return format
}

export function readBytes(format: Format, bytes: Buffer): Session {
  const reader = format.reader()
  for (const line of linesOf(bytes)) reader.push(line)
  return reader.finish()
}

export function written(
  format: Format,
  session: Session,
  bytes: Buffer,
  edits: readonly Edit[],
): { output: Buffer; splices: readonly Splice[] } {
  const writer = format.writer(session, edits)
  const pieces = linesOf(bytes).flatMap((line) => writer.push(line))
  pieces.push(...writer.finish())
  return { output: Buffer.concat(pieces), splices: writer.splices }
}

/** The splices carried out backwards: the input. */
export function undone(output: Buffer, splices: readonly Splice[]): Buffer {
  const pieces: Buffer[] = []
  let end = output.length
  for (const splice of [...splices].reverse()) {
    pieces.push(output.subarray(splice.end, end), splice.original)
    end = splice.start
  }
  pieces.push(output.subarray(0, end))
  return Buffer.concat(pieces.reverse())
}
