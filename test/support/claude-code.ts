/**
 * Runs the real Claude Code binary of the Agent SDK against a scripted model, on loopback only, in a home of its
 * own: no setting, credential or session of the person who runs the tests is read or written.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'

const require = createRequire(import.meta.url)

/** The binary's path, or undefined where the SDK was installed without it. */
export function claudeCodeBinary(): string | undefined {
  const packages = [`claude-agent-sdk-${process.platform}-${process.arch}`]
  if (process.platform === 'linux') packages.push(`${packages[0]}-musl`)
  for (const name of packages) {
    try {
      const path = join(dirname(require.resolve(`@anthropic-ai/${name}/package.json`)), 'claude')
      if (existsSync(path)) return path
    } catch {
      // Not installed for this platform: the next candidate, or none.
    }
  }
  return undefined
}

/** The folders one simulated user has. */
export interface ClaudeHome {
  readonly root: string
  readonly config: string
  /** The working folder of its sessions. */
  readonly project: string
  /** Where its session files are: `<config>/projects/<sanitized project>`. */
  readonly sessions: string
  remove(): void
}

/** @param root made when absent; a temporary folder by default. */
export function createClaudeHome(root?: string): ClaudeHome {
  const home = realpathSync(root ? made(root) : mkdtempSync(join(tmpdir(), 'spillway-claude-')))
  const config = made(join(home, 'config'))
  const project = made(join(home, 'project'))
  made(join(home, 'tmp'))
  const sessions = made(join(config, 'projects', project.replace(/[^a-zA-Z0-9]/g, '-')))
  return { root: home, config, project, sessions, remove: () => rmSync(home, { recursive: true, force: true }) }
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true })
  return folder
}

export interface ClaudeRun {
  readonly messages: SDKMessage[]
  /** What query() threw, if it did: after an abort, an interrupt or a final API error it does. */
  readonly error: unknown
}

/** Options of a run that tests set; the rest is what every run needs (see `optionsFor`). */
export type RunOptions = Partial<Options> & {
  readonly prompt: string
  /** Called for each message while the run goes on (to interrupt at a known point). */
  readonly onMessage?: (message: SDKMessage, control: RunControl) => void
}

export interface RunControl {
  interrupt(): Promise<unknown>
  abort(): void
}

/** One run to its end. */
export async function runClaudeCode(home: ClaudeHome, modelUrl: string, run: RunOptions): Promise<ClaudeRun> {
  const { query } = await import('@anthropic-ai/claude-agent-sdk')
  const { prompt, onMessage, ...options } = run
  const abortController = new AbortController()
  const env = environmentFor(home, modelUrl)
  // Interrupts and permission questions need a person at the other end of the input: it stays open until the result.
  const person = new Person(prompt)
  const spoken = onMessage || options.canUseTool ? person.words() : prompt
  const running = query({ prompt: spoken, options: { ...optionsFor(home), env, abortController, ...options } })
  const control = { interrupt: () => running.interrupt(), abort: () => abortController.abort() }
  const messages: SDKMessage[] = []
  let error: unknown
  try {
    for await (const message of running) {
      messages.push(message)
      if (message.type === 'result') person.leave()
      onMessage?.(message, control)
    }
  } catch (thrown) {
    error = thrown
  } finally {
    person.leave()
  }
  return { messages, error }
}

/** Says one thing and then waits, until told to leave. */
class Person {
  readonly #prompt: string
  readonly #left: Promise<void>
  leave: () => void = () => undefined

  constructor(prompt: string) {
    this.#prompt = prompt
    this.#left = new Promise((resolve) => {
      this.leave = resolve
    })
  }

  async *words(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: this.#prompt }, parent_tool_use_id: null }
    await this.#left
  }
}

function optionsFor(home: ClaudeHome): Options {
  return {
    cwd: home.project,
    settingSources: [],
    permissionMode: 'default',
    allowedTools: ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent'],
    systemPrompt: { type: 'preset', preset: 'claude_code' },
  }
}

/** The whole environment of the child: everything else of the machine stays out. */
export function environmentFor(home: ClaudeHome, modelUrl: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home.root,
    CLAUDE_CONFIG_DIR: home.config,
    CLAUDE_CODE_TMPDIR: join(home.root, 'tmp'),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
}

/** Puts a recorded session where the binary looks for it, with the transcripts of its subagents. */
export function placeSession(home: ClaudeHome, file: string, sessionId: string): string {
  const target = join(home.sessions, `${sessionId}.jsonl`)
  copyFileSync(file, target)
  const beside = file.replace(/\.jsonl$/, '')
  if (existsSync(beside)) cpSync(beside, join(home.sessions, sessionId), { recursive: true })
  return target
}
