/** The program itself: every documented flag, exit codes, what goes to stdout and what to stderr. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { VERSION } from '../src/cli/version.ts'
import { temporaryFolder } from './support/archive.ts'
import { builtCli, documentOf, type Run, spillway } from './support/cli.ts'
import { EXAMPLES, noticeMissing } from './support/shared.ts'

const LONG = join(EXAMPLES, 'long.jsonl')
const DAMAGED = join(EXAMPLES, 'damaged.jsonl')
const LONG_ID = '5f1e77a0-0000-4000-8000-000000000001'

let home = ''
beforeEach(() => {
  home = temporaryFolder()
})

const run = (...words: string[]): Promise<Run> => spillway(words, { cwd: home })

/** `script` makes the terminals; it stands in util-linux, but not everywhere. */
const hasScript = spawnSync('script', ['--version']).status === 0
if (!hasScript) noticeMissing('script (util-linux)')

function only(answer: Run): Record<string, unknown> {
  const { sessions } = documentOf(answer)
  expect(sessions).toHaveLength(1)
  return (sessions as Record<string, unknown>[])[0] ?? {}
}

/** An example where Claude Code would have it, long enough ago to count as closed. */
function placed(example = LONG, id = LONG_ID): string {
  const file = join(home, '.claude', 'projects', '-home-dev-project', `${id}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(example, file)
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  return file
}

describe('spillway', () => {
  it('tells its version, the one of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(EXAMPLES, '../package.json'), 'utf8')) as { version: string }
    expect(VERSION).toBe(version)
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect(await run('-V')).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  it('shows help with examples for itself and every command', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    const commands = ['sessions', 'analyze', 'compact', 'restore', 'doctor', 'recall', 'gc', 'glance']
    for (const command of commands) {
      expect(stdout).toContain(command)
      const help = await run(command, '--help')
      expect(help.code).toBe(0)
      expect(help.stdout).toContain('Examples:')
      expect(help.stdout).toContain('--json')
    }
  })

  it('answers wrong usage with exit code 2 and one line', async () => {
    const wrong = [
      ['nonsense'],
      ['compact', '--no-such-flag'],
      ['compact'],
      ['analyze'],
      ['compact', LONG, '--fork', '--in-place'],
      ['compact', LONG, '--dry-run', '-o', 'x.jsonl'],
      ['compact', LONG, '--force'],
      ['compact', LONG, DAMAGED],
      ['restore', LONG, DAMAGED],
      ['doctor', LONG, '--fix'],
      ['doctor', LONG, '-o', 'x.jsonl'],
      ['glance'],
      ['glance', 'ls', '--batch'],
    ]
    for (const words of wrong) {
      const { code, stdout, stderr } = await run(...words)
      expect([words, code]).toEqual([words, 2])
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^spillway: [^\n]+\n/)
    }
  })

  it('names the valid rules when one is unknown', async () => {
    const { code, stderr } = await run('compact', LONG, '--rules', 'results,trim')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /unknown rule "trim"; the rules are debris, denials, dangling, .*results, arguments, none\n$/,
    )
  })

  it('says in one line what is wrong with an input, and exits with 1', async () => {
    writeFileSync(join(home, 'empty.jsonl'), '')
    writeFileSync(join(home, 'text.jsonl'), 'hello\nworld\n')
    writeFileSync(join(home, 'other.jsonl'), '{"a":1}\n')
    writeFileSync(join(home, 'cut.jsonl.gz'), gzipSync(readFileSync(LONG)).subarray(0, 5000))
    mkdirSync(join(home, 'nothing'))
    const expected: [string, RegExp][] = [
      ['missing.jsonl', /missing\.jsonl: no such file/],
      ['no-such-id', /no-such-id: no such file and no session id/],
      ['empty.jsonl', /empty\.jsonl: no JSON object on any line; expected a session of claude-code, pi/],
      ['text.jsonl', /text\.jsonl: no JSON object/],
      ['other.jsonl', /other\.jsonl: 1 entries of an unknown kind/],
      ['cut.jsonl.gz', /cut\.jsonl\.gz: the gzip data ends too early/],
      ['nothing', /nothing: no session file/],
    ]
    for (const [input, message] of expected) {
      const { code, stdout, stderr } = await run('analyze', input)
      expect([input, code]).toEqual([input, 1])
      expect(stdout).toBe('')
      expect(stderr).toMatch(message)
      expect(stderr.split('\n')).toHaveLength(2)
    }
  })

  it('ends quietly when its reader closes the pipe', () => {
    const shell = spawnSync('bash', [
      '-c',
      `"${process.execPath}" "${builtCli()}" analyze "${LONG}" --json | head -c 1; echo "\${PIPESTATUS[0]}"`,
    ])
    expect(shell.stdout.toString()).toBe('{0\n')
    expect(shell.stderr.toString()).toBe('')
  })

  it('writes no colours where nobody sees them', async () => {
    const { stdout } = await spillway(['analyze', LONG], { cwd: home, env: { FORCE_COLOR: '1', CI: '1' } })
    expect(stdout).not.toContain('\u001b')
  })
})

describe('spillway analyze', () => {
  it('keeps its JSON contract', async () => {
    const analysis = only(await run('analyze', LONG, '--json'))
    expect(analysis).toMatchObject({
      file: LONG,
      format: 'claude-code',
      model: 'claude-opus-5-5',
      entries: 281,
      badLines: [],
      compactions: 0,
      denials: 0,
      apiErrors: 0,
      interrupts: 0,
      danglingCalls: 0,
    })
    const { tokens, context, cache, delegation, calibration, threads, could } = analysis as Record<
      string,
      Record<string, unknown>
    >
    expect(Object.keys(tokens?.byKind ?? {})).toEqual([
      'userText',
      'assistantText',
      'thinking',
      'callArguments',
      'toolResults',
      'images',
      'other',
    ])
    expect(Object.keys(context ?? {})).toEqual(
      expect.arrayContaining(['peak', 'last', 'slopePerTurn', 'projectedWallTurn']),
    )
    expect(Object.keys(cache ?? {})).toEqual(['read', 'write', 'uncached', 'hitRate'])
    expect(Object.keys(delegation ?? {})).toEqual(['turnShare', 'charShare', 'mainCalls', 'workerCalls'])
    expect(Object.keys(calibration ?? {})).toEqual(['charsPerToken', 'floor', 'p50Error', 'p90Error'])
    expect((threads as unknown as { name: string }[]).map((thread) => thread.name)).toEqual([
      'main',
      'agent-a568f07457a96ea51',
    ])
    expect(could?.results).toBeGreaterThan(10_000)
  })

  it('reads a path, a gzip file of any name, a folder, standard input, an id, a prefix and the latest', async () => {
    const file = placed()
    writeFileSync(join(home, 'zipped.bin'), gzipSync(readFileSync(LONG)))
    const entries = async (answer: Promise<Run>) => only(await answer).entries
    expect(await entries(run('analyze', file, '--json'))).toBe(281)
    expect(await entries(run('analyze', 'zipped.bin', '--json'))).toBe(281)
    expect(await entries(run('analyze', dirname(file), '--json'))).toBe(281)
    expect(await entries(spillway(['analyze', '-', '--json'], { cwd: home, input: readFileSync(LONG) }))).toBe(281)
    expect(
      await entries(spillway(['analyze', '-', '--json'], { cwd: home, input: gzipSync(readFileSync(LONG)) })),
    ).toBe(281)
    expect(await entries(run('analyze', LONG_ID, '--json'))).toBe(281)
    expect(await entries(run('analyze', '5f1e', '--json'))).toBe(281)
    expect(await entries(run('analyze', 'latest', '--json'))).toBe(281)
    mkdirSync(join(dirname(file), LONG_ID, 'subagents'), { recursive: true })
    expect(await entries(run('analyze', join(dirname(file), LONG_ID), '--json'))).toBe(281)
  })

  it('lists the candidates of an ambiguous prefix', async () => {
    placed()
    placed(DAMAGED, '5f1e77a0-0000-4000-8000-000000000002')
    const { code, stderr } = await run('analyze', '5f1e')
    expect(code).toBe(2)
    expect(stderr).toContain('names 2 sessions')
    expect(stderr).toContain('5f1e77a0-0000-4000-8000-000000000001')
    expect(stderr).toContain('5f1e77a0-0000-4000-8000-000000000002')
  })

  it('goes on after an input that cannot be read', async () => {
    const answer = await run('analyze', 'missing.jsonl', '--json')
    expect(answer.code).toBe(1)
    writeFileSync(join(home, 'text.jsonl'), 'hello\n')
    const mixed = await run('analyze', 'text.jsonl', LONG, '--json')
    expect(mixed.code).toBe(1)
    const { sessions, errors } = documentOf(mixed)
    expect(sessions).toHaveLength(1)
    expect(errors).toEqual([{ file: 'text.jsonl', message: expect.stringContaining('no JSON object') }])
  })

  it('prints tables of at most 100 columns', async () => {
    const { stdout } = await run('analyze', LONG)
    expect(stdout).toContain('toolResults')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100 + LONG.length)
  })

  it('reports bad lines with file and line and goes on', async () => {
    const lines = readFileSync(LONG, 'utf8').split('\n')
    lines.splice(1, 0, 'not json', '{"a":1}{"b":2}', '\u0000\u0000', '')
    writeFileSync(join(home, 'bad.jsonl'), lines.join('\n'))
    const analysis = only(await run('analyze', 'bad.jsonl', '--json'))
    expect((analysis.badLines as { line: number }[]).map(({ line }) => line)).toEqual([2, 3, 4])
    expect((await run('analyze', 'bad.jsonl')).stdout).toContain('bad.jsonl:2: ')
  })
})

describe('spillway compact', () => {
  it('writes beside the work, never over anything, and keeps its JSON contract', async () => {
    const answer = only(await run('compact', LONG, '--json'))
    expect(answer).toMatchObject({
      file: LONG,
      out: 'long.compact.jsonl',
      format: 'claude-code',
      outcome: 'rewritten',
      repairs: [],
      violations: { before: 0, after: 0 },
      bytes: { before: statSync(LONG).size, after: statSync(join(home, 'long.compact.jsonl')).size },
      archive: { path: join(home, '.local/share/spillway'), objects: expect.any(Number), bytes: expect.any(Number) },
    })
    const { before, after, saved, savedShare } = answer.tokens as Record<string, number>
    expect(saved).toBe((before ?? 0) - (after ?? 0))
    expect(savedShare).toBeCloseTo((saved ?? 0) / (before ?? 1))
    expect(savedShare).toBeGreaterThan(0.5)
    expect(statSync(join(home, 'long.compact.jsonl')).mode & 0o777).toBe(0o600)

    const first = readFileSync(join(home, 'long.compact.jsonl'))
    const second = await run('compact', LONG)
    expect(second.code).toBe(1)
    expect(second.stderr).toContain('long.compact.jsonl: exists already')
    expect(readFileSync(join(home, 'long.compact.jsonl')).equals(first)).toBe(true)
  })

  it('writes to -o OUT, gzip only by its name, and to -o DIR for several', async () => {
    expect((await run('compact', LONG, '-o', 'a.jsonl.gz')).code).toBe(0)
    expect((await run('compact', LONG, '-o', 'b.jsonl')).code).toBe(0)
    expect(gunzipSync(readFileSync(join(home, 'a.jsonl.gz'))).equals(readFileSync(join(home, 'b.jsonl')))).toBe(true)
    expect((await run('compact', LONG, DAMAGED, '--output', 'out')).code).toBe(0)
    expect(readdirSync(join(home, 'out')).sort()).toEqual(['damaged.compact.jsonl', 'long.compact.jsonl'])
    const twice = await run(
      'compact',
      LONG,
      join(EXAMPLES, '..', 'examples', 'long.jsonl'),
      placed(LONG, 'long'),
      '-o',
      'out2',
    )
    expect(twice.code).toBe(2)
  })

  it('refuses its own input as output', async () => {
    copyFileSync(LONG, join(home, 'mine.jsonl'))
    expect((await run('compact', 'mine.jsonl', '-o', 'mine.jsonl')).code).toBe(1)
    expect(readFileSync(join(home, 'mine.jsonl')).equals(readFileSync(LONG))).toBe(true)
  })

  it('reads standard input', async () => {
    const answer = await spillway(['compact', '-'], { cwd: home, input: readFileSync(LONG) })
    expect(answer.code).toBe(0)
    expect(existsSync(join(home, 'stdin.compact.jsonl'))).toBe(true)
  })

  it('writes nothing in a dry run, which needs no archive', async () => {
    const env = { SPILLWAY_ARCHIVE: '/dev/null/nowhere' }
    const answer = await spillway(['compact', LONG, '--dry-run', '--explain'], { cwd: home, env })
    expect(answer.code).toBe(0)
    expect(answer.stdout).toMatch(/line \d+ +results: Read result of [\d,]+ characters/)
    expect(readdirSync(home)).toEqual([])
    const explained = only(await run('compact', LONG, '--dry-run', '--explain', '--json'))
    expect(explained.out).toBeNull()
    expect((explained.edits as unknown[]).length).toBeGreaterThan(20)
  })

  it('uses only the named rules, and none of them for "none"', async () => {
    const answer = only(await run('compact', LONG, '--rules', 'arguments', '--json'))
    expect(Object.keys(answer.byRule as object).filter((rule) => rule !== 'thinking')).toEqual(['arguments'])
    const none = only(await run('compact', DAMAGED, '--rules', 'none', '--json'))
    expect(none.outcome).toBe('unchanged')
    expect(readFileSync(join(home, 'damaged.compact.jsonl')).equals(readFileSync(DAMAGED))).toBe(true)
  })

  it('changes nothing when the archive cannot be written', async () => {
    const file = placed()
    for (const words of [['-o', 'out.jsonl'], ['--in-place'], ['--fork']]) {
      const answer = await spillway(['compact', file, ...words, '--archive', '/dev/null/nowhere'], { cwd: home })
      expect(answer.code).toBe(1)
      expect(answer.stderr.split('\n').filter((line) => line.startsWith('spillway: '))).toHaveLength(1)
      expect(readFileSync(file).equals(readFileSync(LONG))).toBe(true)
      expect(readdirSync(dirname(file))).toEqual([`${LONG_ID}.jsonl`])
      expect(readdirSync(home)).toEqual(['.claude'])
    }
  })

  it('forks: a new id in its lines, its subagents and its name, and how to resume it', async () => {
    const file = placed()
    const own = join(dirname(file), LONG_ID)
    mkdirSync(join(own, 'tool-results'), { recursive: true })
    mkdirSync(join(own, 'subagents'))
    writeFileSync(join(own, 'tool-results', 'a.txt'), 'kept')
    writeFileSync(join(own, 'subagents', 'agent-1.jsonl'), `{"type":"user","n":1.0,"sessionId":"${LONG_ID}"}\n`)
    const answer = only(await run('compact', file, '--fork', '--json'))
    const id = answer.id as string
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.out).toBe(join(dirname(file), `${id}.jsonl`))
    expect(answer.resume).toBe(`claude --resume ${id}`)
    expect(readFileSync(file).equals(readFileSync(LONG))).toBe(true)

    const plain = join(home, 'plain.jsonl')
    await run('compact', file, '-o', plain)
    const forked = readFileSync(answer.out as string, 'utf8')
    expect(forked.replaceAll(id, LONG_ID)).toBe(readFileSync(plain, 'utf8'))
    expect(readFileSync(join(dirname(file), id, 'subagents', 'agent-1.jsonl'), 'utf8')).toBe(
      `{"type":"user","n":1.0,"sessionId":"${id}"}\n`,
    )
    expect(readFileSync(join(dirname(file), id, 'tool-results', 'a.txt'), 'utf8')).toBe('kept')
    expect((await run('doctor', answer.out as string)).code).toBe(0)

    const restored = only(await run('restore', answer.out as string, '-o', 'back.jsonl', '--json'))
    expect(restored).toMatchObject({ restored: 1, exact: true })
    expect(readFileSync(join(home, 'back.jsonl')).equals(readFileSync(LONG))).toBe(true)
  })

  it('compacts in place with a backup under the next free number', async () => {
    const file = placed()
    chmodSync(file, 0o640)
    writeFileSync(`${file}.spillway-1`, 'an older backup')
    const answer = await run('compact', file, '--in-place')
    expect(answer.code).toBe(0)
    expect(answer.stderr).toContain('close this session first')
    expect(readFileSync(`${file}.spillway-2`).equals(readFileSync(LONG))).toBe(true)
    expect(readFileSync(`${file}.spillway-1`, 'utf8')).toBe('an older backup')
    expect(statSync(file).size).toBeLessThan(statSync(LONG).size)
    expect(statSync(file).mode & 0o777).toBe(0o640)

    utimesSync(file, 1_700_000_000, 1_700_000_000)
    const again = only(await run('compact', file, '--in-place', '--json'))
    expect(again.outcome).toBe('unchanged')
    expect(existsSync(`${file}.spillway-3`)).toBe(false)
  })

  it('does not touch a file that changed within the last minute unless forced', async () => {
    const file = placed()
    utimesSync(file, new Date(), new Date())
    const refused = await run('compact', file, '--in-place')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/changed \d+ s ago; close this session first/)
    expect(readdirSync(dirname(file))).toEqual([`${LONG_ID}.jsonl`])
    expect((await run('compact', file, '--in-place', '--force')).code).toBe(0)
  })

  it('follows a symbolic link and leaves it one', async () => {
    const file = placed()
    symlinkSync(file, join(home, 'link.jsonl'))
    expect((await run('compact', 'link.jsonl', '--in-place')).code).toBe(0)
    expect(readFileSync(join(home, 'link.jsonl')).equals(readFileSync(file))).toBe(true)
    expect(existsSync(`${file}.spillway-1`)).toBe(true)
  })
})

describe('spillway restore', () => {
  it('brings back every byte, also of a file that was renamed and went on', async () => {
    await run('compact', LONG)
    const more = '{"type":"user","uuid":"later","parentUuid":null}\n'
    const grown = Buffer.concat([readFileSync(join(home, 'long.compact.jsonl')), Buffer.from(more)])
    writeFileSync(join(home, 'renamed.jsonl'), grown)
    const answer = only(await run('restore', 'renamed.jsonl', '--json'))
    expect(answer).toMatchObject({ file: 'renamed.jsonl', out: 'renamed.restored.jsonl', restored: 1, exact: true })
    const expected = Buffer.concat([readFileSync(LONG), Buffer.from(more)])
    expect(readFileSync(join(home, 'renamed.restored.jsonl')).equals(expected)).toBe(true)
    expect((await run('restore', 'renamed.jsonl')).code).toBe(1)
  })

  it('undoes several compactions, the newest first', async () => {
    await run('compact', LONG, '--rules', 'arguments', '-o', 'one.jsonl')
    await run('compact', 'one.jsonl', '-o', 'two.jsonl.gz')
    const answer = only(await run('restore', 'two.jsonl.gz', '-o', 'back.jsonl', '--json'))
    expect(answer).toMatchObject({ restored: 2, exact: true })
    expect(readFileSync(join(home, 'back.jsonl')).equals(readFileSync(LONG))).toBe(true)
  })

  it('says so when nothing is recorded', async () => {
    const { code, stderr } = await run('restore', LONG)
    expect(code).toBe(1)
    expect(stderr).toContain('no compaction of this file is recorded')
    expect(readdirSync(home)).toEqual([])
  })
})

describe('spillway doctor', () => {
  const asText = (text: string) => ({ type: 'text', text })
  const user = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'Go.' } }
  const call = {
    type: 'assistant',
    uuid: 'a1',
    parentUuid: 'u1',
    sessionId: 's',
    message: {
      id: 'm',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
    },
  }
  const next = { ...user, uuid: 'u2', parentUuid: 'a1', message: { role: 'user', content: 'And?' } }

  it('reports a violation with exit code 1, and repairs it', async () => {
    writeFileSync(join(home, 'sick.jsonl'), [user, call, next].map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    const examined = await run('doctor', 'sick.jsonl', '--json')
    expect(examined.code).toBe(1)
    const report = only(examined)
    expect(report).toMatchObject({ file: 'sick.jsonl', format: 'claude-code' })
    const [violation] = report.violations as Record<string, unknown>[]
    expect(violation).toMatchObject({
      severity: 'reject',
      line: 2,
      id: 't1',
      rule: expect.any(String),
      message: expect.any(String),
    })
    expect((report.repairs as object[])[0]).toMatchObject({
      rule: expect.any(String),
      line: 2,
      what: expect.any(String),
    })

    const fixed = await run('doctor', 'sick.jsonl', '--fix', '-o', 'fixed.jsonl', '--json')
    expect(fixed.code).toBe(0)
    expect(only(fixed)).toMatchObject({ out: 'fixed.jsonl', remaining: [] })
    expect((await run('doctor', 'fixed.jsonl')).code).toBe(0)
    const back = only(await run('restore', 'fixed.jsonl', '--json'))
    expect(back).toMatchObject({ restored: 1, exact: true })
    expect(readFileSync(join(home, 'fixed.restored.jsonl')).equals(readFileSync(join(home, 'sick.jsonl')))).toBe(true)
  })

  it('takes the model that will go on, where the session does not name its own', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
    const later = {
      ...call,
      uuid: 'a2',
      parentUuid: 'u2',
      message: { id: 'n', role: 'assistant', content: [thinking] },
    }
    const said = {
      ...later,
      uuid: 'a3',
      parentUuid: 'a2',
      message: { ...later.message, content: ['Done.'].map(asText) },
    }
    const entries = [user, call, next, later, said]
    writeFileSync(join(home, 'sick.jsonl'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    const kept = async (model: string, out: string): Promise<boolean> => {
      expect((await run('doctor', 'sick.jsonl', '--fix', '-o', out, '--model', model)).code).toBe(0)
      return readFileSync(join(home, out), 'utf8').includes('"Hm."')
    }
    expect(await kept('claude-sonnet-4-5', 'old.jsonl')).toBe(true)
    expect(await kept('claude-opus-5-5', 'new.jsonl')).toBe(false)
  })

  it('finds the examples healthy', async () => {
    const { code, stdout } = await run('doctor', LONG, DAMAGED)
    expect(code).toBe(0)
    expect(stdout).toContain('healthy')
  })
})

describe('spillway sessions', () => {
  it('lists what the three harnesses recorded, this folder first', async () => {
    const here = join(home, 'work')
    mkdirSync(here)
    placed()
    const folder = here.replace(/[^a-zA-Z0-9]/g, '-')
    const own = join(home, '.claude', 'projects', folder, 'aaaa.jsonl')
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, readFileSync(LONG, 'utf8').replaceAll('/home/dev/project', here))
    utimesSync(own, 1_600_000_000, 1_600_000_000)
    const pi = join(home, '.pi', 'agent', 'sessions', '--tmp--', '2026-01-01T00-00-00-000Z_bbbb.jsonl')
    const header = { type: 'session', version: 3, id: 'bbbb', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/tmp' }
    const openClaw = join(home, '.openclaw', 'agents', 'main', 'sessions', 'cccc.jsonl')
    for (const file of [pi, openClaw]) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${JSON.stringify({ ...header, id: file === pi ? 'bbbb' : 'cccc' })}\n`)
    }
    writeFileSync(openClaw.replace('.jsonl', '.trajectory.jsonl'), '{}\n')

    const answer = await spillway(['sessions', '--json'], { cwd: here, env: { HOME: home } })
    expect(answer.code).toBe(0)
    const sessions = documentOf(answer).sessions as Record<string, unknown>[]
    expect(sessions.map(({ id }) => id).sort()).toEqual([LONG_ID, 'aaaa', 'bbbb', 'cccc'].sort())
    expect(sessions[0]).toEqual({
      id: 'aaaa',
      format: 'claude-code',
      file: own,
      cwd: here,
      model: 'claude-opus-5-5',
      calls: 80,
      tokens: expect.any(Number),
      modified: '2020-09-13T12:26:40.000Z',
    })
    const table = await spillway(['sessions', '--all'], { cwd: here, env: { HOME: home } })
    expect(table.stdout).toContain('this folder')
    for (const line of table.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  it('says that there is none', async () => {
    expect((await run('sessions')).stdout).toContain('No recorded session')
    expect(documentOf(await run('sessions', '--json'))).toEqual({ sessions: [] })
  })

  it('honours CLAUDE_CONFIG_DIR', async () => {
    const file = placed()
    const env = { CLAUDE_CONFIG_DIR: dirname(dirname(dirname(file))), HOME: '/nonexistent' }
    const answer = await spillway(['sessions', '--json'], { cwd: home, env })
    expect((documentOf(answer).sessions as unknown[]).length).toBe(1)
  })
})

describe('spillway glance', () => {
  it('answers by exit code and says why', async () => {
    expect(await run('glance', 'git status --short')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^allowed: /),
    })
    expect(await run('glance', 'rm -rf build')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^refused: /) })
    const answer = documentOf(await run('glance', 'git status', '--json'))
    expect(Object.keys(answer)).toEqual(['allow', 'ephemeral', 'reason', 'parts'])
  })

  it('answers a batch line by line, in order', async () => {
    const input = '{"cmd":"ls","extra":1}\nnot json\n{"cmd":"rm x"}\n'
    const answer = await spillway(['glance', '--batch'], { cwd: home, input })
    expect(answer.code).toBe(1)
    const lines = answer.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { allow: boolean; reason: string })
    expect(lines.map(({ allow }) => allow)).toEqual([true, false, false])
    expect(lines[1]?.reason).toContain('standard input:2')
  })
})

describe.skipIf(!hasScript)('a terminal', () => {
  /** `script` gives the program a terminal of its own. */
  const inTerminal = (words: string, keys: string): Promise<string> =>
    new Promise((done) => {
      const env = { ...process.env, HOME: home, TERM: 'xterm', SPILLWAY_ARCHIVE: join(home, 'archive') }
      const command = `stty cols 100 rows 40; "${process.execPath}" "${builtCli()}" ${words}`
      const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: home, env })
      let seen = ''
      let asked = false
      child.stdout.on('data', (text) => {
        seen += text
        if (asked || !seen.includes('Which session?')) return
        asked = true
        // The question is drawn before its keys are listened to.
        setTimeout(() => child.stdin.write(keys), 300)
      })
      child.on('close', () => done(seen))
    })

  it('offers the newest sessions when none is named', async () => {
    placed()
    const seen = await inTerminal('analyze', '\r')
    expect(seen).toContain('Which session?')
    expect(seen).toContain('toolResults')
  })

  it('shows colours unless NO_COLOR is set', async () => {
    expect(await inTerminal(`analyze ${LONG}`, '')).toContain('\u001b[1m')
    process.env.NO_COLOR = '1'
    try {
      expect(await inTerminal(`analyze ${LONG}`, '')).not.toContain('\u001b[1m')
    } finally {
      delete process.env.NO_COLOR
    }
  })
})
