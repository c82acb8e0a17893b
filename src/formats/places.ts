/**
 * Where the sessions of each harness lie on this machine, how their files are named, and how one is resumed.
 * Facts only (reference: claude-agent-sdk section 4, openclaw-and-pi sections 2.1 and 5); the listing is `sessions/`.
 */
import { join } from 'node:path'
import { STORE_NAME } from './openclaw-store/index.ts'

/** Files that are no session of their own: OpenClaw's runtime traces. */
const NOT_A_SESSION = /\.trajectory\.jsonl$/
/** Codex: the time of its start, then its id. */
const ROLLOUT = /^rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-(.+)$/
/** Claude Code cuts longer folder names and appends a hash, so that the start is all that can be compared. */
const MOST_FOLDER_CHARS = 200

export interface Place {
  readonly format: string
  readonly root: string
  /** Folder names between the root and the session files; `*` is any. */
  readonly levels: readonly string[]
  /** Databases that hold sessions: folder names below the root, then the file's name. */
  readonly store?: readonly string[]
  /** What each recorded call looks like in the bytes; cannot occur inside a JSON string, where quotes are escaped. */
  readonly callMark: string
  /** The session id in a file name without folder, undefined when the file is no session. */
  idOf(fileName: string): string | undefined
  /** Does the folder of this name hold the sessions of the working folder? Undefined when only the file knows. */
  holdsSessionsOf(folderName: string, cwd: string): boolean | undefined
}

/** The places to look in, from the environment (`CLAUDE_CONFIG_DIR`, `PI_CODING_AGENT_DIR`, `OPENCLAW_STATE_DIR`, `CODEX_HOME`) and the home folder. */
export function placesOf(environment: Readonly<Record<string, string | undefined>>, home: string): readonly Place[] {
  return [
    {
      format: 'claude-code',
      root: join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
      levels: ['*'],
      callMark: '"type":"tool_use"',
      idOf: (fileName) => (fileName.startsWith('agent-') ? undefined : withoutEnding(fileName)),
      holdsSessionsOf: (folderName, cwd) => {
        const expected = cwd.replace(/[^a-zA-Z0-9]/g, '-')
        if (expected.length <= MOST_FOLDER_CHARS) return folderName === expected
        return folderName.startsWith(expected.slice(0, MOST_FOLDER_CHARS))
      },
    },
    {
      format: 'pi',
      root: join(environment.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions'),
      levels: ['*'],
      callMark: '"type":"toolCall"',
      idOf: (fileName) => withoutEnding(fileName)?.replace(/^[^_]*_/, ''),
      holdsSessionsOf: (folderName, cwd) => folderName === `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`,
    },
    {
      format: 'openclaw',
      root: join(environment.OPENCLAW_STATE_DIR || join(home, '.openclaw'), 'agents'),
      levels: ['*', 'sessions'],
      store: ['*', 'agent', STORE_NAME],
      callMark: '"type":"toolCall"',
      idOf: (fileName) => withoutEnding(fileName)?.replace(/-topic-.*$/, ''),
      holdsSessionsOf: () => undefined,
    },
    {
      format: 'codex',
      root: join(environment.CODEX_HOME || join(home, '.codex'), 'sessions'),
      levels: ['*', '*', '*'],
      // Of `function_call`, `custom_tool_call` and `local_shell_call`, not of their outputs.
      callMark: '_call","',
      idOf: (fileName) => withoutEnding(fileName)?.match(ROLLOUT)?.[1],
      holdsSessionsOf: () => undefined,
    },
  ]
}

function withoutEnding(fileName: string): string | undefined {
  if (NOT_A_SESSION.test(fileName)) return undefined
  return /^(.+)\.jsonl(?:\.gz)?$/.exec(fileName)?.[1]
}

/** Is this file name, in a folder the user named, a session's main transcript? */
export function isSessionFile(fileName: string): boolean {
  return withoutEnding(fileName) !== undefined && !fileName.startsWith('agent-') && !fileName.startsWith('.')
}

/** The name a session file goes by in messages and default outputs: without folder, `.jsonl` and `.gz`. */
export function sessionName(fileName: string): string {
  return fileName.replace(/\.gz$/, '').replace(/\.jsonl$/, '')
}

/** The command that goes on with a session, to be run in its working folder. */
export function resumeCommand(format: string, id: string, file: string): string {
  if (format === 'pi') return `pi --session ${quote(file)}`
  if (format === 'openclaw') return `openclaw agent --session-id ${quote(id)} --message '…'`
  if (format === 'codex') return `codex resume ${quote(id)}`
  return `claude --resume ${quote(id)}`
}

function quote(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
