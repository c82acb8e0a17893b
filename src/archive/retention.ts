/**
 * Retention: what may leave the archive, in which order, and how the file really gets smaller.
 *
 * Copies in the spill folder go first, then worthless content, then what can be run again, then restorable content
 * and undo records; the oldest first within each. What a known session still needs stays unless forced.
 */
import { rmSync, statSync } from 'node:fs'
import type { ContentClass } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import { type Database, inTransaction } from './database.ts'
import { type SpillFile, spillFiles } from './spill.ts'

/** References and undo records that known sessions still need. */
export interface Needed {
  readonly refs: ReadonlySet<string>
  readonly undos: ReadonlySet<number>
}

export interface CollectInput {
  /** Remove until the database and the spill files take at most so many bytes. Absent: all that the others select. */
  readonly maxBytes?: number
  /** Only what was archived before this moment, in milliseconds since the epoch. */
  readonly before?: number
  /** Only what this session (its id, or a unique start of it) and no other one gave. */
  readonly session?: string
  readonly needed: Needed
  /** Remove what is needed too. */
  readonly force?: boolean
  /** Only say what would be removed. */
  readonly dryRun?: boolean
  /** Now, in milliseconds since the epoch. */
  readonly now: number
}

export interface Collection {
  readonly bytesBefore: number
  /** Measured after a run, an estimate in a dry run. */
  readonly bytesAfter: number
  readonly removed: {
    readonly spills: number
    readonly undos: number
    readonly objects: Readonly<Record<ContentClass, number>>
  }
  /** Objects and undo records that the limits select but a known session needs. */
  readonly needed: number
}

/** A running compact has stored its content but perhaps not yet written its output; so long it is left alone. */
const WRITER_GRACE_MILLISECONDS = 10 * 60_000
const RANKS: readonly ContentClass[] = ['worthless', 'rerunnable', 'restorable']

interface Item {
  readonly kind: 'object' | 'undo'
  readonly id: number
  readonly ref?: string
  readonly class: ContentClass
  readonly stored: number
  readonly time: number
  readonly writer: number
}

/** @throws SpillwayError `usage` when the start of a session id fits several, `not-found` when it fits none */
export function collect(database: Database, folder: string, file: string, input: CollectInput): Collection {
  const session = input.session === undefined ? undefined : sessionNamed(database, input.session)
  const candidates = itemsOf(database, session).filter((item) => input.before === undefined || item.time < input.before)
  const removable = candidates.filter((item) => input.force || !isNeeded(item, input))
  const spills = spillsFor(folder, candidates)
  const size = () => databaseBytes(file) + bytesOf(spillFiles(folder))

  // The log holds pages twice; sizes are those of the database itself.
  database.pragma('wal_checkpoint(TRUNCATE)')
  const bytesBefore = size()
  const removed = { spills: 0, undos: 0, objects: { worthless: 0, rerunnable: 0, restorable: 0 } }
  const count = (items: readonly Item[]) => {
    for (const item of items) {
      if (item.kind === 'undo') removed.undos++
      else removed.objects[item.class]++
    }
  }
  let bytes = bytesBefore
  for (const spill of spills) {
    if (input.maxBytes !== undefined && bytes <= input.maxBytes) break
    if (!input.dryRun) rmSync(spill.path, { force: true })
    removed.spills++
    bytes -= spill.bytes
  }

  // Stored bytes are known, their share of the index is not: remove, measure, go on while it is not enough.
  let waiting = removable
  let total = itemsOf(database, undefined).reduce((sum, item) => sum + item.stored, 0)
  while (waiting.length > 0 && (input.maxBytes === undefined || bytes > input.maxBytes)) {
    const perStored = Math.max(1, databaseBytes(file) / Math.max(total, 1))
    let end = 0
    let freed = 0
    while (end < waiting.length && (input.maxBytes === undefined || bytes - freed > input.maxBytes)) {
      freed += Math.max(waiting[end]?.stored ?? 0, 1) * perStored
      end++
    }
    const chosen = waiting.slice(0, end)
    waiting = waiting.slice(end)
    total -= chosen.reduce((sum, item) => sum + item.stored, 0)
    count(chosen)
    if (input.dryRun) {
      bytes = Math.max(0, Math.round(bytes - freed))
      break
    }
    remove(database, file, chosen)
    bytes = size()
  }
  return { bytesBefore, bytesAfter: bytes, removed, needed: candidates.length - removable.length }
}

function sessionNamed(database: Database, start: string): string {
  const rows = database
    .prepare('SELECT DISTINCT session FROM puts WHERE substr(session, 1, length(?)) = ? ORDER BY session')
    .all(start, start) as { session: string }[]
  const exact = rows.find((row) => row.session === start) ?? (rows.length === 1 ? rows[0] : undefined)
  if (exact) return exact.session
  if (rows.length === 0) throw new SpillwayError('not-found', `${start}: no such session in the archive`)
  throw new SpillwayError(
    'usage',
    `${start}: ${rows.length} sessions in the archive start like this; give more of the id`,
  )
}

/** What there is, in the order of leaving. */
function itemsOf(database: Database, session: string | undefined): Item[] {
  const only = session ?? null
  const rows = database
    .prepare(
      `SELECT 'object' AS kind, objects.id, ref, class, stored, puts.time, puts.writer
       FROM objects JOIN puts ON puts.id = objects.put
       WHERE ? IS NULL OR NOT EXISTS (SELECT 1 FROM origins WHERE object = objects.id AND origins.session <> ?)
       UNION ALL
       SELECT 'undo', undos.id, NULL, 'restorable', stored, puts.time, puts.writer
       FROM undos JOIN puts ON puts.id = undos.put WHERE ? IS NULL OR puts.session = ?`,
    )
    .all(only, only, only, only) as Item[]
  return rows.sort((one, other) => RANKS.indexOf(one.class) - RANKS.indexOf(other.class) || one.time - other.time)
}

function isNeeded(item: Item, { needed, now }: CollectInput): boolean {
  if (now - item.time < WRITER_GRACE_MILLISECONDS && item.writer !== process.pid && isRunning(item.writer)) return true
  return item.kind === 'undo' ? needed.undos.has(item.id) : needed.refs.has(item.ref ?? '')
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // EPERM: it runs, for somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Copies of what the filters select, for `recall` writes them again; one that has no object yet is no copy. */
function spillsFor(folder: string, candidates: readonly Item[]): SpillFile[] {
  const files = spillFiles(folder)
  const refs = new Set(candidates.map((item) => item.ref))
  return files.filter((spill) => refs.has(spill.ref))
}

function remove(database: Database, file: string, items: readonly Item[]): void {
  inTransaction(database, () => {
    const forget = [
      'DELETE FROM origin_words WHERE rowid IN (SELECT id FROM origins WHERE object = ?)',
      'DELETE FROM origins WHERE object = ?',
      'DELETE FROM content_words WHERE rowid = ?',
      'DELETE FROM objects WHERE id = ?',
    ].map((sql) => database.prepare(sql))
    const forgetUndo = ['DELETE FROM undo_pieces WHERE undo = ?', 'DELETE FROM undos WHERE id = ?'].map((sql) =>
      database.prepare(sql),
    )
    for (const item of items) for (const step of item.kind === 'undo' ? forgetUndo : forget) step.run(item.id)
    database.exec(`
      DELETE FROM puts WHERE id NOT IN (SELECT put FROM objects UNION SELECT put FROM origins UNION SELECT put FROM undos);
      DELETE FROM session_files WHERE session NOT IN (SELECT session FROM puts);
      INSERT INTO content_words(content_words) VALUES ('optimize');
      INSERT INTO origin_words(origin_words) VALUES ('optimize');
    `)
  })
  try {
    // Gives the space back to the disk, and leaves nothing readable of what was removed.
    database.exec('VACUUM')
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (cause) {
    const message = `${file}: content was removed, but the file could not be made smaller (it takes its own size in space)`
    throw new SpillwayError('unwritable', message, { cause })
  }
}

function databaseBytes(file: string): number {
  return statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}

function bytesOf(files: readonly SpillFile[]): number {
  return files.reduce((sum, spill) => sum + spill.bytes, 0)
}
