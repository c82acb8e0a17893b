/**
 * An archive in one file of a private folder, without native modules: one JSON line for each content, appended and
 * synced before `put` returns. A line that a crash cut off is ignored; several processes may append to it.
 */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Removed } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import { referenceOf } from '../core/reference.ts'
import { type Archived, archivedOf, type ContentArchive, DEFAULT_HITS, hitsIn } from './content-archive.ts'

const FILE = 'content.jsonl'
const CHUNK_BYTES = 1024 * 1024

interface Line extends Omit<Archived, 'content'> {
  readonly version: 1
  readonly text?: string
  readonly base64?: string
}

interface Place {
  readonly start: number
  readonly bytes: number
}

/** @throws SpillwayError `unwritable` (on the first `put`), `unreadable` for content that is not what was kept */
export function fileArchive(folder: string): ContentArchive {
  const file = join(folder, FILE)
  const places = new Map<string, Place>()
  /** Bytes of the file whose lines are in `places`. */
  let known = 0
  /** One at a time: appending and reading on must not overlap. */
  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = queue.then(work, work)
    queue = done
    return done
  }

  const readOn = async (handle: FileHandle): Promise<void> => {
    const { size } = await handle.stat()
    /** Of a line whose end is still to come. */
    const pieces: Buffer[] = []
    let at = known
    while (at < size) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at))
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) break
      at += bytesRead
      const read = chunk.subarray(0, bytesRead)
      let start = 0
      for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, start)) {
        const line = Buffer.concat([...pieces.splice(0), read.subarray(start, end)])
        const ref = refOf(line)
        if (ref !== undefined) places.set(ref, { start: known, bytes: line.length })
        known += line.length + 1
        start = end + 1
      }
      if (start < read.length) pieces.push(read.subarray(start))
    }
  }

  return {
    put: (removed) =>
      inTurn(async () => {
        if (removed.length === 0) return
        await makeFolder(folder)
        await withFile(file, APPENDING, async (handle) => {
          await readOn(handle)
          const fresh = new Map(removed.filter(({ ref }) => !places.has(ref)).map((each) => [each.ref, each]))
          if (fresh.size === 0) return
          const { size } = await handle.stat()
          // Behind a line that was cut off begins a new one.
          const opening = size > known ? '\n' : ''
          await append(handle, file, opening + [...fresh.values()].map(lineOf).join(''))
          await readOn(handle)
        })
      }),
    get: (ref) =>
      inTurn(() =>
        reading(file, async (handle) => {
          if (!places.has(ref)) await readOn(handle)
          const place = places.get(ref)
          return place && contentAt(handle, place, ref)
        }),
      ),
    search: (words, limit = DEFAULT_HITS) =>
      inTurn(async () => {
        const found = await reading(file, async (handle) => {
          await readOn(handle)
          const all: Archived[] = []
          for (const [ref, place] of places) all.push(await contentAt(handle, place, ref))
          return hitsIn(all, words, limit)
        })
        return found ?? []
      }),
  }
}

const NEWLINE = 0x0a
const READING = constants.O_RDONLY
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT
const REF = /^\{"version":1,"ref":"([a-z2-7]{12})"/

/** The reference stands at the beginning of a line, so that no content needs to be parsed to find one. */
function refOf(line: Buffer): string | undefined {
  return isWhole(line) ? REF.exec(line.toString('latin1', 0, 64))?.[1] : undefined
}

/** The last field is a text: a line that was cut off may end in a brace, but one inside of it. */
function isWhole(line: Buffer): boolean {
  const end = line.toString('latin1', Math.max(0, line.length - 2))
  if (end !== '"}') return false
  let at = line.length - 3
  while (line[at] === BACKSLASH) at--
  if ((line.length - 3 - at) % 2 === 1) return false
  if (line[at] !== COLON) return true
  // This quotation mark may be the one that opens the text.
  try {
    JSON.parse(line.toString('utf8'))
    return true
  } catch {
    return false
  }
}

const BACKSLASH = 0x5c
const COLON = 0x3a

/** In one piece, so that lines of several processes do not mix. @throws SpillwayError `unwritable` */
async function append(handle: FileHandle, file: string, lines: string): Promise<void> {
  const bytes = Buffer.from(lines)
  try {
    const { bytesWritten } = await handle.write(bytes)
    if (bytesWritten < bytes.length) throw new Error(`${bytesWritten} of ${bytes.length} bytes were written`)
    await handle.sync()
  } catch (cause) {
    throw unwritable(file, cause)
  }
}

function lineOf(removed: Removed): string {
  const { content, ...facts } = archivedOf(removed)
  const body = typeof content === 'string' ? { text: content } : { base64: Buffer.from(content).toString('base64') }
  return `${JSON.stringify({ version: 1, ...facts, ...body } satisfies Line)}\n`
}

async function contentAt(handle: FileHandle, { start, bytes }: Place, ref: string): Promise<Archived> {
  const buffer = Buffer.alloc(bytes)
  await handle.read(buffer, 0, bytes, start)
  let line: Line | undefined
  try {
    line = JSON.parse(buffer.toString('utf8')) as Line
  } catch (cause) {
    throw new SpillwayError('unreadable', `${ref}: the archived content is damaged`, { cause })
  }
  const { version: _, text, base64, ...facts } = line
  const content = text ?? Buffer.from(base64 ?? '', 'base64')
  if (referenceOf(content) !== ref) {
    throw new SpillwayError('unreadable', `${ref}: the archived content is not what was stored; its hash differs`)
  }
  return { ...facts, content }
}

/** Undefined while there is no file. */
async function reading<Result>(
  file: string,
  work: (handle: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await withFile(file, READING, work)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw unwritable(folder, cause)
  }
}

function unwritable(path: string, cause: unknown): SpillwayError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new SpillwayError('unwritable', `${path}: ${why}; nothing was archived`, { cause })
}

async function withFile<Result>(
  file: string,
  flags: number,
  work: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  let handle: FileHandle
  try {
    // A pipe in its place must make nobody wait.
    handle = await open(file, flags | constants.O_NONBLOCK, 0o600)
  } catch (cause) {
    if (flags === READING) throw cause
    throw unwritable(file, cause)
  }
  try {
    if (!(await handle.stat()).isFile()) throw new SpillwayError('unreadable', `${file}: is no plain file`)
    return await work(handle)
  } finally {
    await handle.close()
  }
}
