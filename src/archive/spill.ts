/**
 * Spill files: readable copies of archived content at `<archive>/spill/<ref>.txt`, for agents whose own tools must
 * reach it. They are copies only: retention removes them first, `recall` writes them again.
 */
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REFERENCE_LENGTH } from '../core/reference.ts'

const SPILL_FOLDER = 'spill'
const SPILL_NAME = new RegExp(`^([a-z2-7]{${REFERENCE_LENGTH}})\\.txt$`)

export interface SpillFile {
  readonly ref: string
  readonly path: string
  readonly bytes: number
}

export function spillPath(folder: string, ref: string): string {
  return join(folder, SPILL_FOLDER, `${ref}.txt`)
}

/** Writes the copy atomically, 0600 in a folder 0700; lone surrogates become U+FFFD, so that it is plain UTF-8. */
export function writeSpillFile(folder: string, ref: string, content: string): string {
  const path = spillPath(folder, ref)
  mkdirSync(join(folder, SPILL_FOLDER), { recursive: true, mode: 0o700 })
  const half = `${path}.${process.pid}.part`
  try {
    writeFileSync(half, content, { mode: 0o600 })
    chmodSync(half, 0o600)
    renameSync(half, path)
  } catch (error) {
    rmSync(half, { force: true })
    throw error
  }
  return path
}

/** The copies that are there now, oldest first. */
export function spillFiles(folder: string): SpillFile[] {
  let names: string[]
  try {
    names = readdirSync(join(folder, SPILL_FOLDER))
  } catch {
    // No folder: nothing was ever spilled.
    return []
  }
  const files: (SpillFile & { modified: number })[] = []
  for (const name of names) {
    const ref = SPILL_NAME.exec(name)?.[1]
    if (ref === undefined) continue
    const path = join(folder, SPILL_FOLDER, name)
    const state = statSync(path, { throwIfNoEntry: false })
    if (state) files.push({ ref, path, bytes: state.size, modified: state.mtimeMs })
  }
  return files.sort((one, other) => one.modified - other.modified)
}
