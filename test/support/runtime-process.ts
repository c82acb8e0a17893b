/**
 * A Runtime in a process of its own, so that it can be killed like one: started by tsx from the sources, told words over
 * IPC, its result written to a file.
 */
import { execFileSync, fork } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentSpec, RuntimeOptions, StepResult } from '../../src/agent/index.ts'

const project = resolve(import.meta.dirname, '../..')

export interface RuntimeProcess {
  readonly pid: number
  interrupt(message: string): void
  kill(): void
  /** The binary that works for it now, as far as it has one. */
  killBinary(): void
  /** Undefined when it was killed. */
  readonly ended: Promise<StepResult | undefined>
}

/** @param resume go on with the session that the step used last */
export function startRuntimeProcess(
  folder: string,
  options: RuntimeOptions,
  spec: AgentSpec,
  prompt: string,
  resume: boolean,
): RuntimeProcess {
  const script = join(folder, 'runtime-process.mjs')
  const result = join(folder, 'runtime-result.json')
  rmSync(result, { force: true })
  const json = JSON.stringify
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs'
     import { Runtime } from ${json(join(project, 'src/agent/index.ts'))}
     const runtime = new Runtime(${json(options)})
     process.on('message', (message) => runtime.interrupt(message))
     const spec = ${json(spec)}
     const last = ${resume} ? { resume: runtime.lastSession(spec.name) } : {}
     const result = await runtime.run(spec, ${json(prompt)}, last)
     await runtime.close()
     writeFileSync(${json(result)}, JSON.stringify(result))
     process.disconnect()`,
  )
  const child = fork(script, {
    cwd: project,
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<StepResult | undefined>((done) =>
    child.once('exit', () => done(existsSync(result) ? JSON.parse(readFileSync(result, 'utf8')) : undefined)),
  )
  return {
    pid: child.pid ?? 0,
    interrupt: (message) => child.send(message),
    kill: () => child.kill('SIGKILL'),
    killBinary: () => {
      for (const pid of binariesOf(child.pid ?? 0)) process.kill(pid, 'SIGKILL')
    },
    ended,
  }
}

/** The Claude Code processes that this process has started. */
export function binariesOf(parent: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  return [...rows.matchAll(/^\s*(\d+)\s+(\d+)\s+claude/gm)].flatMap(([, pid, of]) =>
    Number(of) === parent ? [Number(pid)] : [],
  )
}
