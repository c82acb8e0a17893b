import { spawn } from 'node:child_process'
import { isAbsolute, resolve, sep } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { classify } from '../shell/index.ts'

/** Milliseconds after which a glance is ended: a pipe or a loop that never ends cannot be seen in its text. */
export const GLANCE_TIMEOUT_MS = 10_000
/** Bytes of standard output and error together after which a glance is ended. */
export const GLANCE_OUTPUT_BYTES = 256 * 1024

export interface RunGlanceOptions {
  /** The directory in which the command runs. */
  readonly cwd: string
  readonly timeoutMs?: number
  readonly outputBytes?: number
}

/** `ran: false`: the command is no glance, `reason` says why. Output is cut to the cap; `stopped` says why it ended. */
export type GlanceRun =
  | { readonly ran: false; readonly reason: string }
  | {
      readonly ran: true
      /** `undefined` when the command was stopped. */
      readonly exitCode: number | undefined
      readonly stdout: string
      readonly stderr: string
      readonly stopped: 'timeout' | 'output' | undefined
    }

/**
 * Runs a command that `classify` allows, and no other, as safely as we know how: standard input is /dev/null, a
 * timeout and an output cap end it with all its children, the environment is minimal, no shell start-up file is read,
 * and git neither runs the programs that a repository's configuration names nor rewrites its index (seed F10).
 * Throws `SpillwayError('unavailable')` when bash cannot be started.
 */
export async function runGlance(command: string, options: RunGlanceOptions): Promise<GlanceRun> {
  const { cwd, timeoutMs = GLANCE_TIMEOUT_MS, outputBytes = GLANCE_OUTPUT_BYTES } = options
  const verdict = classify(command, { cwd })
  if (!verdict.allow) return { ran: false, reason: verdict.reason }

  return await new Promise((done, failed) => {
    const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', command], {
      cwd,
      env: glanceEnvironment(cwd, process.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that its children end with it.
      detached: true,
    })
    const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
    let kept = 0
    let stopped: 'timeout' | 'output' | undefined

    const stop = (why: 'timeout' | 'output'): void => {
      stopped ??= why
      endGroup(child.pid)
    }
    const timer = setTimeout(() => stop('timeout'), timeoutMs)
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        const room = outputBytes - kept
        if (room > 0) chunks[name].push(chunk.subarray(0, room))
        kept += chunk.length
        if (chunk.length > room) stop('output')
      })
    }
    child.on('error', (cause) => {
      clearTimeout(timer)
      failed(new SpillwayError('unavailable', `bash could not be started in ${cwd}: ${cause.message}`, { cause }))
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      const [stdout, stderr] = [chunks.stdout, chunks.stderr].map((list) => Buffer.concat(list).toString('utf8'))
      const exitCode = stopped === undefined ? (code ?? undefined) : undefined
      done({ ran: true, exitCode, stdout: stdout ?? '', stderr: stderr ?? '', stopped })
    })
  })
}

/** Ends a process and its children; they may have ended by themselves meanwhile. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Settings that keep git from running what a repository's own configuration names, and from writing its index. */
const GIT_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'keep',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'diff.autoRefreshIndex': 'false',
  'log.showSignature': 'false',
}

/**
 * `diff.external` and the text converters of a repository are programs too, and no setting switches them off; the
 * options do. Bash finds this function before the program. A glance behind `timeout` or `env` bypasses it.
 */
const GIT_FUNCTION = `() {
  local before=() verb
  while [ $# -gt 0 ]; do
    case $1 in
      -C | -c) before+=("$1" "$2"); shift 2 ;;
      -*) before+=("$1"); shift ;;
      *) break ;;
    esac
  done
  verb=\${1-}
  case $verb in
    diff | log | show | whatchanged | diff-files | diff-index | diff-tree)
      shift
      command git "\${before[@]}" "$verb" --no-ext-diff --no-textconv "$@" ;;
    blame | annotate)
      shift
      command git "\${before[@]}" "$verb" --no-textconv "$@" ;;
    *) command git "\${before[@]}" "$@" ;;
  esac
}`

/** Of the caller's environment, what a look needs; everything else may hold secrets or steer programs. */
const KEPT_NAMES = ['HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'XDG_RUNTIME_DIR']

/** The environment of a glance. Exported for the sandbox test, which runs commands in the same one. */
export function glanceEnvironment(
  cwd: string,
  from: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: trustedPath(cwd, from.PATH),
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GH_PAGER: 'cat',
    SYSTEMD_PAGER: 'cat',
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(Object.keys(GIT_SETTINGS).length),
    'BASH_FUNC_git%%': GIT_FUNCTION,
  }
  Object.entries(GIT_SETTINGS).forEach(([key, value], at) => {
    environment[`GIT_CONFIG_KEY_${at}`] = key
    environment[`GIT_CONFIG_VALUE_${at}`] = value
  })
  for (const name of KEPT_NAMES) {
    const value = from[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** Only absolute folders outside of the working directory: a project must not be able to bring its own `ls`. */
function trustedPath(cwd: string, path = '/usr/local/bin:/usr/bin:/bin'): string {
  const inside = `${resolve(cwd)}${sep}`
  return path
    .split(':')
    .filter((folder) => isAbsolute(folder) && !`${resolve(folder)}${sep}`.startsWith(inside))
    .join(':')
}
