/** The first lines of a file, and no byte beyond the piece in which they end. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { DESCRIPTION_LINES } from './description.ts'

const PIECE_BYTES = 1024
/** Eight lines that are longer than this are no comment. */
const MOST_BYTES = 8 * PIECE_BYTES
/** Looking must not count as using: where the system can, the time of last access stays. */
const QUIETLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | (constants.O_NOATIME ?? 0)

/** Empty for what is no plain file or cannot be read: it is listed without a description then. */
export function headOfFile(path: string): string {
  let handle: number
  try {
    handle = opened(path)
  } catch {
    // No permission, or gone meanwhile.
    return ''
  }
  try {
    if (!fstatSync(handle).isFile()) return ''
    const bytes = Buffer.alloc(MOST_BYTES)
    let length = 0
    let lines = 0
    while (length < MOST_BYTES && lines < DESCRIPTION_LINES) {
      const read = readSync(handle, bytes, length, PIECE_BYTES, length)
      if (read === 0) break
      for (let at = length; at < length + read; at++) if (bytes[at] === 0x0a) lines++
      length += read
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(handle)
  }
}

function opened(path: string): number {
  try {
    return openSync(path, QUIETLY)
  } catch (error) {
    // Only a file's owner may look without a trace.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  }
}
