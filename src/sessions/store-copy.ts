/**
 * What a session in OpenClaw's store becomes: a copy of the store, or a file of its lines. The store itself is never
 * written: OpenClaw has it open.
 */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { copyStore, isStoreFile } from '../formats/openclaw-store/index.ts'
import type { Source } from './source.ts'
import { discard, FILE_MODE, publishNew, type StagedFile, temporaryName } from './staged-file.ts'

/** @throws SpillwayError `usage` when a store is to be written that this source does not come from */
export function refuseStoreTarget(source: Source, target: string): void {
  if (!isStoreFile(target) || source.store) return
  throw new SpillwayError('usage', `${target}: only a session of a store can be written to a copy of it`)
}

/**
 * Gives the staged lines their name, inside a copy of the store where the target is one.
 * @throws SpillwayError `conflict` when something has that name, `unwritable`
 */
export async function publishSession(staged: StagedFile, source: Source): Promise<void> {
  if (!source.store || !isStoreFile(staged.target)) {
    publishNew(staged)
    return
  }
  const temporary = join(dirname(staged.target), temporaryName())
  try {
    const lines = readFileSync(staged.temporary, 'utf8').split('\n').slice(0, -1)
    closeSync(openSync(temporary, 'wx', FILE_MODE))
    await copyStore(source.store, lines, temporary)
    const descriptor = openSync(temporary, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
    publishNew({ ...staged, temporary })
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  discard(staged)
}
