/**
 * The workbench (F3): scripts that are run again, long outputs, decisions, on disk, where compaction cannot clear
 * them; and the index of them that agents get.
 */

/** What was in the workbench at one moment: plain JSON, to keep with a generation. */
export interface WorkbenchIndex {
  readonly version: 1
  readonly folders: readonly IndexFolder[]
}

export interface IndexFolder {
  readonly name: 'scripts' | 'artifacts' | 'notes'
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
  readonly folder: string
  /** Looks at the folders, writes `INDEX.md` where it changed, and returns what is there now. */
  refresh(): WorkbenchIndex
  /** What the coordinator's system prompt gets: give it the generation's index, so that the text never changes. */
  promptBlock(index: WorkbenchIndex): string
  /** What a worker is told as it starts; always what is there now. At most 9,000 characters. */
  subagentContext(): string
  /** What has changed since the generation's index, for the coordinator at an epoch; empty when nothing has. */
  changesSince(index: WorkbenchIndex): string
}

export interface WorkbenchOptions {
  readonly workspace: string
  /** Default `<workspace>/.spillway`. Outside the repository where workers are isolated. */
  readonly folder?: string
}

export function openWorkbench(_options: WorkbenchOptions): Workbench {
  throw new Error('not yet')
}
