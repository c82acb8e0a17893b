/**
 * The workbench (F3): scripts that are run again, long outputs, decisions, on disk, where compaction cannot clear
 * them; and the index of them that agents get.
 */
import { lstatSync, mkdirSync, realpathSync, utimesSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { SpillwayError } from '../../core/errors.ts'
import { readPlainFile } from '../../sessions/plain-file.ts'
import { replaceFile } from '../lineage/shared-json.ts'
import { cutLines, renderChanges, renderIndex } from './render.ts'
import { folderScanner } from './scan.ts'
import { WORKBENCH_TEXTS, type WorkbenchTexts } from './texts.ts'

export const WORKBENCH_FOLDERS = ['scripts', 'artifacts', 'notes'] as const
export const WORKBENCH_INDEX = 'INDEX.md'
/** Files a folder that are listed, the newest used ones. */
export const DEFAULT_INDEX_ENTRIES = 40
const PROJECT_FOLDER = '.spillway'
/** The binary puts longer context into a file and shows 2 KB of it. */
const MOST_CONTEXT_CHARS = 9000

/** What was in the workbench at one moment: plain JSON, to keep with a generation. */
export interface WorkbenchIndex {
  readonly version: 1
  readonly folders: readonly IndexFolder[]
}

export interface IndexFolder {
  readonly name: (typeof WORKBENCH_FOLDERS)[number]
  /** The folder as the agents name it: relative to the workspace, absolute outside of it. */
  readonly path: string
  /** The newest used, sorted by path. */
  readonly entries: readonly IndexEntry[]
  /** Further files that are not listed. */
  readonly more: number
}

export interface IndexEntry {
  readonly path: string
  readonly description: string
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly modified: number
}

export interface Workbench {
  /** Absolute. */
  readonly folder: string
  /** As agents name it: relative to the workspace, absolute outside of it. */
  readonly name: string
  /** Looks at the folders, writes `INDEX.md` where it changed, and returns what is there now. */
  refresh(): WorkbenchIndex
  /** What the coordinator's system prompt gets: give it the generation's index, so that the text never changes. */
  promptBlock(index: WorkbenchIndex): string
  /** What a worker is told as it starts; always what is there now. At most 9,000 characters. */
  subagentContext(): string
  /** What has changed since this index, a line a file, for the coordinator at an epoch; empty when nothing has. */
  changesSince(index: WorkbenchIndex): string
  /** Is this file or folder, by its real path, in one of the workbench's folders, or one of them? */
  holds(path: string): boolean
  /** Notes that a file was used; the list keeps the newest used. What is not there is no matter. */
  used(path: string): void
}

export interface WorkbenchOptions {
  readonly workspace: string
  /** Default `<workspace>/.spillway`. Outside the repository where workers are isolated. */
  readonly folder?: string
  /** Default 40. */
  readonly mostEntries?: number
  readonly texts?: Partial<WorkbenchTexts>
}

/**
 * Opens the workbench and makes its folders, 0700, with a `.gitignore`.
 * @throws SpillwayError `not-found` for a workspace that is not there, `unwritable` where the folders cannot be made
 */
export function openWorkbench(options: WorkbenchOptions): Workbench {
  const { mostEntries = DEFAULT_INDEX_ENTRIES } = options
  const texts = { ...WORKBENCH_TEXTS, ...options.texts }
  const workspace = realFolder(options.workspace)
  const folder = madeFolder(resolve(workspace, options.folder ?? PROJECT_FOLDER))
  const inside = relative(workspace, folder)
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
  const name = isInside ? inside : folder
  const scanners = WORKBENCH_FOLDERS.map((each) => {
    const scan = folderScanner(join(folder, each), mostEntries)
    return { each, path: `${name}/${each}`, scan }
  })

  const look = (): WorkbenchIndex => ({
    version: 1,
    folders: scanners.map(({ each, path, scan }) => {
      const { files, more } = scan()
      const entries = files.map(({ name: file, ...facts }) => ({ path: `${path}/${file}`, ...facts }))
      return { name: each, path, entries, more }
    }),
  })
  const holds = (path: string): boolean => {
    // What was just removed was in the folder that is still there.
    const real = realOf(path) ?? realOf(dirname(path))
    return real !== undefined && WORKBENCH_FOLDERS.some((each) => `${real}${sep}`.startsWith(join(folder, each) + sep))
  }
  return {
    folder,
    name,
    refresh() {
      const index = look()
      const text = `# Workbench\n\n${renderIndex(index, texts)}\n`
      const file = join(folder, WORKBENCH_INDEX)
      if (contentOf(file) !== text) replaceFile(file, text)
      return index
    },
    promptBlock: (index) => `${texts.coordinator(name)}\n${renderIndex(index, texts)}`,
    subagentContext: () => cutLines(`${texts.worker(folder)}\n${renderIndex(look(), texts)}`, MOST_CONTEXT_CHARS),
    changesSince: (index) => cutLines(renderChanges(index, look(), texts), MOST_CONTEXT_CHARS),
    holds,
    used(path) {
      if (!holds(path)) return
      const state = lstatSync(path, { throwIfNoEntry: false })
      if (state?.isFile()) utimesSync(path, Date.now() / 1000, state.mtimeMs / 1000)
    },
  }
}

function realFolder(workspace: string): string {
  try {
    const real = realpathSync(workspace)
    if (lstatSync(real).isDirectory()) return real
  } catch {
    // Told below, in our words.
  }
  throw new SpillwayError('not-found', `${workspace}: the workspace is no folder`)
}

function madeFolder(folder: string): string {
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
    const state = lstatSync(folder)
    // A project may come from a stranger: its workbench must not lead elsewhere.
    if (state.isSymbolicLink()) throw new SpillwayError('unwritable', `${folder}: is a symbolic link`)
    for (const each of WORKBENCH_FOLDERS) {
      mkdirSync(join(folder, each), { recursive: true, mode: 0o700 })
      if (lstatSync(join(folder, each)).isSymbolicLink()) {
        throw new SpillwayError('unwritable', `${join(folder, each)}: is a symbolic link`)
      }
    }
    const ignore = join(folder, '.gitignore')
    const isOurs = made || basename(folder) === PROJECT_FOLDER
    if (isOurs && !lstatSync(ignore, { throwIfNoEntry: false })) replaceFile(ignore, '*\n')
    return realpathSync(folder)
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SpillwayError('unwritable', `${folder}: the workbench cannot be made there: ${reason}`, { cause })
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readPlainFile(file).toString('utf8')
  } catch {
    // Not there yet, or not to be read: it is written anew.
    return undefined
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // A file that is not there is not in the workbench.
    return undefined
  }
}
