/** The real program as users run it: built by tsc into a folder of its own, one child process a run. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
let built: string | undefined
let builtFolder: string | undefined

// Workers of the test runner are killed, not ended: an exit handler would never run.
afterAll(() => {
  if (builtFolder !== undefined) rmSync(builtFolder, { recursive: true, force: true })
})

/** The built `main.js`. Inside node_modules, so that its imports resolve; not `dist`, which may be older than the sources. */
export function builtCli(): string {
  if (built !== undefined) return built
  const cache = join(project, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'spillway-cli-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  // Types are checked by `npm run types`; here only the code is needed.
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  const build = ['-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false', '--outDir', folder]
  execFileSync(process.execPath, [compiler, ...build], { cwd: project, stdio: 'inherit' })
  builtFolder = folder
  built = join(folder, 'cli', 'main.js')
  return built
}

export interface Run {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  /** Called once the process runs: to kill it, for instance. */
  readonly started?: (kill: () => void) => void
}

/** Runs `spillway …` with a home of its own (`cwd`), so that nothing of this machine is seen. */
export function spillway(words: readonly string[], options: RunOptions): Promise<Run> {
  const env = { PATH: process.env.PATH ?? '', HOME: options.cwd, ...options.env }
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [builtCli(), ...words], { cwd: options.cwd, env })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (text) => {
      stdout += text
    })
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.on('error', failed)
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }))
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    options.started?.(() => child.kill('SIGKILL'))
  })
}

/** The JSON document a run printed. */
export function documentOf(run: Run): Record<string, unknown> {
  if (run.stdout === '') throw new Error(`nothing on stdout; stderr: ${run.stderr}`)
  return JSON.parse(run.stdout)
}
