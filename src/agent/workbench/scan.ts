/** What lies in a folder of the workbench: the newest used files, and how many there are beside them. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { describe } from './description.ts'
import { headOfFile } from './file-head.ts'
import { isSame } from './render.ts'

/** Deeper folders and further files are not looked at: a workbench is no place for a source tree. */
const MOST_DEPTH = 8
const MOST_FILES = 20_000

export interface FoundFile {
  /** Relative to the folder. */
  readonly name: string
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly modified: number
  readonly description: string
}

export interface FolderScan {
  /** Sorted by name. */
  readonly files: readonly FoundFile[]
  readonly more: number
}

interface Known {
  readonly bytes: number
  readonly modified: number
  readonly description: string
}

/** Looks at a folder again and again: a file that has not changed is not opened twice. */
export function folderScanner(folder: string, most: number): () => FolderScan {
  let known = new Map<string, Known>()
  return () => {
    const found: { name: string; state: Stats }[] = []
    collect(folder, '', 0, found)
    const newest = found.sort(
      (one, other) => lastUse(other.state) - lastUse(one.state) || compare(one.name, other.name),
    )
    const described = new Map<string, Known>()
    const files = newest.slice(0, most).map(({ name, state }) => {
      const before = known.get(name)
      const facts = { bytes: state.size, modified: Math.round(state.mtimeMs) }
      const unchanged = before !== undefined && isSame(before, facts)
      const description = unchanged ? before.description : describe(headOfFile(join(folder, name)))
      described.set(name, { ...facts, description })
      return { name, ...facts, description }
    })
    known = described
    return { files: files.sort((one, other) => compare(one.name, other.name)), more: found.length - files.length }
  }
}

/** Written or used: the guard notes a use as the time of last access. */
function lastUse(state: Stats): number {
  return Math.max(state.mtimeMs, state.atimeMs)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Plain files only: a link may lead to what nobody meant to show. */
function collect(root: string, below: string, depth: number, found: { name: string; state: Stats }[]): void {
  let items: Dirent[]
  try {
    items = readdirSync(join(root, below), { withFileTypes: true })
  } catch {
    // Not there (any more), or not to be read: nothing to list.
    return
  }
  for (const item of items) {
    if (found.length >= MOST_FILES) return
    const name = below === '' ? item.name : `${below}/${item.name}`
    if (item.name.startsWith('.') || item.name === 'node_modules') continue
    if (item.isDirectory() && depth < MOST_DEPTH) collect(root, name, depth + 1, found)
    if (!item.isFile()) continue
    const state = lstatSync(join(root, name), { throwIfNoEntry: false })
    if (state) found.push({ name, state })
  }
}
