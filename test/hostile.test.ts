/** Damaged and hostile session files: reported with file and line, kept verbatim, never a crash, a hang or a loss. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { restoreSession } from '../src/sessions/restore.ts'
import { temporaryFolder } from './support/archive.ts'
import { builtCli, documentOf, spillway } from './support/cli.ts'
import { EXAMPLES } from './support/shared.ts'

const LONG = readFileSync(join(EXAMPLES, 'long.jsonl'))
const LINE_FEED = Buffer.from('\n')

/** The example with a line put in front of its fourth. */
function withLine(line: string | Buffer): Buffer {
  let at = 0
  for (let line = 0; line < 3; line++) at = LONG.indexOf(LINE_FEED, at) + 1
  return Buffer.concat([LONG.subarray(0, at), Buffer.from(line), LINE_FEED, LONG.subarray(at)])
}

const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
const user = '{"type":"user","uuid":"x1","parentUuid":null,"isSidechain":true,"message":{"role":"user","content":"hm"}}'

/** What it is called, the bytes, and whether the fourth line is a bad one. */
const FILES: readonly (readonly [string, Buffer, boolean])[] = [
  ['no JSON at all', withLine('no JSON at all'), true],
  ['an array', withLine('[1,2]'), true],
  ['NUL bytes', withLine(Buffer.alloc(5000)), true],
  ['invalid UTF-8', withLine(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])), true],
  ['a nesting of 10,000', withLine(`{"type":"x","deep":${nested}}`), true],
  ['two objects joined', withLine('{"type":"x"}{"type":"y"}'), true],
  ['lone surrogates', withLine('{"type":"x","text":"\\ud800 \\udfff"}'), false],
  ['numbers beyond doubles', withLine('{"type":"x","n":[1.0,123456789012345678901234567890,1e999,-0]}'), false],
  ['duplicate and integer-like keys', withLine('{"type":"x","2":1,"1":2,"a":1,"a":2,"__proto__":{"b":1}}'), false],
  ['empty lines', withLine('\n\n'), false],
  ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), LONG]), false],
  ['CRLF', Buffer.from(LONG.toString().replaceAll('\n', '\r\n')), false],
  ['a missing last newline', LONG.subarray(0, LONG.length - 1), false],
  ['a cut last line', LONG.subarray(0, LONG.length - 40), false],
  ['a stray sidechain', withLine(user), false],
]

describe.each(FILES)('a session with %s', (_name, bytes, isBad) => {
  it('is read, compacted and restored', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'in.jsonl')
    const out = join(folder, 'out.jsonl')
    const archive = join(folder, 'archive')
    writeFileSync(file, bytes)
    const analysis = await analyzeSession(file)
    expect(analysis.badLines.map(({ line }) => line)).toEqual(isBad ? [4] : _name === 'a cut last line' ? [281] : [])
    expect(analysis.tokens.total).toBeGreaterThan(10_000)

    const report = await compactSession(file, { target: { kind: 'file', path: out }, archive })
    expect(report.outcome).toBe('rewritten')
    expect(report.violations.after).toBeLessThanOrEqual(report.violations.before)
    expect((await doctorSession(out)).repairs).toEqual([])

    await restoreSession(out, { out: join(folder, 'back.jsonl'), archive })
    expect(readFileSync(join(folder, 'back.jsonl')).equals(bytes)).toBe(true)
    const same = { target: { kind: 'file', path: join(folder, 'same.jsonl') }, archive, rules: ['none'] } as const
    await compactSession(file, same)
    expect(readFileSync(join(folder, 'same.jsonl')).equals(bytes)).toBe(true)
  })
})

describe('hostile sizes', () => {
  it('passes over a line of 100 MB', { timeout: 240_000 }, async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'huge.jsonl')
    writeFileSync(file, withLine(`{"type":"x","text":"${'y'.repeat(100_000_000)}"}`))
    const run = await spillway(['analyze', file, '--json'], { cwd: folder })
    expect(run.code).toBe(0)
    const { sessions } = documentOf(run)
    expect(sessions).toMatchObject([{ badLines: [{ line: 4 }], entries: 281 }])
    const compacted = await spillway(['compact', file, '-o', 'out.jsonl'], { cwd: folder })
    expect(compacted.code).toBe(0)
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n')
    expect(lines[3]?.length).toBeGreaterThan(100_000_000)
  })

  it('takes time in proportion to a file of nothing but damage', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'damage.jsonl')
    writeFileSync(file, `${'{"a":['.repeat(200_000)}\n`.repeat(10))
    const run = await spillway(['analyze', file], { cwd: folder })
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/^spillway: [^\n]*damage\.jsonl: no JSON object on any line[^\n]*\n$/)
  })
})

/** Moves the cursor, retitles the window, turns the line round, forges a line of ours. */
const ESCAPES = '\x1b[2J\x1b]0;title\x07\x9b31m\u202e\n  legal   yes\r'

/** A session in which every name, id and text holds escape sequences, with damage that messages quote. */
function sessionOfEscapes(): string {
  const common = { isSidechain: false, cwd: `/tmp/${ESCAPES}`, sessionId: `s${ESCAPES}`, version: '2.1.0' }
  const entry = (number: number, fields: Readonly<Record<string, unknown>>) =>
    JSON.stringify({
      parentUuid: number === 0 ? null : `u${number - 1}${ESCAPES}`,
      uuid: `u${number}${ESCAPES}`,
      ...common,
      ...fields,
    })
  const lines = [entry(0, { type: 'user', message: { role: 'user', content: `begin ${ESCAPES}` } })]
  for (let number = 1; number < 41; number += 2) {
    const call = {
      type: 'tool_use',
      id: `t${number}${ESCAPES}`,
      name: `Bash${ESCAPES}`,
      input: { command: `ls ${ESCAPES}` },
    }
    const assistant = { id: `m${number}${ESCAPES}`, role: 'assistant', model: `model${ESCAPES}`, content: [call] }
    lines.push(entry(number, { type: 'assistant', message: assistant }))
    const result = { type: 'tool_result', tool_use_id: call.id, content: `needle${number} ${ESCAPES.repeat(200)}` }
    lines.push(entry(number + 1, { type: 'user', message: { role: 'user', content: [result] } }))
  }
  const orphan = { type: 'tool_result', tool_use_id: `nothing${ESCAPES}`, content: 'x' }
  lines.push(entry(41, { type: 'user', parentUuid: `nowhere${ESCAPES}`, message: { role: 'user', content: [orphan] } }))
  return `${lines.join('\n')}\n{"cut${ESCAPES.replace('\n', '')}":\n`
}

describe('hostile content', () => {
  it('reaches no terminal as a command', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    const home = join(folder, '.claude', 'projects', '-x')
    mkdirSync(home, { recursive: true })
    const file = join(home, 'session\x1b[2J.jsonl')
    writeFileSync(file, sessionOfEscapes())
    const commands = [
      ['sessions'],
      ['sessions', '--json'],
      ['analyze', file],
      ['doctor', file],
      ['doctor', file, '--json'],
      ['compact', file, '-o', 'out.jsonl', '--explain'],
      ['compact', file, '-o', 'out.jsonl'],
      ['compact', file, '--fork', '--json'],
      ['restore', 'out.jsonl'],
      ['recall', 'needle1'],
      ['recall', 'nothing\x1b[2J'],
      ['gc'],
      ['glance', 'ls \x1b[2J'],
      ['\x1b[2J'],
    ]
    for (const words of commands) {
      const run = await spillway(words, { cwd: folder })
      const output = run.stdout + run.stderr
      expect(output.length, words.join(' ')).toBeGreaterThan(0)
      expect(output, words.join(' ')).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
      expect(output.match(/^ {2}legal {3}yes/gm)?.length ?? 0, words.join(' ')).toBeLessThanOrEqual(1)
    }
  })
})

describe('hostile surroundings', () => {
  it.skipIf(process.getuid?.() === 0)('says what it may not read or write', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secret.jsonl'), LONG, { mode: 0 })
    expect((await spillway(['analyze', 'secret.jsonl'], { cwd: folder })).stderr).toContain('permission denied')
    writeFileSync(join(folder, 'in.jsonl'), LONG)
    mkdirSync(join(folder, 'closed'), { mode: 0o500 })
    const run = await spillway(['compact', 'in.jsonl', '-o', 'closed/out.jsonl'], { cwd: folder })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('permission denied; nothing was written') })
    chmodSync(join(folder, 'closed'), 0o700)
  })

  it('writes nothing where the folder is missing or the name too long', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'in.jsonl'), LONG)
    for (const out of ['missing/out.jsonl', `${'n'.repeat(300)}.jsonl`]) {
      const run = await spillway(['compact', 'in.jsonl', '-o', out], { cwd: folder })
      expect(run.code).toBe(1)
      expect(run.stderr).toMatch(/nothing was written\n$/)
    }
    expect(readdirSync(folder).filter((name) => name !== '.local')).toEqual(['in.jsonl'])
  })

  it.skipIf(!existsSync('/dev/full'))('says in one line that the output cannot be written', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'in.jsonl'), LONG)
    for (const json of ['', '--json']) {
      const command = `"${process.execPath}" "${builtCli()}" analyze in.jsonl ${json} > /dev/full`
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
      expect(stderr).toMatch(/^spillway: the output cannot be written[^\n]*\n$/)
      expect(status).toBe(1)
    }
  })

  it('says that the folder it was started in is gone', async () => {
    const folder = temporaryFolder()
    for (const words of ['sessions', 'recall x', 'gc', 'glance ls', 'analyze latest']) {
      const command = `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${builtCli()}" ${words}`
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
      expect(stderr).toMatch(/^spillway: the present folder does not exist any more[^\n]*\n$/)
      expect(status).toBe(1)
    }
  })

  it('runs without better-sqlite3 except where it must archive', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'in.jsonl'), LONG)
    // A loader in front of all others that knows no such package.
    const hook = `export const resolve = (name, context, next) => {
      if (name === 'better-sqlite3') throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(name, context)
    }`
    const register = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))`
    writeFileSync(join(folder, 'without.mjs'), register)
    const env = { NODE_OPTIONS: `--import ${join(folder, 'without.mjs')}` }
    const run = (...words: string[]) => spillway(words, { cwd: folder, env })
    expect((await run('analyze', 'in.jsonl')).code).toBe(0)
    expect((await run('doctor', 'in.jsonl')).code).toBe(0)
    expect((await run('compact', 'in.jsonl', '--dry-run')).code).toBe(0)
    const refused = await run('compact', 'in.jsonl')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^spillway: [^\n]*better-sqlite3[^\n]*\n$/)
    expect(readdirSync(folder).filter((name) => name.includes('compact') || name.startsWith('.spillway'))).toEqual([])
  })
})
