/**
 * New files that appear whole or not at all: written under a temporary name in the target's folder, brought to disk,
 * then given their name in one step. What a killed run leaves behind starts with `.spillway-` and is removed by the
 * next run in that folder.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { SpillwayError } from '../core/errors.ts'
import { errorCode } from './source.ts'

/** What a session says is its owner's. */
export const FILE_MODE = 0o600
const TEMPORARY = /^\.spillway-(\d+)-[0-9a-f]{12}\.tmp$/
/** After a day a process id says nothing any more. */
const STALE_MILLISECONDS = 24 * 3600 * 1000

export interface StagedFile {
  readonly temporary: string
  readonly target: string
  /** Of the decompressed content. */
  readonly bytes: number
  readonly sha256: Buffer
}

/**
 * Writes the content beside the target and brings it to disk; gzip when the target ends in `.gz`.
 * On an error nothing stays behind.
 * @throws SpillwayError `unwritable`, or what the content throws
 */
export async function stageFile(
  target: string,
  content: AsyncIterable<Buffer>,
  mode: number = FILE_MODE,
): Promise<StagedFile> {
  const folder = dirname(target)
  removeStale(folder)
  const temporary = join(folder, temporaryName())
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  let descriptor: number | undefined
  try {
    descriptor = openSync(temporary, 'wx', mode)
    for await (const piece of target.endsWith('.gz') ? gzipped(measured()) : measured()) writeAll(descriptor, piece)
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch (error) {
    if (descriptor !== undefined) {
      closeSync(descriptor)
      rmSync(temporary, { force: true })
    }
    throw writeProblem(error, target)
  }
  return { temporary, target, bytes, sha256: hash.digest() }
}

export function temporaryName(): string {
  return `.spillway-${process.pid}-${randomBytes(6).toString('hex')}.tmp`
}

/** Gives the staged file its name. @throws SpillwayError `conflict` when something has that name */
export function publishNew(staged: StagedFile): void {
  try {
    linkSync(staged.temporary, staged.target)
    unlinkSync(staged.temporary)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw existsAlready(staged.target)
    publishWithoutLinks(staged)
  }
  syncFolder(dirname(staged.target))
}

/** For file systems that know no hard links: the check and the renaming are two steps there. */
function publishWithoutLinks(staged: StagedFile): void {
  refuseExisting(staged.target)
  try {
    renameSync(staged.temporary, staged.target)
  } catch (error) {
    throw writeProblem(error, staged.target)
  }
}

/** @throws SpillwayError `conflict`, `unwritable` */
export function refuseExisting(target: string): void {
  let found: unknown
  try {
    found = lstatSync(target, { throwIfNoEntry: false })
  } catch (error) {
    throw writeProblem(error, target)
  }
  if (found) throw existsAlready(target)
}

function existsAlready(target: string): SpillwayError {
  return new SpillwayError('conflict', `${target}: exists already, nothing was written; choose another name with -o`)
}

export function discard(staged: StagedFile): void {
  rmSync(staged.temporary, { force: true })
}

/** Brings a folder's names to disk, so that a finished run is still finished after a power cut. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } catch {
    // Some file systems do not sync folders; the file itself is on disk.
  } finally {
    closeSync(descriptor)
  }
}

/** Removes what killed runs left in the folder: our names, this user's, of processes that are gone. */
function removeStale(folder: string): void {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return
  }
  for (const name of names) {
    const processId = TEMPORARY.exec(name)?.[1]
    if (processId === undefined) continue
    const path = join(folder, name)
    const state = lstatSync(path, { throwIfNoEntry: false })
    if (!state || state.uid !== process.getuid?.()) continue
    if (isRunning(Number(processId)) && Date.now() - state.mtimeMs < STALE_MILLISECONDS) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

async function* gzipped(content: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const plain = Readable.from(content, { objectMode: false })
  const gzip = createGzip()
  plain.on('error', (error) => gzip.destroy(error))
  plain.pipe(gzip)
  for await (const piece of gzip) yield piece as Buffer
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(descriptor, bytes, written)
}

const WRITE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
}

function writeProblem(error: unknown, target: string): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const words = WRITE_PROBLEMS[errorCode(error) ?? ''] ?? ('syscall' in error ? error.message : undefined)
  if (words === undefined) return error
  return new SpillwayError('unwritable', `${target}: ${words}; nothing was written`, { cause: error })
}
