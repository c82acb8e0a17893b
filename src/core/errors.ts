/** An error that the caller cannot act on in code; `code` is stable, the message is for people. */
export class SpillwayError extends Error {
  readonly code: SpillwayErrorCode

  constructor(code: SpillwayErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SpillwayError'
    this.code = code
  }
}

/**
 * - `usage`: wrong arguments (exit code 2)
 * - `not-found`: no such file, session or reference
 * - `unreadable`: the input is not what it claims to be
 * - `unwritable`: nothing could be written; nothing was changed
 * - `conflict`: the target exists, changed meanwhile, or is in use
 * - `unavailable`: an optional part (SQLite) is missing
 * - `newer-version`: written by a newer Spillway
 * - `floor-too-large`, `cannot-fit`: no request that could be sent stays inside its budget
 */
export type SpillwayErrorCode =
  | 'usage'
  | 'not-found'
  | 'unreadable'
  | 'unwritable'
  | 'conflict'
  | 'unavailable'
  | 'newer-version'
  | 'floor-too-large'
  | 'cannot-fit'
