/** What a view no longer shows, brought to the archive before the view is given out. */
import { archiveFolder, openArchive, storeSource } from '../archive/index.ts'
import type { Removed } from '../core/edits.ts'
import type { SessionKey } from '../formats/claude-code/index.ts'

export interface ArchiveChoice {
  /** The folder; default as DESIGN says. */
  readonly asked: string | undefined
  /** The working folder that the session recorded. */
  readonly workingFolder: string | undefined
  /** Now, in milliseconds since the epoch. */
  readonly time: number
}

/** @throws SpillwayError `unavailable`, `unwritable`, `conflict`: then nothing of it is in the archive */
export async function archiveRemoved(
  { projectKey, sessionId }: SessionKey,
  removed: readonly Removed[],
  { asked, workingFolder, time }: ArchiveChoice,
): Promise<void> {
  if (removed.length === 0) return
  const folder = archiveFolder({
    environment: process.env,
    ...(asked === undefined ? {} : { asked }),
    ...(workingFolder === undefined ? {} : { workingFolder }),
  })
  const archive = await openArchive(folder)
  try {
    archive.put({ session: sessionId, source: storeSource(projectKey, sessionId), time, removed })
  } finally {
    archive.close()
  }
}
