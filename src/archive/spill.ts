/**
 * Spill files: readable copies of archived content at `<archive>/spill/<ref>.txt`, for agents whose own tools must
 * reach it; pictures and documents under their own ending. They are copies only: retention removes them first,
 * `recall` writes them again.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { REFERENCE_LENGTH } from '../core/reference.ts'

const SPILL_FOLDER = 'spill'
const SPILL_NAME = new RegExp(`^([a-z2-7]{${REFERENCE_LENGTH}})\\.[a-z0-9]+$`)
const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
}

export interface SpillFile {
  readonly ref: string
  readonly path: string
  readonly bytes: number
}

/** Where the copies of an archive are. */
export function spillFolder(folder: string): string {
  return join(folder, SPILL_FOLDER)
}

/** Bytes of a kind that no reader knows end in `.bin`. */
export function spillPath(folder: string, ref: string, content: string | Uint8Array, mediaType: string): string {
  const ending = typeof content === 'string' ? 'txt' : (ENDINGS[mediaType] ?? 'bin')
  return join(folder, SPILL_FOLDER, `${ref}.${ending}`)
}

/**
 * Writes the copy atomically and waits until it is on disk; 0600 in a folder 0700. Lone surrogates become U+FFFD, so
 * that a text is plain UTF-8. A whole copy that is there already stays; a damaged one is written anew.
 * @throws SpillwayError `unwritable` where the folder is a link: it could lead out of the project
 */
export function writeSpillFile(folder: string, ref: string, content: string | Uint8Array, mediaType: string): string {
  const path = spillPath(folder, ref, content, mediaType)
  const parent = spillFolder(folder)
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  const present = lstatSync(path, { throwIfNoEntry: false })
  if (present?.isFile() && present.size === bytes.length) return path
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  if (lstatSync(parent).isSymbolicLink()) {
    throw new SpillwayError('unwritable', `${parent}: is a symbolic link; spilled content must stay where it belongs`)
  }
  const half = `${path}.${process.pid}.part`
  try {
    // Never through a link that somebody has put there.
    rmSync(half, { force: true })
    writeFileSync(half, bytes, { mode: 0o600, flag: 'wx', flush: true })
    chmodSync(half, 0o600)
    renameSync(half, path)
  } catch (error) {
    rmSync(half, { force: true })
    throw error
  }
  syncFolder(parent)
  return path
}

/** A name is on disk when its folder is. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** The copies that are there now, oldest first. */
export function spillFiles(folder: string): SpillFile[] {
  const files: (SpillFile & { modified: number })[] = []
  for (const { ref, path } of spillNames(folder)) {
    const state = statSync(path, { throwIfNoEntry: false })
    if (state) files.push({ ref, path, bytes: state.size, modified: state.mtimeMs })
  }
  return files.sort((one, other) => one.modified - other.modified)
}

/** The copies by name alone, which costs no look at each file. */
export function spillNames(folder: string): { readonly ref: string; readonly path: string }[] {
  let names: string[]
  try {
    names = readdirSync(spillFolder(folder))
  } catch {
    // No folder: nothing was ever spilled.
    return []
  }
  return names.flatMap((name) => {
    const ref = SPILL_NAME.exec(name)?.[1]
    return ref === undefined ? [] : { ref, path: join(folder, SPILL_FOLDER, name) }
  })
}

/** The kind of content that a copy's ending stands for. */
export function mediaTypeOfSpill(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1)
  if (ending === 'txt') return 'text/plain'
  return Object.entries(ENDINGS).find(([, known]) => known === ending)?.[0] ?? 'application/octet-stream'
}
