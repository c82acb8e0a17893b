/**
 * A JSON file that several processes change: read, changed and replaced under a lock, whole or not at all. Synchronous,
 * so that the books can be completed while a signal is handled; what is done under the lock takes milliseconds.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import lockfile from 'proper-lockfile'
import type { ZodType } from 'zod'
import { SpillwayError } from '../../core/errors.ts'
import { readPlainFile } from '../../sessions/plain-file.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
/** A lock of a process that was killed is taken over after so long. */
const STALE_MS = 5000
const RETRY_MS = 10
/** Longer than a stale lock lives: then the file is free, or somebody holds it who should not. */
const MOST_WAIT_MS = 3 * STALE_MS

export interface SharedJson<Content extends { readonly version: number }> {
  readonly file: string
  readonly version: number
  readonly schema: ZodType<Content>
  readonly empty: () => Content
}

/**
 * The file's content; empty where there is none. One that cannot be understood is as good as none: what it holds
 * serves to go on where one was, and one can always start afresh.
 * @throws SpillwayError `newer-version`
 */
export function readShared<Content extends { readonly version: number }>(shared: SharedJson<Content>): Content {
  return parsed(shared) ?? shared.empty()
}

/**
 * Replaces the content by what `change` makes of it. A file that could not be understood is kept beside the new one.
 * @throws SpillwayError `unwritable`, `conflict`, `newer-version`
 */
export function changeShared<Content extends { readonly version: number }>(
  shared: SharedJson<Content>,
  change: (content: Content) => Content,
): void {
  try {
    mkdirSync(dirname(shared.file), { recursive: true, mode: FOLDER_MODE })
    const release = locked(shared.file)
    try {
      const before = parsed(shared)
      if (before === undefined) keepDamaged(shared.file)
      replaceFile(shared.file, `${JSON.stringify(change(before ?? shared.empty()), null, 2)}\n`)
    } finally {
      release()
    }
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause
    throw new SpillwayError('unwritable', `${shared.file}: cannot be written (${reasonOf(cause)})`, { cause })
  }
}

/** Undefined for a file that holds something else; an absent one is empty. */
function parsed<Content extends { readonly version: number }>(shared: SharedJson<Content>): Content | undefined {
  let text: string
  try {
    text = readPlainFile(shared.file).toString('utf8')
  } catch (error) {
    if (error instanceof SpillwayError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return shared.empty()
    throw new SpillwayError('unreadable', `${shared.file}: cannot be read (${reasonOf(error)})`, { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Half a file of another program: ours appear whole.
    return undefined
  }
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (typeof version === 'number' && version > shared.version) {
    const message = `${shared.file}: written by a newer Spillway (version ${version}, this one knows ${shared.version})`
    throw new SpillwayError('newer-version', message)
  }
  return shared.schema.safeParse(value).data
}

function keepDamaged(file: string): void {
  renameSync(file, `${file}.damaged-${randomBytes(4).toString('hex')}`)
}

/** Written beside it, brought to disk, renamed. */
export function replaceFile(file: string, text: string, mode: number = FILE_MODE): void {
  const temporary = join(dirname(file), `.spillway-${process.pid}-${randomBytes(6).toString('hex')}.tmp`)
  let descriptor: number | undefined
  try {
    descriptor = openSync(temporary, 'wx', mode)
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    fsyncSync(descriptor)
    closeSync(descriptor)
    descriptor = undefined
    renameSync(temporary, file)
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    rmSync(temporary, { force: true })
    throw error
  }
}

function locked(file: string): () => void {
  const started = Date.now()
  for (;;) {
    try {
      return lockfile.lockSync(file, { realpath: false, stale: STALE_MS })
    } catch (error) {
      const held = error instanceof Error && 'code' in error && error.code === 'ELOCKED'
      if (!held) throw error
      if (Date.now() - started > MOST_WAIT_MS) {
        throw new SpillwayError('conflict', `${file}: another process holds it (${file}.lock)`, { cause: error })
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
