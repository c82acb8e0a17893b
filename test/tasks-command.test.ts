/** `spillway tasks`, and records written by a model in `tasks` and `compact`, as a person runs them. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, garbage, type Reply, type Script, say, scriptedModel } from '../src/testing/index.ts'
import { temporaryFolder } from './support/archive.ts'
import { answered, fileOf, said, text } from './support/claude-lines.ts'
import { documentOf, spillway } from './support/cli.ts'
import { delegatedRun } from './support/delegated-run.ts'

function prepared() {
  const home = temporaryFolder()
  writeFileSync(join(home, 'run.jsonl'), delegatedRun(40, { open: 1 }))
  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    spillway(words, { cwd: home, env: { XDG_DATA_HOME: join(home, 'data'), ...env } })
  return { home, run }
}

/** Writes what the facts allow; the report of a task ends with how many tests pass. */
function honest({ body }: { readonly body: { readonly messages: readonly { readonly content: unknown }[] } }): Reply {
  const prompt = String(body.messages.at(-1)?.content)
  const { hadErrors, ...facts } = JSON.parse(/Facts:\n(\{.*?\n\})/s.exec(prompt)?.[1] ?? '{}')
  const errors = hadErrors ? ['it could not run'] : []
  const result = /All \d+ tests pass/.exec(prompt)?.[0] ?? 'nothing came of it'
  return answer(
    say(JSON.stringify({ task: 'told by a model', result, ...facts, errors, triedAndFailed: [], toRemember: [] })),
  )
}

async function withModel<Result>(script: Script, work: (flags: readonly string[]) => Promise<Result>) {
  const served = await scriptedModel({ script })
  try {
    const result = await work(['--summaries-url', `${served.url}/v1`, '--summaries-model', 'local-1'])
    return { result, requests: served.requests }
  } finally {
    await served.close()
  }
}

describe('spillway tasks', () => {
  it('prints the contract, one entry a session', async () => {
    const { home, run } = prepared()
    writeFileSync(join(home, 'none.jsonl'), fileOf([said('u', null, 'hello'), answered('a', 'u', [text('hi')], 'm')]))
    const found = await run(['tasks', 'run.jsonl', 'none.jsonl', '--json'])
    expect(found).toMatchObject({ code: 0, stderr: '' })
    const { sessions } = documentOf(found) as { sessions: { tasks: Record<string, unknown>[] }[] }
    expect(sessions).toHaveLength(2)
    expect(sessions[1]).toMatchObject({ file: 'none.jsonl', tasks: [] })
    const tasks = sessions[0]?.tasks ?? []
    expect(tasks).toHaveLength(40)
    expect(tasks[4]).toEqual({
      id: 'toolu_000004',
      name: 'Document mail 4',
      state: 'completed',
      spawnedAt: '2026-01-05T09:02:30.000Z',
      completedAt: '2026-01-05T09:02:45.000Z',
      durationMs: 60_000,
      tokens: { before: expect.any(Number), record: expect.any(Number) },
      files: ['src/mail/module4.ts', 'tests/mail/module4.test.ts'],
      record: expect.stringMatching(/^\[spillway [a-z2-7]{12}: task completed\. Back: .*\nresult: "I changed/s),
    })
    // Too small to be worth a record of its own.
    expect(tasks[0]).toMatchObject({ state: 'completed', record: null, tokens: { record: null } })
    expect(tasks[33]).toMatchObject({ id: 'toolu_000033', state: 'failed' })
    expect(tasks[39]).toMatchObject({ state: 'running', completedAt: null, record: null, tokens: { record: null } })
    const { before, after } = (sessions[0] as unknown as { mainThread: { before: number; after: number } }).mainThread
    expect(after).toBeLessThan(before / 4)
  })

  it('prints a table in 100 columns, and writes a page once', async () => {
    const { home, run } = prepared()
    const found = await run(['tasks', 'run.jsonl', '--html', 'tasks.html'])
    expect(found.code).toBe(0)
    for (const line of found.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect(found.stdout).toMatch(/40 tasks, 37 completed, 2 failed, 1 running/)
    expect(statSync(join(home, 'tasks.html')).mode & 0o777).toBe(0o600)
    expect(await run(['tasks', 'run.jsonl', '--html', 'tasks.html'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/tasks.html: exists already/),
    })
  })

  it('ends with 2 on wrong usage and with 1 on what cannot be read', async () => {
    const { run } = prepared()
    const wrong = [
      ['tasks'],
      ['tasks', 'run.jsonl', '--summaries-url', 'http://127.0.0.1:1/v1'],
      ['tasks', 'run.jsonl', '--summaries-model', 'x'],
      ['tasks', 'run.jsonl', '--summaries-url', 'file:///etc/passwd', '--summaries-model', 'x'],
      ['compact', 'run.jsonl', '--summaries-model', 'x'],
    ]
    for (const words of wrong) expect(await run(words)).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['tasks', 'gone.jsonl'])).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('records written by a model', () => {
  it('stand in what tasks prints and in what compact writes', async () => {
    const { run } = prepared()
    const { result, requests } = await withModel(honest as Script, async (flags) => ({
      listed: documentOf(await run(['tasks', 'run.jsonl', '--json', ...flags])),
      compacted: documentOf(await run(['compact', 'run.jsonl', '--rules', 'tasks', '--json', ...flags])),
    }))
    const [session] = result.listed.sessions as { tasks: { record: string | null }[]; summaries: { by: string }[] }[]
    const records = session?.tasks.flatMap(({ record }) => record ?? []) ?? []
    expect(records.length).toBeGreaterThan(20)
    for (const record of records) expect(record).toContain('task: told by a model')
    expect(session?.summaries.map(({ by }) => by)).toEqual(records.map(() => 'model'))
    const [report] = result.compacted.sessions as { summaries: { by: string }[]; violations: unknown }[]
    expect(report?.summaries.length).toBeGreaterThan(10)
    expect(report?.violations).toEqual({ before: 0, after: 0 })
    const again = documentOf(await run(['tasks', 'run.compact.jsonl', '--json']))
    const [written] = again.sessions as { tasks: { record: string | null }[] }[]
    const standing = written?.tasks.flatMap(({ record }) => record ?? []) ?? []
    expect(standing.filter((record) => record.includes('told by a model'))).toHaveLength(report?.summaries.length ?? 0)
    expect(requests.length).toBe(records.length + (report?.summaries.length ?? 0))
  })

  it.each<readonly [string, Script | undefined]>([
    [
      'lies',
      () => answer(say('{"task":"x","outcome":"success","result":"All 999 tests pass","filesAdded":["no.ts"]}')),
    ],
    ['returns garbage', () => garbage()],
    ['is down', undefined],
  ])('a model that %s changes nothing: the output is that of the digest, byte for byte', async (_, script) => {
    const { home, run } = prepared()
    await run(['compact', 'run.jsonl', '--rules', 'tasks', '-o', 'digest.jsonl'])
    const compact = (flags: readonly string[]) =>
      run(['compact', 'run.jsonl', '--rules', 'tasks', '-o', 'asked.jsonl', ...flags])
    const down = ['--summaries-url', 'http://127.0.0.1:9/v1', '--summaries-model', 'none']
    const asked = script ? (await withModel(script, compact)).result : await compact(down)
    expect(asked.code).toBe(0)
    expect(asked.stdout).toMatch(/digest {2}toolu_\d{6}: \S/)
    expect(readFileSync(join(home, 'asked.jsonl')).equals(readFileSync(join(home, 'digest.jsonl')))).toBe(true)
  })

  it('nobody is asked unless both flags are given, nor when nothing folds', async () => {
    const { home, run } = prepared()
    const { requests } = await withModel(honest as Script, async (flags) => {
      await run(['compact', 'run.jsonl', '--dry-run'])
      await run(['compact', 'run.jsonl', '--preset', 'default', '--dry-run', ...flags])
    })
    expect(requests).toEqual([])
    expect(existsSync(join(home, 'run.compact.jsonl'))).toBe(false)
  })

  it('the key goes into the header and comes from the environment alone', async () => {
    const { run } = prepared()
    const { requests } = await withModel(honest as Script, (flags) =>
      run(['tasks', 'run.jsonl', ...flags], { SPILLWAY_SUMMARIES_KEY: 'secret-key' }),
    )
    expect(requests[0]?.headers.authorization).toBe('Bearer secret-key')
  })
})

it('the name of a worker whose transcript cannot be read moves no cursor', async () => {
  const { home, run } = prepared()
  const folder = join(home, 'run', 'subagents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent-\u001b[31mred.jsonl'), 'no session')
  const { stdout, stderr } = await run(['tasks', 'run.jsonl'])
  expect(stderr).toContain('agent-\\u001b[31mred.jsonl')
  expect(stdout + stderr).not.toContain('\u001b')
})
