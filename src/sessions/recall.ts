/** `recall`: archived content brought back by its reference, or found by words, in every archive of this user. */
import {
  type Archive,
  type ArchivedObject,
  allArchives,
  DEFAULT_SEARCH_LIMIT,
  openArchive,
  type SearchHit,
  type SearchQuery,
} from '../archive/index.ts'
import { SpillwayError } from '../core/errors.ts'
import { pointerReference } from '../core/pointer.ts'
import { REFERENCE } from '../core/reference.ts'

export interface RecallOptions extends SearchQuery {
  /** `--archive`: search this one only. */
  readonly archive?: string
  readonly workingFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The JSON contract of `recall REF`. */
interface RecalledContent {
  readonly ref: string
  readonly bytes: number
  readonly mediaType: string
  readonly tool: string
  /** The path, command or pattern of the call. */
  readonly target: string
  /** The session file it was taken from. */
  readonly source: string
  readonly session: string
  /** The archive's folder. */
  readonly archive: string
  readonly encoding: 'utf8' | 'base64'
  readonly content: string
}

export interface RecallHit extends SearchHit {
  readonly archive: string
}

export type Recalled =
  | { readonly kind: 'content'; readonly content: RecalledContent; readonly raw: string | Buffer }
  | { readonly kind: 'hits'; readonly hits: readonly RecallHit[]; readonly archives: readonly string[] }

/**
 * Words that are a reference (or a whole pointer) give that content; anything else, also a twelve-letter word that
 * names nothing, is searched for.
 * @param onProblem told of an archive that cannot be read while others can
 * @throws SpillwayError `not-found` when there is no archive, else what the only readable answer would have needed
 */
export async function recall(
  options: RecallOptions,
  onProblem: (problem: SpillwayError) => void = () => {},
): Promise<Recalled> {
  const words = options.words?.trim() ?? ''
  const folders = foldersFor(options)
  const ref = pointerReference(words) ?? (REFERENCE.test(words) ? words : undefined)
  const problems: SpillwayError[] = []
  const hits: RecallHit[] = []
  for (const folder of folders) {
    try {
      const answer = await withArchive(folder, (archive) => {
        const object = ref === undefined ? undefined : archive.get(ref)
        if (object) return contentAnswer(archive, object, onProblem)
        if (ref === undefined || ref === words) {
          hits.push(...archive.search({ ...options, words }).map((hit) => ({ ...hit, archive: archive.folder })))
        }
        return undefined
      })
      if (answer) return answer
    } catch (error) {
      // One damaged archive must not hide what another one holds.
      if (!(error instanceof SpillwayError) || folders.length === 1 || error.code === 'unavailable') throw error
      problems.push(error)
    }
  }
  const [problem] = problems
  if (problem && problems.length === folders.length) throw problem
  for (const each of problems) onProblem(each)
  hits.sort((one, other) => other.score - one.score)
  return { kind: 'hits', hits: hits.slice(0, options.limit ?? DEFAULT_SEARCH_LIMIT), archives: folders }
}

function foldersFor(options: RecallOptions): string[] {
  const { environment, workingFolder, archive } = options
  const folders = allArchives({ environment, workingFolder, ...(archive === undefined ? {} : { asked: archive }) })
  if (folders.length > 0) return folders
  throw new SpillwayError(
    'not-found',
    archive === undefined ? 'nothing was archived yet' : `${archive}: no archive here`,
  )
}

async function withArchive<Result>(folder: string, use: (archive: Archive) => Result): Promise<Result> {
  const archive = await openArchive(folder, { readOnly: true })
  try {
    return use(archive)
  } finally {
    archive.close()
  }
}

function contentAnswer(
  archive: Archive,
  object: ArchivedObject,
  onProblem: (problem: SpillwayError) => void,
): Recalled {
  const [origin] = object.origins
  try {
    // Retention may have removed the readable copy that a pointer names.
    if (object.spilled) archive.spill(object.ref)
  } catch (error) {
    // The content itself is at hand: the missing copy is worth a word, not a failure.
    if (!(error instanceof SpillwayError)) throw error
    onProblem(error)
  }
  const isText = typeof object.content === 'string'
  return {
    kind: 'content',
    raw: object.content,
    content: {
      ref: object.ref,
      bytes: object.bytes,
      mediaType: object.mediaType,
      tool: origin?.tool ?? '',
      target: origin?.target ?? '',
      source: origin?.source ?? '',
      session: origin?.session ?? '',
      archive: archive.folder,
      encoding: isText ? 'utf8' : 'base64',
      content: typeof object.content === 'string' ? object.content : object.content.toString('base64'),
    },
  }
}
