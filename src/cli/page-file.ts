/** Writes the page of `--html`, never over a file that is there. */
import { writeFileSync } from 'node:fs'
import { SpillwayError } from '../core/errors.ts'
import { note } from './terminal.ts'

const FILE_MODE = 0o600

/** @throws SpillwayError `usage` when a page of its own would be needed for each of several sessions */
export function refuseManyPages(path: string | undefined, inputs: number): void {
  if (path !== undefined && inputs > 1) {
    throw new SpillwayError('usage', `--html writes one page; name one session instead of ${inputs}`)
  }
}

/** @throws SpillwayError `conflict` when the file exists, `unwritable` when it cannot be made */
export function writePage(path: string, html: string): void {
  try {
    writeFileSync(path, html, { flag: 'wx', mode: FILE_MODE })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const code = exists ? 'conflict' : 'unwritable'
    throw new SpillwayError(code, `${path}: ${exists ? 'exists already' : 'cannot be written'}`, { cause })
  }
  note(`page written to ${path}`)
}
