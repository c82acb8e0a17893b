/** Files that stand where others could put something else: a pipe or a device there must not make a program wait. */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { SpillwayError } from '../core/errors.ts'

/** Is it a plain file, or a link to one? Never throws: what cannot be looked at is none. */
export function isPlainFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    // Gone, forbidden, or a link in a circle.
    return false
  }
}

/** The bytes of a plain file. @throws SpillwayError `unreadable` for a folder, pipe or device; the system's errors */
export function readPlainFile(path: string): Buffer {
  // Opening a pipe would wait for its writer.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new SpillwayError('unreadable', `${path}: is no plain file`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
