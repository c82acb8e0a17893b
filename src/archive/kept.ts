/**
 * Content that a running agent waits for: its readable copy is written and synced first, the database follows. The
 * copy is named by its hash, so what a crash leaves between the two is taken in at the next opening.
 */
import { lstatSync, readFileSync } from 'node:fs'
import type { Removed } from '../core/edits.ts'
import { decodeText, referenceOf } from '../core/reference.ts'
import type { ArchiveBatch } from './archive.ts'
import { mediaTypeOfSpill, spillNames, writeSpillFile } from './spill.ts'

export interface KeptBatch {
  readonly session: string
  readonly source: string
  /** Now, in milliseconds since the epoch. */
  readonly time: number
  readonly removed: Removed
  /** The database could not be written; the copy stays and is taken in later. */
  readonly onProblem?: (error: unknown) => void
}

export interface Kept {
  keep(batch: KeptBatch): string
  /** Brings what is waiting into the database now. */
  settle(): void
  /** Brings copies into the database that no object stands for; `isKnown` tells by reference. */
  takeIn(isKnown: (ref: string) => boolean): void
}

/** @param put undefined where the archive is only read */
export function keptFirst(folder: string, put: ((batch: ArchiveBatch) => unknown) | undefined): Kept {
  let waiting: KeptBatch[] = []
  const settle = (): void => {
    const batches = waiting
    waiting = []
    for (const batch of batches) {
      const { session, source, time, removed, onProblem } = batch
      try {
        put?.({ session, source, time, removed: [removed], spilled: true })
      } catch (error) {
        onProblem?.(error)
      }
    }
  }
  return {
    keep(batch) {
      const { ref, content, mediaType } = batch.removed
      if (typeof content === 'string' && !isPlain(content)) {
        // The copy holds U+FFFD for half a character: only the database has the original.
        put?.({ ...batch, removed: [batch.removed], spilled: true })
        return writeSpillFile(folder, ref, content, mediaType)
      }
      const path = writeSpillFile(folder, ref, content, mediaType)
      if (waiting.push(batch) === 1) setImmediate(settle)
      return path
    },
    settle,
    takeIn(isKnown) {
      const removed = spillNames(folder).flatMap(({ ref, path }) => (isKnown(ref) ? [] : (contentOf(ref, path) ?? [])))
      if (removed.length > 0)
        put?.({ session: UNKNOWN_SESSION, source: folder, time: Date.now(), removed, spilled: true })
    },
  }
}

/** A copy that a crash left: who had made it is in the session, in the pointer. */
const UNKNOWN_SESSION = 'unknown'

function contentOf(ref: string, path: string): Removed | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  const bytes = readFileSync(path)
  // A damaged or foreign file is no content of ours.
  if (referenceOf(bytes) !== ref) return undefined
  const mediaType = mediaTypeOfSpill(path)
  const content = mediaType === 'text/plain' ? decodeText(bytes) : bytes
  return { ref, content, mediaType, class: 'restorable', rule: 'spill', at: { thread: 'main', entry: 0 } }
}

/** No half of a surrogate pair stands alone: the text and its UTF-8 are the same. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text) || Buffer.from(text, 'utf8').toString('utf8') === text
}
