/**
 * Undo records: what `restore` needs to put one compaction's input back, byte for byte.
 *
 * A record is found by content, not by file name: its output is a prefix of the file (later lines are kept).
 */
import { createHash, type Hash } from 'node:crypto'
import { resolve } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import type { Database } from './database.ts'
import { pack, unpack } from './packing.ts'

/** A stretch of output bytes, and the input bytes that stood there. */
export interface UndoSplice {
  readonly start: number
  readonly end: number
  readonly original: Uint8Array
}

/** SHA-256 and length of a whole file. */
interface FileDigest {
  readonly bytes: number
  readonly sha256: Uint8Array
}

export interface UndoInput {
  readonly source: string
  /** The file that was written; `gc` looks for pointers there. */
  readonly output: string
  readonly before: FileDigest
  readonly after: FileDigest
  /** In order of `start`, not overlapping. */
  readonly splices: Iterable<UndoSplice>
}

export interface UndoRecord {
  readonly id: number
  readonly session: string
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly before: FileDigest
  readonly after: FileDigest
  readonly splices: number
  /** Compressed bytes in the archive. */
  readonly stored: number
}

/** Splices are packed together until they hold so many original bytes. */
const PIECE_BYTES = 4 * 1024 * 1024

/** Stores one record inside the caller's transaction; returns the compressed bytes it took, 0 when it was known. */
export function writeUndo(database: Database, put: number, input: UndoInput): number {
  const { before, after } = input
  const identity = [after.sha256, after.bytes, before.sha256, before.bytes]
  const known = database
    .prepare(
      'SELECT id FROM undos WHERE output_sha256 = ? AND output_bytes = ? AND input_sha256 = ? AND input_bytes = ?',
    )
    .get(...identity) as { id: number } | undefined
  if (known) {
    database.prepare('UPDATE undos SET put = ? WHERE id = ?').run(put, known.id)
    return 0
  }
  const insert = database.prepare(
    `INSERT INTO undos(put, source, output_sha256, output_bytes, input_sha256, input_bytes, splices, stored)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0)`,
  )
  const id = Number(insert.run(put, resolve(input.source), ...identity).lastInsertRowid)
  const insertPiece = database.prepare('INSERT INTO undo_pieces(undo, piece, packing, body) VALUES (?, ?, ?, ?)')
  let stored = 0
  let splices = 0
  let pieces = 0
  let group: UndoSplice[] = []
  let groupBytes = 0
  let last = 0
  const flush = () => {
    if (group.length === 0) return
    const { packing, body } = pack(encodePiece(group))
    insertPiece.run(id, pieces++, packing, body)
    stored += body.length
    group = []
    groupBytes = 0
  }
  for (const splice of input.splices) {
    if (splice.start < last || splice.end < splice.start || splice.end > after.bytes) {
      const message = `${input.source}: undo splice ${splice.start}-${splice.end} after ${last} of ${after.bytes} bytes`
      throw new SpillwayError('conflict', `${message} is out of order; nothing was archived`)
    }
    last = splice.end
    splices++
    group.push(splice)
    groupBytes += splice.original.length
    if (groupBytes >= PIECE_BYTES) flush()
  }
  flush()
  database.prepare('UPDATE undos SET splices = ?, stored = ? WHERE id = ?').run(splices, stored, id)
  return stored
}

/** A piece: the length of its JSON table (4 bytes), the table `[start, end, length]…`, the original bytes. */
function encodePiece(splices: readonly UndoSplice[]): Buffer {
  const table = Buffer.from(JSON.stringify(splices.map((splice) => [splice.start, splice.end, splice.original.length])))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(table.length)
  return Buffer.concat([length, table, ...splices.map((splice) => splice.original)])
}

/** The splices of a record in order, unpacked piece by piece. @throws SpillwayError `unreadable` when damaged */
export function* readSplices(database: Database, undo: number): Generator<UndoSplice> {
  const select = database.prepare('SELECT packing, body FROM undo_pieces WHERE undo = ? AND piece = ?')
  for (let piece = 0; ; piece++) {
    const row = select.get(undo, piece) as { packing: string; body: Uint8Array } | undefined
    if (!row) return
    try {
      const bytes = unpack(row, MOST_PIECE_BYTES)
      const tableEnd = 4 + bytes.readUInt32LE()
      let at = tableEnd
      for (const [start, end, length] of JSON.parse(bytes.toString('utf8', 4, tableEnd)) as [
        number,
        number,
        number,
      ][]) {
        yield { start, end, original: bytes.subarray(at, at + length) }
        at += length
      }
    } catch (cause) {
      throw new SpillwayError('unreadable', `undo record ${undo}: the archived bytes are damaged`, { cause })
    }
  }
}

/** One line of a session can be far longer than PIECE_BYTES; SQLite holds no row beyond this. */
const MOST_PIECE_BYTES = 1_000_000_000

interface UndoRow {
  readonly id: number
  readonly session: string
  readonly source: string
  readonly time: number
  readonly input_bytes: number
  readonly input_sha256: Uint8Array
  readonly output_bytes: number
  readonly output_sha256: Uint8Array
  readonly splices: number
  readonly stored: number
}

/** Every record whose output is at most `mostBytes` long, newest first. */
export function undoRecords(database: Database, mostBytes: number): UndoRecord[] {
  const rows = database
    .prepare(
      `SELECT undos.id, puts.session, undos.source, puts.time, input_bytes, input_sha256, output_bytes, output_sha256,
         splices, stored
       FROM undos JOIN puts ON puts.id = undos.put WHERE output_bytes <= ? ORDER BY undos.put DESC, undos.id DESC`,
    )
    .all(mostBytes) as UndoRow[]
  return rows.map((row) => ({
    id: row.id,
    session: row.session,
    source: row.source,
    time: row.time,
    before: { bytes: row.input_bytes, sha256: row.input_sha256 },
    after: { bytes: row.output_bytes, sha256: row.output_sha256 },
    splices: row.splices,
    stored: row.stored,
  }))
}

/**
 * Finds the record whose output a file begins with, in one pass over its bytes and without keeping them:
 * push every chunk, then ask. The longest output wins (it is the last compaction), among equals the newest.
 */
export class PrefixMatcher {
  readonly #waiting: UndoRecord[]
  readonly #hash: Hash = createHash('sha256')
  #bytes = 0
  #best: UndoRecord | undefined

  /** @param records newest first, as `undoRecords` gives them */
  constructor(records: readonly UndoRecord[]) {
    // Longest last, so that the next one due is popped; the stable sort keeps newest first among equals.
    this.#waiting = records.toSorted((one, other) => one.after.bytes - other.after.bytes).reverse()
  }

  push(chunk: Uint8Array): void {
    let start = 0
    for (;;) {
      const due = this.#waiting.at(-1)
      if (!due || due.after.bytes > this.#bytes + chunk.length - start) break
      const end = start + due.after.bytes - this.#bytes
      this.#advance(chunk.subarray(start, end))
      start = end
      this.#compare(due.after.bytes)
    }
    this.#advance(chunk.subarray(start))
  }

  /** The record to undo first, or undefined when no output stands at the start of the file. */
  finish(): UndoRecord | undefined {
    return this.#best
  }

  #advance(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#waiting.length === 0) return
    this.#hash.update(bytes)
    this.#bytes += bytes.length
  }

  #compare(length: number): void {
    const digest = this.#hash.copy().digest()
    let newest: UndoRecord | undefined
    while (this.#waiting.at(-1)?.after.bytes === length) {
      const record = this.#waiting.pop()
      if (record && digest.equals(record.after.sha256)) newest ??= record
    }
    if (newest) this.#best = newest
  }
}

/** The bytes as they stood before the compaction; what follows its output is kept. */
export async function* undone(
  chunks: AsyncIterable<Uint8Array>,
  splices: Iterable<UndoSplice>,
): AsyncGenerator<Uint8Array> {
  const waiting = splices[Symbol.iterator]()
  let next = waiting.next()
  let position = 0
  for await (const chunk of chunks) {
    let at = 0
    while (!next.done && next.value.start < position + chunk.length) {
      const { start, end, original } = next.value
      if (start >= position + at) {
        if (start > position + at) yield chunk.subarray(at, start - position)
        yield original
      }
      at = Math.min(end - position, chunk.length)
      if (end > position + chunk.length) break
      next = waiting.next()
    }
    if (at < chunk.length) yield chunk.subarray(at)
    position += chunk.length
  }
  while (!next.done) {
    if (next.value.start >= position) yield next.value.original
    next = waiting.next()
  }
}
