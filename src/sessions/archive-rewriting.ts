/** Everything a rewriting took out and what undoes it, brought to the archive in one transaction. */
import { archiveFolder, openArchive } from '../archive/index.ts'
import type { Removed } from '../core/edits.ts'
import type { SessionFacts } from '../formats/format.ts'
import type { Rewriting } from './rewrite.ts'
import { type Source, STDIN } from './source.ts'
import type { StagedFile } from './staged-file.ts'

export interface ArchiveReceipt {
  /** The archive's folder. */
  readonly path: string
  /** Objects that were not in the archive before, and the compressed bytes added. */
  readonly objects: number
  readonly bytes: number
}

/** What was read: a session, or a request, which has no facts. */
interface Rewritten {
  readonly source: Source
  readonly session: { readonly facts: Pick<SessionFacts, 'id' | 'cwd'> }
}

/**
 * @param asked `--archive`
 * @throws SpillwayError `unavailable`, `unwritable`, `conflict`: then nothing is in the archive
 */
export async function archiveRewriting(
  reading: Rewritten,
  removed: Iterable<Removed>,
  rewriting: Pick<Rewriting, 'splices' | 'input'>,
  staged: StagedFile,
  asked: string | undefined,
): Promise<ArchiveReceipt> {
  const { facts } = reading.session
  const folder = archiveFolder({
    environment: process.env,
    ...(asked === undefined ? {} : { asked }),
    ...(facts.cwd === undefined ? {} : { workingFolder: facts.cwd }),
  })
  // Standard input has no file: the output is the only one that will hold pointers.
  const source = reading.source.file === STDIN ? staged.target : reading.source.file
  const archive = await openArchive(folder)
  try {
    const counts = archive.put({
      session: facts.id ?? reading.source.name,
      source,
      time: Date.now(),
      removed,
      undos: [
        {
          source,
          output: staged.target,
          before: rewriting.input(),
          after: { bytes: staged.bytes, sha256: staged.sha256 },
          splices: rewriting.splices(),
        },
      ],
    })
    return { path: archive.folder, ...counts }
  } finally {
    archive.close()
  }
}
