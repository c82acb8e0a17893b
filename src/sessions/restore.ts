/**
 * `restore`: undo the compactions of a session file, newest first, byte for byte. A record is found by content (its
 * output stands at the start of the file), so a renamed or grown file is restored too; later lines are kept.
 */
import { createHash } from 'node:crypto'
import { type Archive, allArchives, openArchive, PrefixMatcher, undone } from '../archive/index.ts'
import { SpillwayError } from '../core/errors.ts'
import { readSession, UnknownFormatError } from './read.ts'
import { openSource, type Source } from './source.ts'
import { refuseExisting, stageFile } from './staged-file.ts'
import { publishSession, refuseStoreTarget } from './store-copy.ts'

export interface RestoreOptions {
  /** The new file; it must not exist. */
  readonly out: string
  readonly archive?: string
  readonly onBytes?: (bytes: number) => void
}

/** The JSON contract of `restore`. */
export interface RestoreReport {
  readonly file: string
  readonly out: string
  /** Compactions undone. */
  readonly restored: number
  /** Every step gave back the bytes whose hash was recorded before the compaction. */
  readonly exact: boolean
  /** The archive's folder that held the records. */
  readonly archive: string
}

/**
 * @throws SpillwayError `not-found` when no archive holds a compaction of this file, `conflict` when `out` exists
 */
export async function restoreSession(file: string, options: RestoreOptions): Promise<RestoreReport> {
  refuseExisting(options.out)
  const source = await openSource(file, { rereadable: true })
  refuseStoreTarget(source, options.out)
  const folders = await archivesFor(source, options)
  const archives: Archive[] = []
  try {
    for (const folder of folders) archives.push(await openArchive(folder, { readOnly: true }))
    const undoing = await undoAll(source, archives, options.onBytes)
    if (undoing.archive === undefined) {
      const searched = folders.length === 0 ? 'there is no archive yet' : `searched ${folders.join(', ')}`
      throw new SpillwayError('not-found', `${file}: no compaction of this file is recorded (${searched})`)
    }
    await publishSession(await stageFile(options.out, undoing.content()), source)
    return { file, out: options.out, restored: undoing.restored, exact: undoing.exact, archive: undoing.archive }
  } finally {
    for (const archive of archives) archive.close()
  }
}

async function archivesFor(source: Source, options: RestoreOptions): Promise<string[]> {
  const cwd = await readSession(source, { sizesOnly: true }, options.onBytes).then(
    ({ session }) => session.facts.cwd,
    (error: unknown) => {
      // A request that `doctor` repaired has no working folder, but an undo record.
      if (error instanceof UnknownFormatError) return undefined
      throw error
    },
  )
  return allArchives({
    environment: process.env,
    ...(options.archive === undefined ? {} : { asked: options.archive }),
    ...(cwd === undefined ? {} : { workingFolder: cwd }),
  })
}

interface Undoing {
  readonly content: () => AsyncIterable<Buffer>
  readonly restored: number
  readonly exact: boolean
  readonly archive: string | undefined
}

/** Each round reads the file as undone so far: to verify the last step, and to find the next record. */
async function undoAll(
  source: Source,
  archives: readonly Archive[],
  onBytes: RestoreOptions['onBytes'],
): Promise<Undoing> {
  const holder = new Map(
    archives.flatMap((archive) => archive.undoRecords().map((record) => [record, archive] as const)),
  )
  let content: () => AsyncIterable<Buffer> = () => source.chunks(onBytes)
  let expected: { bytes: number; sha256: Uint8Array } | undefined
  let archive: string | undefined
  let restored = 0
  let exact = true
  for (;;) {
    const matcher = new PrefixMatcher([...holder.keys()])
    const prefix = prefixHash(expected?.bytes ?? 0)
    for await (const chunk of content()) {
      matcher.push(chunk)
      prefix.push(chunk)
    }
    if (expected && !prefix.equals(expected.sha256)) exact = false
    const record = matcher.finish()
    const home = record && holder.get(record)
    if (!record || !home) return { content, restored, exact, archive }
    holder.delete(record)
    archive ??= home.folder
    if (record.splices > 0) restored++
    expected = record.before
    const before = content
    content = () => asBuffers(undone(before(), home.splices(record.id)))
  }
}

async function* asBuffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}

/** SHA-256 of the first `length` bytes of what is pushed. */
function prefixHash(length: number): { push(chunk: Uint8Array): void; equals(sha256: Uint8Array): boolean } {
  const hash = createHash('sha256')
  let left = length
  return {
    push(chunk) {
      hash.update(chunk.subarray(0, left))
      left = Math.max(0, left - chunk.length)
    },
    equals: (sha256) => left === 0 && hash.digest().equals(sha256),
  }
}
