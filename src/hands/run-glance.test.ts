import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GLANCE_OUTPUT_BYTES, type GlanceRun, runGlance } from './run-glance.ts'

let folder = ''
const git = (...words: string[]): void => {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...identity, ...words], { cwd: folder, stdio: 'ignore' })
}
const run = async (command: string, more = {}): Promise<Extract<GlanceRun, { ran: true }>> => {
  const result = await runGlance(command, { cwd: folder, ...more })
  if (!result.ran) throw new Error(`refused: ${result.reason}`)
  return result
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-glance-'))
  git('init', '-q', '-b', 'main')
  writeFileSync(join(folder, 'f'), 'one\ntwo\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\ntouch ran\n')
  chmodSync(join(folder, 'script.sh'), 0o755)
  writeFileSync(join(folder, 'f'), 'one\nthree\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('runGlance', () => {
  it('runs a glance and gives both outputs and the exit code', async () => {
    const result = await run('cat f; ls missing')
    expect(result).toMatchObject({ stdout: 'one\nthree\n', stopped: undefined })
    expect(result.stderr).toContain('missing')
    expect(result.exitCode).toBe(2)
  })

  it('runs nothing that classify refuses, and says why', async () => {
    const result = await runGlance('touch made', { cwd: folder })
    expect(result).toEqual({ ran: false, reason: expect.stringContaining('touch made') })
    expect(existsSync(join(folder, 'made'))).toBe(false)
  })

  it('gives no standard input', async () => {
    expect(await run('timeout 5 wc -c /dev/null; while read -r x; do echo "$x"; done < /dev/null')).toMatchObject({
      stopped: undefined,
    })
    expect((await run('readlink /proc/self/fd/0')).stdout).toBe('/dev/null\n')
  })

  it('ends a pipe that never ends, with its children', async () => {
    execFileSync('mkfifo', ['pipe'], { cwd: folder })
    const result = await run('cat pipe | wc -l', { timeoutMs: 300 })
    expect(result).toMatchObject({ stopped: 'timeout', exitCode: undefined })
  })

  it('caps the output', async () => {
    const result = await run('seq 1 100000', { outputBytes: 1000 })
    expect(result.stopped).toBe('output')
    expect(Buffer.byteLength(result.stdout)).toBe(1000)
    expect(GLANCE_OUTPUT_BYTES).toBeGreaterThan(1000)
  })

  it('keeps the caller’s environment and start-up files out', async () => {
    const before = { ...process.env }
    writeFileSync(join(folder, 'startup'), 'touch started\n')
    Object.assign(process.env, { FROM_CALLER: 'x', BASH_ENV: join(folder, 'startup') })
    try {
      expect((await run('echo "$FROM_CALLER."')).stdout).toBe('.\n')
    } finally {
      for (const name of ['FROM_CALLER', 'BASH_ENV']) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
    expect(existsSync(join(folder, 'started'))).toBe(false)
  })

  it('does not run a program that the project brings along', async () => {
    mkdirSync(join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'bin/wc'), '#!/bin/sh\ntouch ran\n')
    chmodSync(join(folder, 'bin/wc'), 0o755)
    const path = process.env.PATH
    process.env.PATH = `${join(folder, 'bin')}:.:${path}`
    try {
      expect((await run('wc -l f')).stdout).toBe('2 f\n')
    } finally {
      process.env.PATH = path
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it.each([
    ['a file monitor', ['core.fsmonitor', './script.sh'], 'git status'],
    ['an external diff', ['diff.external', './script.sh'], 'git diff'],
    ['an external diff behind -C', ['diff.external', './script.sh'], 'git -C . --no-pager diff'],
    ['a text converter', ['diff.text.textconv', './script.sh'], 'git diff; git show; git log -p; git blame f'],
    ['a pager', ['core.pager', './script.sh'], 'git log'],
  ])('does not run %s of the repository', async (_name, [key = '', value = ''], command) => {
    writeFileSync(join(folder, '.git/info/attributes'), 'f diff=text\n')
    git('config', key, value)
    try {
      const result = await run(command)
      expect(result.exitCode).toBe(0)
      expect(existsSync(join(folder, 'ran'))).toBe(false)
      // The setting does run the program when nothing is hardened; otherwise this test would say nothing.
      if (key !== 'core.pager') {
        execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'ignore' })
        expect(existsSync(join(folder, 'ran'))).toBe(true)
      }
    } finally {
      rmSync(join(folder, 'ran'), { force: true })
      git('config', '--unset', key)
    }
  })

  it('leaves the index of the repository as it is', async () => {
    const digest = (): string =>
      createHash('sha256')
        .update(readFileSync(join(folder, '.git/index')))
        .digest('hex')
    execFileSync('touch', ['-d', '2001-01-01', 'f'], { cwd: folder })
    const before = digest()
    await run('git status; git diff; git diff --stat HEAD')
    expect(digest()).toBe(before)
    execFileSync('git', ['status'], { cwd: folder, stdio: 'ignore' })
    expect(digest()).not.toBe(before)
  })
})
