/**
 * What a format must be able to do (DESIGN section 3, formats/).
 *
 * Reading and writing are push-style and synchronous: the caller brings lines from wherever they are (a file, a
 * gzip stream, standard input, a store), so no format does I/O and a gigabyte never has to be in memory.
 */
import type { Edit } from '../core/edits.ts'
import type { Violation } from '../core/legality/violation.ts'
import type { Transcript, Usage } from '../core/transcript.ts'

/** One line of the source, without its end. `offset` is the byte offset of the line's first byte. */
export interface SourceLine {
  /** 1-based. */
  readonly number: number
  readonly offset: number
  readonly bytes: Buffer
  /** What ended it: '' only for a last line without newline. */
  readonly end: '\n' | '\r\n' | ''
}

export interface BadLine {
  readonly line: number
  readonly problem: string
}

/** Facts of a session that are no transcript: who, where, what happened to it. */
export interface SessionFacts {
  readonly format: string
  readonly id?: string
  readonly cwd?: string
  readonly title?: string
  readonly compactions: number
  readonly apiErrors: number
  readonly interrupts: number
  /** All lines of the source, bad ones included. */
  readonly lines: number
  /** Parsed entries of the source. */
  readonly entries: number
  readonly badLines: readonly BadLine[]
  /** Requests with recorded usage, deduplicated by message id, in file order over all compactions, main thread only. */
  readonly requests: readonly RecordedRequest[]
}

/** One recorded model request of the main thread: its usage and where the answer stands. */
export interface RecordedRequest {
  readonly entry: number
  readonly usage: Usage
  readonly model?: string
  readonly time?: number
  /** Index of the compaction segment it belongs to (0 = before the first compaction). */
  readonly segment: number
}

/** Everything read from one source: the main thread and the threads recorded inside the same file. */
export interface Session {
  readonly facts: SessionFacts
  readonly main: Transcript
  readonly others: readonly Transcript[]
  /** What the format's own writer and checks need to know about the native entries; nobody else looks inside. */
  readonly native?: unknown
}

export interface ReadOptions {
  /** Keep measures only: texts become '' once measured (analysis of very large files). */
  readonly sizesOnly?: boolean
  /** `view` (default): what would be sent now. `history`: every call across compactions, summaries left out. */
  readonly reading?: 'view' | 'history'
  /** The source's file name, where there is one. */
  readonly fileName?: string
}

export interface SessionReader {
  push(line: SourceLine): void
  /** What was read; may be asked again for the other reading, at the cost of walking the entries once more. */
  finish(reading?: ReadOptions['reading']): Session
}

/** A stretch of output bytes and the input bytes that stood there: what `restore` needs. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly original: Buffer
}

export interface SessionWriter {
  /** The output for this source line: zero or more byte pieces, already with their line ends. */
  push(line: SourceLine): readonly Buffer[]
  /** What comes after the last source line; splices are complete once this has been called. */
  finish(): readonly Buffer[]
  readonly splices: readonly Splice[]
}

export interface Format {
  readonly name: string
  /** Does this first object (the first parsed lines of a file, at most 20) belong to this format? */
  detect(firstEntries: readonly unknown[]): boolean
  reader(options?: ReadOptions): SessionReader
  /** Carries edits out on the recorded bytes; only the edited places change (DESIGN, Writing). */
  writer(session: Session, edits: readonly Edit[]): SessionWriter
  /** Violations of the format's own shape (D and E rules) that a transcript cannot show; `at` as in `check`. */
  check(session: Session, at: 'rest' | 'request'): Violation[]
  /** Repairs for what `check` reports, as ordinary legality edits. */
  repairs(session: Session): Edit[]
}
