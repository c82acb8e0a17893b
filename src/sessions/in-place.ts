/**
 * Replacing a session's own file: only when nobody has it open, as far as can be seen, and never without a backup.
 * The backup is a second name of the original file, so there is no moment at which the original does not exist.
 */
import { constants, copyFileSync, linkSync, realpathSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { errorCode, type FileState, fileState } from './source.ts'
import { type StagedFile, syncFolder } from './staged-file.ts'

/** A file changed more recently than this is taken to be in use, in milliseconds. */
const QUIET_MILLISECONDS = 60_000
const MOST_BACKUPS = 10_000
const CLOSE_FIRST = 'close this session first, then run again'

/** The file that would be replaced: a symbolic link stays one. */
export function realFile(file: string): string {
  return realpathSync(file)
}

/** @throws SpillwayError `conflict` when the file changed less than a minute ago and `force` is not set */
export function refuseBusy(file: string, state: FileState, now: number, force: boolean): void {
  const age = now - state.modified
  if (force || age >= QUIET_MILLISECONDS) return
  const seconds = Math.max(0, Math.round(age / 1000))
  throw new SpillwayError('conflict', `${file}: changed ${seconds} s ago; ${CLOSE_FIRST} (or --force)`)
}

/**
 * Gives the original its backup name and the staged file the original's name.
 * @returns the backup's path
 * @throws SpillwayError `conflict` when the file is no longer the one that was read
 */
export async function replaceInPlace(staged: StagedFile, file: string, read: FileState): Promise<string> {
  const now = await fileState(file)
  const same =
    typeof now === 'object' && now.size === read.size && now.modified === read.modified && now.inode === read.inode
  if (!same) throw new SpillwayError('conflict', `${file}: changed while it was being compacted; ${CLOSE_FIRST}`)
  const backup = keepBackup(file)
  syncFolder(dirname(file))
  renameSync(staged.temporary, file)
  syncFolder(dirname(file))
  return backup
}

/** `<file>.spillway-1`, or the next free number. */
function keepBackup(file: string): string {
  for (let number = 1; number <= MOST_BACKUPS; number++) {
    const backup = `${file}.spillway-${number}`
    try {
      linkSync(file, backup)
      return backup
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue
      if (copied(file, backup)) return backup
    }
  }
  throw new SpillwayError('unwritable', `${file}: no backup could be made beside it; nothing was changed`)
}

/** For file systems without hard links. */
function copied(file: string, backup: string): boolean {
  try {
    copyFileSync(file, backup, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw new SpillwayError('unwritable', `${backup}: the backup could not be written; nothing was changed`, {
      cause: error,
    })
  }
}
