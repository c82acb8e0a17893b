/**
 * An input as a stream of bytes: a file, a gzip file (told by its first bytes, not its name) or standard input.
 * A file is read as it stood when it was opened: what a running harness appends meanwhile is not seen.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SpillwayError } from '../core/errors.ts'
import { addressWords, eventsIn, type StoreAddress, sessionsIn, storeAddress } from '../formats/openclaw-store/index.ts'
import { sessionName } from '../formats/places.ts'

export const STDIN = '-'
const CHUNK_BYTES = 1024 * 1024
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

/** What tells whether a file is still the one that was read. */
export interface FileState {
  readonly size: number
  readonly modified: number
  readonly inode: number
  readonly mode: number
}

export interface Source {
  /** The path as given, `-` for standard input. */
  readonly file: string
  /** File name without folder, `.jsonl` and `.gz`. */
  readonly name: string
  /** Absent for pipes and for sessions in a store. */
  readonly state?: FileState
  /** Where the session stands, when a store and not a file of its own holds it. */
  readonly store?: StoreAddress
  /** Transcripts of subagents that belong to the session. */
  readonly subagents: readonly string[]
  /** The decompressed bytes, from the start each time. `onBytes` hears how many recorded bytes each chunk took. */
  chunks(onBytes?: (bytes: number) => void): AsyncIterable<Buffer>
}

/**
 * Opens a path, or standard input for `-`. Pipes are kept in memory once `rereadable` says they are needed twice.
 * @throws SpillwayError `not-found`, `unreadable`
 */
export async function openSource(
  file: string,
  options: { subagents?: readonly string[]; rereadable?: boolean } = {},
): Promise<Source> {
  const subagents = options.subagents ?? []
  const stored = storeAddress(file)
  if (stored) return fromStore(file, stored)
  if (file === STDIN) return fromPipe(file, 'stdin', process.stdin, subagents, options.rereadable ?? false)
  const state = await fileState(file)
  const name = sessionName(basename(file))
  if (state === 'folder') throw new SpillwayError('unreadable', `${file}: is a folder; expected a session file`)
  if (state === 'pipe') {
    return fromPipe(
      file,
      name,
      createReadStream(file, { highWaterMark: CHUNK_BYTES }),
      subagents,
      options.rereadable ?? false,
    )
  }
  const chunks = (onBytes?: (bytes: number) => void) => {
    if (state.size === 0) return Readable.from([])
    const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES, end: state.size - 1 })
    return decompressed(stream, file, onBytes)
  }
  return { file, name, state, subagents, chunks }
}

/**
 * The events of a stored session as lines. A store named alone must hold one session.
 * @throws SpillwayError `not-found`, `usage`, `unavailable`, `unreadable`
 */
function fromStore(file: string, named: NonNullable<ReturnType<typeof storeAddress>>): Source {
  const { database } = named
  const [only, ...others] = named.session === undefined ? sessionsIn(database) : []
  const session = named.session ?? only?.id
  if (session === undefined) throw new SpillwayError('not-found', `${file}: the store holds no session`)
  if (others.length > 0) {
    const message = `${file}: holds ${others.length + 1} sessions; name one as ${addressWords({ database, session })}`
    throw new SpillwayError('usage', message)
  }
  const store = { database, session }
  async function* chunks(onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    const lines = Buffer.from(
      eventsIn(store)
        .map(({ text }) => `${text}\n`)
        .join(''),
    )
    onBytes?.(lines.length)
    yield lines
  }
  return { file: addressWords(store), name: session, store, subagents: [], chunks }
}

/** What the file is now. @throws SpillwayError `not-found`, `unreadable` */
export async function fileState(file: string): Promise<FileState | 'folder' | 'pipe'> {
  try {
    const found = await stat(file)
    if (found.isDirectory()) return 'folder'
    if (!found.isFile()) return 'pipe'
    return { size: found.size, modified: found.mtimeMs, inode: found.ino, mode: found.mode & 0o777 }
  } catch (error) {
    throw readProblem(error, file)
  }
}

function fromPipe(
  file: string,
  name: string,
  stream: Readable,
  subagents: readonly string[],
  rereadable: boolean,
): Source {
  const kept: Buffer[] = []
  let started = false
  async function* once(onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    if (started) {
      yield* kept
      return
    }
    started = true
    for await (const chunk of decompressed(stream, file, onBytes)) {
      if (rereadable) kept.push(chunk)
      yield chunk
    }
  }
  return { file, name, subagents, chunks: once }
}

async function* decompressed(
  stream: Readable,
  file: string,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    const counted = counting(stream, onBytes)
    let head: Buffer = Buffer.alloc(0)
    while (head.length < GZIP_MAGIC.length) {
      const next = await counted.next()
      if (next.done) break
      head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
    }
    const whole = continued(head, counted)
    if (head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) yield* gunzipped(whole)
    else yield* whole
  } catch (error) {
    throw readProblem(error, file)
  } finally {
    stream.destroy()
  }
}

async function* counting(stream: Readable, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer, undefined> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    onBytes?.(bytes.length)
    yield bytes
  }
  return undefined
}

async function* continued(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* rest
}

async function* gunzipped(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const compressed = Readable.from(bytes, { objectMode: false })
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES / 4 })
  compressed.on('error', (error) => gunzip.destroy(error))
  compressed.pipe(gunzip)
  for await (const chunk of gunzip) yield chunk as Buffer
}

/** A system's error in words, with the file it is about. Errors that are already ours stay. */
export function readProblem(error: unknown, file: string): Error {
  if (error instanceof SpillwayError) return error
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new SpillwayError('not-found', `${file}: no such file`)
  if (code === 'EACCES' || code === 'EPERM') return new SpillwayError('unreadable', `${file}: permission denied`)
  if (code === 'EISDIR') return new SpillwayError('unreadable', `${file}: is a folder; expected a session file`)
  if (code === 'Z_BUF_ERROR') return new SpillwayError('unreadable', `${file}: the gzip data ends too early`)
  if (code?.startsWith('Z_')) {
    return new SpillwayError('unreadable', `${file}: damaged gzip data (${(error as Error).message})`)
  }
  if (code !== undefined && error instanceof Error) {
    return new SpillwayError('unreadable', `${file}: cannot be read (${error.message})`, { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
