/** Files that only their owner reads: 0600 in a folder of 0700, from the first byte on. */
import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { SpillwayError } from '../core/errors.ts'
import type { FileKind } from './database.ts'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/**
 * Makes an empty file where there is none (SQLite gives its other files the mode of this one), and its folder.
 * @returns whether the folder was made too
 * @throws SpillwayError `unwritable` where the folder is none, `unreadable` for a symbolic link
 */
export function createPrivateFile(folder: string, file: string, kind: FileKind): boolean {
  const created = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER }) !== undefined
  if (!statSync(folder).isDirectory()) throw new SpillwayError('unwritable', `${folder}: is no folder`)
  createOnce(file, '')
  refuseLink(file, kind)
  return created
}

/** @throws SpillwayError `not-found`, `unreadable` for a symbolic link */
export function findPrivateFile(file: string, kind: FileKind): void {
  if (!existsSync(file)) throw new SpillwayError('not-found', `${file}: no ${kind.name} here`)
  refuseLink(file, kind)
}

export function createOnce(path: string, content: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return
  try {
    writeFileSync(path, content, { flag: 'wx', mode: PRIVATE_FILE })
  } catch (error) {
    // Another process was first: the file is there.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** A project may come from a stranger; a private file in it must not lead to one somewhere else. */
function refuseLink(file: string, kind: FileKind): void {
  if (lstatSync(file).isSymbolicLink()) {
    const message = `${file}: is a symbolic link; the ${kind.name} must be a plain file`
    throw new SpillwayError('unreadable', message)
  }
}
