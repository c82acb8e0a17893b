/**
 * The runtime: runs agents over the Claude Agent SDK with all four layers of the economy, keeps books of it, and goes on
 * after whatever broke. Importing this needs no SDK; running does.
 */
import { realpathSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { SpillwayError } from '../../core/errors.ts'
import { lastSession } from '../lineage/lineage.ts'
import type { AgentSpec } from '../roles/agent-spec.ts'
import { type OpenRuntime, openRuntime, runDirectoryOf } from './open-runtime.ts'
import type { RuntimeOptions, StepOptions, StepResult } from './options.ts'
import { type RunningStep, startStep } from './step.ts'

/** A process that gets one of these is to end; its books are completed first. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const

export class Runtime {
  readonly workspace: string
  readonly runDirectory: string
  readonly #options: RuntimeOptions
  readonly #running = new Set<RunningStep>()
  #opened: Promise<OpenRuntime> | undefined
  #open: OpenRuntime | undefined

  /** @throws SpillwayError `usage` for a workspace that is no folder */
  constructor(options: RuntimeOptions) {
    this.workspace = existingFolder(options.workspace)
    this.#options = { ...options, workspace: this.workspace }
    this.runDirectory = runDirectoryOf(this.#options)
  }

  /**
   * Runs an agent on a prompt until it is done. What goes wrong with the model or the connection is in the result;
   * what is wrong with the call or the machine is thrown.
   * @throws SpillwayError `unavailable` (no SDK, no SQLite), `not-found` (`resume`), `usage` (isolated workers and a
   * workbench inside the workspace), `unwritable`, `newer-version`
   */
  async run(spec: AgentSpec, prompt: string, options: StepOptions = {}): Promise<StepResult> {
    const ready = await this.#ready()
    refuseWorkbenchInside(ready, spec)
    const step = startStep(ready, spec, prompt, options)
    this.#running.add(step)
    if (this.#running.size === 1) this.#listen()
    try {
      return await step.result
    } finally {
      this.#running.delete(step)
      if (this.#running.size === 0) this.#unlisten()
    }
  }

  /** A person's words: the running turn ends at its next boundary and the session goes on with them. False: nothing runs. */
  interrupt(message: string): boolean {
    for (const step of this.#running) step.interrupt(message)
    return this.#running.size > 0
  }

  /** The session that a step used last in this workspace, to `resume` it. */
  lastSession(stepName: string): string | undefined {
    return lastSession(this.runDirectory, this.workspace, stepName)
  }

  /** Completes the books at once and ends what runs; done for SIGTERM and SIGHUP by itself while something runs. */
  rescue(): void {
    this.#open?.books.closeAll()
    for (const step of this.#running) step.abort()
  }

  /** Ends what runs and closes the stores. */
  async close(): Promise<void> {
    for (const step of this.#running) step.abort()
    await Promise.allSettled([...this.#running].map(({ result }) => result))
    const opened = this.#opened
    this.#opened = undefined
    this.#open = undefined
    await (await opened)?.close()
  }

  async #ready(): Promise<OpenRuntime> {
    this.#opened ??= openRuntime(this.#options, this.workspace)
    try {
      this.#open = await this.#opened
      return this.#open
    } catch (error) {
      // What is missing now may be there the next time.
      this.#opened = undefined
      throw error
    }
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#unlisten()
    this.rescue()
    // Only our listening kept the signal from ending the process.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }

  /** In front: whoever else listens may end the process. */
  #listen(): void {
    for (const signal of SIGNALS) process.prependListener(signal, this.#onSignal)
  }

  #unlisten(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal)
  }
}

/** A worktree has a copy of the workspace: what lies inside would be there twice, and one of them would be thrown away. */
function refuseWorkbenchInside({ workbench, workspace }: OpenRuntime, spec: AgentSpec): void {
  const isolated = Object.entries(spec.agents).find(([, { isolate }]) => isolate)
  if (!isolated || !workbench || relative(workspace, workbench.folder).startsWith('..')) return
  const message = `${isolated[0]} works in a worktree of its own: name a workbench outside ${workspace} (workbench: '/a/folder')`
  throw new SpillwayError('usage', message)
}

/** The real path: the binary names a session's folder by it. */
function existingFolder(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // Said below: in both cases there is no such folder.
  }
  throw new SpillwayError('usage', `workspace: ${path} is no folder`)
}
