/** The archive of the command line for a loop: what leaves can be had again with `spillway recall`. Needs SQLite. */
import { openArchive } from '../archive/index.ts'
import type { ContentArchive } from './content-archive.ts'

export interface DatabaseArchive extends ContentArchive {
  close(): void
}

/**
 * @param folder where `archive.sqlite` stands, or is made
 * @param session a name under which `recall` and retention know the conversation
 * @throws SpillwayError `unavailable` without better-sqlite3, `unwritable`, `unreadable`, `newer-version`
 */
export async function databaseArchive(folder: string, session: string): Promise<DatabaseArchive> {
  const archive = await openArchive(folder)
  return {
    put(removed) {
      if (removed.length > 0) archive.put({ session, source: session, time: Date.now(), removed })
    },
    get(ref) {
      const found = archive.get(ref)
      if (!found) return undefined
      const { content, mediaType, origins } = found
      const [{ tool = '', target = '' } = {}] = origins
      return {
        ref: found.ref,
        content,
        mediaType,
        ...(tool === '' ? {} : { tool }),
        ...(target === '' ? {} : { target }),
      }
    },
    search: (words, limit) =>
      archive.search({ words, ...(limit === undefined ? {} : { limit }) }).map(({ ref, tool, target, snippet }) => ({
        ref,
        ...(tool === '' ? {} : { tool }),
        ...(target === '' ? {} : { target }),
        excerpt: snippet,
      })),
    close: () => archive.close(),
  }
}
