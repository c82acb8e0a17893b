/**
 * `gc`: retention for the archives, which never takes what a known session still needs.
 *
 * Known are the files that compactions read and wrote, and every session found on this machine (a resume or a fork
 * copies pointers into new files). Each is read as it stands and as it stood before each compaction. What views of
 * session stores point to is needed as long as it is there: their stores may be anywhere.
 */
import { statSync } from 'node:fs'
import {
  type Archive,
  allArchives,
  type Collection,
  type Needed,
  openArchive,
  PrefixMatcher,
  undone,
} from '../archive/index.ts'
import { SpillwayError } from '../core/errors.ts'
import { referencesIn } from '../core/pointer.ts'
import { openSource } from './source.ts'

export interface GarbageOptions {
  /** `--archive`: this one only. */
  readonly archive?: string
  readonly workingFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The most bytes that each archive may take. */
  readonly maxBytes?: number
  /** Only what was archived longer ago, in milliseconds. */
  readonly olderThan?: number
  readonly session?: string
  readonly force?: boolean
  readonly dryRun?: boolean
  /** Now, in milliseconds since the epoch. */
  readonly now: number
  /** Session files on this machine beside those that the archive remembers. */
  readonly sessionFiles?: readonly string[]
}

export interface GarbageReport extends Collection {
  readonly archive: string
  readonly dryRun: boolean
}

/**
 * Without a limit nothing is removed and the report says what there is.
 * @throws SpillwayError `not-found` (no archive, no such session), `usage`, `unreadable` when a known session cannot be
 *   read, so that what it needs is unknown (not with `force`), `unwritable`
 */
export async function collectGarbage(options: GarbageOptions): Promise<GarbageReport[]> {
  const { environment, workingFolder, archive: asked } = options
  const folders = allArchives({ environment, workingFolder, ...(asked === undefined ? {} : { asked }) })
  if (folders.length === 0 && asked !== undefined) throw new SpillwayError('not-found', `${asked}: no archive here`)
  const reports: GarbageReport[] = []
  let unknownSession: SpillwayError | undefined
  for (const folder of folders) {
    const archive = await openArchive(folder)
    try {
      reports.push(await collectOne(archive, options))
    } catch (error) {
      // The session may be in another archive; only when none knows it, it is an error.
      if (!(error instanceof SpillwayError && error.code === 'not-found')) throw error
      unknownSession = error
    } finally {
      archive.close()
    }
  }
  if (reports.length === 0 && unknownSession) throw unknownSession
  return reports
}

async function collectOne(archive: Archive, options: GarbageOptions): Promise<GarbageReport> {
  const { maxBytes, olderThan, session, force = false, dryRun = false, now } = options
  const isLimited = maxBytes !== undefined || olderThan !== undefined || session !== undefined
  const mostBytes = isLimited ? maxBytes : Number.POSITIVE_INFINITY
  const needed = force
    ? { refs: new Set<string>(), undos: new Set<number>() }
    : await neededBy([...archive.sessionFiles(), ...(options.sessionFiles ?? [])], archive)
  const collection = archive.collect({
    ...(mostBytes === undefined ? {} : { maxBytes: mostBytes }),
    ...(olderThan === undefined ? {} : { before: now - olderThan }),
    ...(session === undefined ? {} : { session }),
    needed,
    force,
    dryRun,
    now,
  })
  return { archive: archive.folder, dryRun, ...collection }
}

async function neededBy(files: readonly string[], archive: Archive): Promise<Needed> {
  const refs = new Set<string>(archive.storeReferences())
  const undos = new Set<number>()
  for (const file of new Set(files)) {
    if (holdsContent(file)) await addNeedsOf(file, archive, refs, undos)
  }
  // Archived content may itself hold pointers: what a later compaction dropped with an earlier one's pointer in it.
  // The set grows while it is walked.
  for (const ref of refs) {
    const content = archive.get(ref)?.content
    if (typeof content === 'string') for (const inner of referencesIn(content)) refs.add(inner)
  }
  return { refs, undos }
}

/** A session that was read through a named pipe or a device holds nothing any more, and reading it could wait forever. */
function holdsContent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    // What cannot even be looked at may be there: reading it will say why it is unknown.
    return true
  }
}

async function addNeedsOf(file: string, archive: Archive, refs: Set<string>, undos: Set<number>): Promise<void> {
  try {
    const source = await openSource(file)
    let records = archive.undoRecords()
    let content: () => AsyncIterable<Uint8Array> = () => source.chunks()
    for (;;) {
      const matcher = new PrefixMatcher(records)
      const scanner = referenceScanner(refs)
      for await (const chunk of content()) {
        matcher.push(chunk)
        scanner(chunk)
      }
      const record = matcher.finish()
      if (!record) return
      undos.add(record.id)
      records = records.filter((other) => other.id !== record.id)
      const after = content
      content = () => undone(after(), archive.splices(record.id))
    }
  } catch (cause) {
    if (!(cause instanceof SpillwayError)) throw cause
    const message = `${cause.message}; what it needs is unknown, so nothing was removed (--force removes all the same)`
    throw new SpillwayError('unreadable', message, { cause })
  }
}

/** Longer than any pointer's head: one that is cut by a chunk's end is found with the next chunk. */
const OVERLAP = 64

function referenceScanner(refs: Set<string>): (chunk: Uint8Array) => void {
  let tail = ''
  return (chunk) => {
    // One character a byte: the head of a pointer is plain ASCII.
    const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    for (const ref of referencesIn(text)) refs.add(ref)
    tail = text.slice(-OVERLAP)
  }
}
