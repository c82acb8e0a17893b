/** Where a session's parts lie: `projects/<working folder>/<id>.jsonl`, `<id>/subagents/`, `<id>/tool-results/`. */

export interface Layout {
  /** The session id that the file's place promises. */
  readonly id: string
}

const MAIN_FILE = /(?:^|[/\\])projects[/\\][^/\\]+[/\\]([^/\\]+)\.jsonl(?:\.gz)?$/
const SUBAGENT_FILE = /(?:^|[/\\])projects[/\\][^/\\]+[/\\]([^/\\]+)[/\\]subagents[/\\]agent-[^/\\]+\.jsonl(?:\.gz)?$/

/** The session a file belongs to by its place; undefined outside a `projects/` folder, where names promise nothing. */
export function layoutOf(fileName: string | undefined): Layout | undefined {
  if (fileName === undefined) return undefined
  const id = SUBAGENT_FILE.exec(fileName)?.[1] ?? MAIN_FILE.exec(fileName)?.[1]
  return id === undefined ? undefined : { id }
}
