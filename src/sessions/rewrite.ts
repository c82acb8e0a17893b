/**
 * A session with edits carried out, on its way to a file: the source is read a second time, the format's writer
 * splices the edited places, and a fork's id takes the place of the old one.
 */
import { createHash } from 'node:crypto'
import type { Edit } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import type { SourceLine, Splice } from '../formats/format.ts'
import { lineSplitter } from '../formats/lines.ts'
import { composeSplices, sessionRenamer } from '../formats/session-id.ts'
import type { Reading } from './read.ts'
import type { Source } from './source.ts'

export interface Digest {
  readonly bytes: number
  readonly sha256: Buffer
}

export interface Rewriting {
  /** To be read once, to its end. */
  readonly content: AsyncIterable<Buffer>
  /** Complete when the content has been read. */
  splices(): Splice[]
  /** Of the input, complete when the content has been read. */
  input(): Digest
}

/** @param id gives the session a new id */
export function rewriteSession(
  reading: Reading,
  edits: readonly Edit[],
  id?: string,
  onBytes?: (bytes: number) => void,
): Rewriting {
  const writer = reading.format.writer(reading.session, edits)
  const renamer = id === undefined ? undefined : sessionRenamer(reading.format.name, id)
  const hash = createHash('sha256')
  let bytes = 0

  async function* edited(): AsyncGenerator<Buffer> {
    const splitter = lineSplitter()
    const write = (lines: readonly SourceLine[]) => lines.flatMap((line) => writer.push(line))
    for await (const chunk of reading.source.chunks(onBytes)) {
      hash.update(chunk)
      bytes += chunk.length
      yield Buffer.concat(write(splitter.push(chunk)))
    }
    yield Buffer.concat([...write(splitter.finish()), ...writer.finish()])
    if (bytes !== reading.bytes) {
      const message = `${reading.source.file}: changed while it was being read; close this session first, then run again`
      throw new SpillwayError('conflict', message)
    }
  }

  async function* renamed(content: AsyncIterable<Buffer>, push: (line: SourceLine) => Buffer): AsyncGenerator<Buffer> {
    const splitter = lineSplitter()
    for await (const chunk of content) yield Buffer.concat(splitter.push(chunk).map(push))
    yield Buffer.concat(splitter.finish().map(push))
  }

  return {
    content: renamer ? renamed(edited(), renamer.push) : edited(),
    splices: () => (renamer ? composeSplices(writer.splices, renamer.splices) : [...writer.splices]),
    input: () => ({ bytes, sha256: hash.digest() }),
  }
}

/** The content kept in memory as a source, for a run that writes no file. */
export async function inMemory(name: string, content: AsyncIterable<Buffer>): Promise<Source> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return {
    file: name,
    name,
    subagents: [],
    async *chunks() {
      yield* chunks
    },
  }
}
