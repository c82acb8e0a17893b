/** `spillway once` and `spillway setup` as a person runs them: the built program, the real binary, a scripted model. */

import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readManifest } from '../src/agent/lineage/manifest.ts'
import { answer, call, type ReceivedRequest, type Reply, say, think } from '../src/testing/index.ts'
import { type AgentStage, agentStage, isWorker } from './support/agent-stage.ts'
import { claudeCodeBinary } from './support/claude-code.ts'
import { builtCli, documentOf, type Run, spillway } from './support/cli.ts'
import { noticeMissing } from './support/shared.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

const MODEL = 'claude-opus-5-5'
const KEY = 'sk-ant-test-0123456789abcdef'

function lead(request: ReceivedRequest): Reply {
  const last = JSON.stringify(request.body.messages.findLast((message) => message.role === 'user'))
  if (isWorker(request)) {
    return last.includes('tool_result')
      ? answer(say('Conclusion: two files.'))
      : answer(call('Bash', { command: 'seq 1 3000', description: 'Count' }))
  }
  if (last.includes('again')) return answer(say('Still two.'))
  return last.includes('tool_result')
    ? answer(say('There are two files.'))
    : answer(
        think('Ask.'),
        say('I ask the scout.'),
        call('Agent', { description: 'Count', prompt: 'Count.', subagent_type: 'scout' }),
      )
}

describe.skipIf(!binary)('spillway once', () => {
  let stage: AgentStage
  const once = (...words: string[]): Promise<Run> =>
    spillway(['once', ...words], { cwd: stage.home.project, env: stage.environment() })

  beforeEach(async () => {
    stage = await agentStage(lead)
  })
  afterEach(() => stage.close())

  it('prints what the agent says, and beside it what happens', async () => {
    const run = await once('count the files', '--model', MODEL)
    expect([run.code, run.stdout]).toEqual([0, 'I ask the scout.\nThere are two files.\n'])
    expect(run.stderr).toContain('→ scout: Count')
    expect(run.stderr).toMatch(/✓ scout: Count \(1 calls, [\d,]+ tokens/)
    expect(run.stderr).toMatch(
      /done: 2 turns, context [\d,]+ tokens · \$0\.\d\d · 1 spilled, 13,892 characters · session/,
    )
    // No terminal: no colours, nothing drawn twice.
    expect(run.stderr).not.toContain('\u001b')
  })

  it('prints only the answer with --quiet, and goes on with --resume', async () => {
    expect((await once('count', '--model', MODEL, '--quiet')).stdout).toBe('There are two files.\n')
    const again = await once('count again', '--model', MODEL, '--quiet', '--resume')
    expect([again.code, again.stdout]).toEqual([0, 'Still two.\n'])
    expect(JSON.stringify(stage.model.requests.at(-1)?.body.messages)).toContain('There are two files.')
  })

  it('prints an event a line with --json, and the run directory can be analyzed', async () => {
    const run = await once('count', '--model', MODEL, '--json')
    const events = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events[0]).toMatchObject({ type: 'step', state: 'started' })
    expect(events.some(({ type, worker }) => type === 'tool_call' && worker !== undefined)).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'step-result', ok: true, answer: 'There are two files.', turns: 2 })
    const analysis = documentOf(await spillway(['analyze', '.spillway/run', '--json'], { cwd: stage.home.project }))
    expect(analysis).toMatchObject({
      delegation: { mainCalls: 1, workerCalls: 1, turnShare: 0.5 },
      spills: { count: 1, characters: 13_892 },
      steps: [{ step: 'spillway', state: 'done', attempts: 1, turns: 2 }],
    })
    const shown = await spillway(['analyze', '.spillway/run'], { cwd: stage.home.project })
    expect(shown.stdout).toMatch(/characters in workers +\d/)
    expect(shown.stdout).toMatch(/calls, main : workers +1 : 1/)
  })

  it('ends with 1 and says why when the model refuses', async () => {
    await stage.close()
    stage = await agentStage(() => ({ status: 401, errorType: 'authentication_error', message: 'invalid x-api-key' }))
    const run = await once('count', '--model', MODEL, '--quiet')
    expect([run.code, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toMatch(
      /^spillway: fatal: Invalid API key.*\nspillway: the key was refused; spillway setup writes another one\n$/,
    )
  })

  it('ends on Ctrl-C with its books closed, and can be resumed', async () => {
    await stage.close()
    stage = await agentStage((request) => {
      const last = JSON.stringify(request.body.messages.findLast((message) => message.role === 'user'))
      if (last.includes('again')) return answer(say('Here I am.'))
      return answer(call('Agent', { description: 'Sleep', prompt: 'Sleep.', subagent_type: 'scout' }))
    })
    const child = spawn(process.execPath, [builtCli(), 'once', 'sleep', '--model', MODEL], {
      cwd: stage.home.project,
      env: stage.environment(),
    })
    let stderr = ''
    child.stderr.on('data', (text) => {
      const before = stderr.includes('→ scout')
      stderr += text
      if (!before && stderr.includes('→ scout')) child.kill('SIGINT')
    })
    const code = await new Promise((done) => child.once('close', done))
    expect([code, stderr]).toEqual([1, expect.stringContaining('spillway: aborted: the step was ended from outside')])
    const [row] = readManifest(join(stage.home.project, '.spillway/run'))
    expect(row?.state).toBe('stopped')
    expect((await once('again', '--model', MODEL, '--quiet', '--resume')).stdout).toBe('Here I am.\n')
    expect(stage.refusals()).toEqual([])
  })

  it('uses what spillway setup has written', async () => {
    const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: url, ...rest } = stage.environment()
    const env = { ...rest, HOME: stage.home.project }
    const options = { cwd: stage.home.project, env }
    const wrong = await spillway(['once', 'count', '--preset', 'zz'], options)
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no "zz"') })
    const without = await spillway(['once', 'count'], options)
    expect([without.code, without.stderr]).toEqual([
      1,
      'spillway: no credentials for Claude: run spillway setup, or set ANTHROPIC_API_KEY\n',
    ])
    const setup = await spillway(['setup', '--api-key-stdin', '--base-url', url ?? ''], {
      ...options,
      input: `${KEY}\n`,
    })
    expect(setup.code).toBe(0)
    const run = await spillway(['once', 'count', '--model', MODEL, '--quiet'], options)
    expect([run.code, run.stdout]).toEqual([0, 'There are two files.\n'])
    expect(stage.model.requests[0]?.headers['x-api-key']).toBe(KEY)
  })
})

describe('spillway setup', () => {
  let home: string
  const setup = (words: string[], options: { input?: string; env?: Record<string, string> } = {}): Promise<Run> =>
    spillway(['setup', ...words], { cwd: home, ...options })
  const file = (): string => join(home, '.config', 'spillway', 'credentials.json')

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-setup-')))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  it('writes a file for its owner only, and never shows the key', async () => {
    const run = await setup(['--api-key-stdin'], { input: `${KEY}\n` })
    expect(run.code).toBe(0)
    expect(run.stdout + run.stderr).not.toContain(KEY)
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ version: 1, apiKey: KEY })
    expect([statSync(file()).mode & 0o777, statSync(dirname(file())).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('writes nothing with --dry-run', async () => {
    const run = await setup(['--api-key-stdin', '--dry-run'], { input: KEY })
    expect(run.stdout).toBe(`would write ${file()}: an API key (…cdef)\n`)
    expect(existsSync(file())).toBe(false)
  })

  it('prints one document with --json, without a secret', async () => {
    const run = await setup(['--api-key-stdin', '--json'], { input: KEY })
    const document = { file: file(), written: true, replaces: false, apiKey: true, authToken: false, baseUrl: null }
    expect(documentOf(run)).toEqual(document)
    expect(documentOf(await setup(['--api-key-stdin', '--json'], { input: KEY }))).toEqual({
      ...document,
      replaces: true,
    })
  })

  it('takes the environment, below XDG_CONFIG_HOME', async () => {
    const env = {
      XDG_CONFIG_HOME: join(home, 'xdg'),
      ANTHROPIC_AUTH_TOKEN: 't0ken-of-a-gateway',
      ANTHROPIC_BASE_URL: 'https://gateway.local',
    }
    expect((await setup(['--from-env'], { env })).code).toBe(0)
    expect(JSON.parse(readFileSync(join(home, 'xdg/spillway/credentials.json'), 'utf8'))).toEqual({
      version: 1,
      authToken: 't0ken-of-a-gateway',
      baseUrl: 'https://gateway.local',
    })
  })

  it.each([
    [[], '', /nobody can be asked here/],
    [['--api-key-stdin'], '', /is empty/],
    [['--api-key-stdin'], 'two words', /spaces/],
    [['--api-key-stdin', '--base-url', 'gateway'], KEY, /--base-url: expected an address/],
    [['--from-env'], '', /neither ANTHROPIC_API_KEY/],
    [['--from-env', '--api-key-stdin'], KEY, /exclude each other/],
  ] as const)('refuses %j with %j', async (words, input, message) => {
    const run = await setup([...words], { input })
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(message)
    expect(existsSync(file())).toBe(false)
  })
})

/** The built package beside every dependency but the Agent SDK. */
describe('without the Agent SDK', () => {
  let home: string
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-bare-')))
    const modules = resolve(import.meta.dirname, '../node_modules')
    cpSync(dirname(dirname(builtCli())), join(home, 'dist'), { recursive: true })
    mkdirSync(join(home, 'node_modules'))
    for (const name of [
      '@clack',
      'better-sqlite3',
      'bindings',
      'cli-progress',
      'cli-table3',
      'commander',
      'file-uri-to-path',
      'fzstd',
      'picocolors',
      'proper-lockfile',
      'unbash',
      'zod',
    ]) {
      symlinkSync(join(modules, name), join(home, 'node_modules', name))
    }
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const run = (...words: string[]): { code: number; out: string } => {
    try {
      const env = { PATH: process.env.PATH ?? '', HOME: home, ANTHROPIC_API_KEY: 'dummy' }
      return {
        code: 0,
        out: execFileSync(process.execPath, words, { cwd: home, env, encoding: 'utf8', stdio: 'pipe' }),
      }
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string }
      return { code: status, out: stderr }
    }
  }
  const cli = (...words: string[]) => run(join(home, 'dist/cli/main.js'), ...words)
  const evaluated = (text: string) => run('--input-type=module', '-e', text)

  it('once says in one line how to get it', () => {
    expect(cli('once', 'count')).toEqual({
      code: 1,
      out: 'spillway: running agents needs the Claude Agent SDK: npm install @anthropic-ai/claude-agent-sdk\n',
    })
  })

  it('everything else works', () => {
    const example = resolve(import.meta.dirname, '../examples/long.jsonl')
    expect(cli('analyze', example, '--json').code).toBe(0)
    expect(cli('compact', example, '-o', join(home, 'out.jsonl'), '--archive', join(home, 'archive')).code).toBe(0)
    expect(cli('doctor', join(home, 'out.jsonl')).code).toBe(0)
    expect(cli('glance', 'git status').code).toBe(0)
    expect(cli('--help')).toMatchObject({ code: 0, out: expect.stringContaining('once') })
    for (const door of ['index.js', 'stores/index.js', 'agent/index.js', 'testing/index.js']) {
      expect(evaluated(`await import(${JSON.stringify(join(home, 'dist', door))})`)).toEqual({ code: 0, out: '' })
    }
  })

  it('a Runtime is made, and says what is missing when it is to run', () => {
    const text = `import { agentSpec, Runtime } from ${JSON.stringify(join(home, 'dist/agent/index.js'))}
      const runtime = new Runtime({ workspace: ${JSON.stringify(home)} })
      await runtime.run(agentSpec({ name: 'a', instructions: '' }), 'x').catch((error) => console.log(error.code, error.message))
      await runtime.close()`
    expect(evaluated(text).out).toMatch(/^unavailable running agents needs the Claude Agent SDK/)
  })
})
