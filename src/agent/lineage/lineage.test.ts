import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastSession, writeSession } from './lineage.ts'
import { type ManifestRow, readManifest, writeRows } from './manifest.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-lineage-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function row(run: string, attempt: number, more: Partial<ManifestRow> = {}): ManifestRow {
  return {
    run,
    step: 'work',
    agent: '主控',
    attempt,
    sessionId: `session of ${run}`,
    projectKey: null,
    state: 'running',
    startedAt: '2026-11-30T10:00:00.000Z',
    endedAt: null,
    cost: 0,
    sessionCost: 0,
    turns: 0,
    context: 0,
    resumed: false,
    error: null,
    processId: 1,
    ...more,
  }
}

describe('manifest', () => {
  it('replaces the rows of its own run and keeps those of others, in order', () => {
    writeRows(folder, 'a', [row('a', 1)])
    writeRows(folder, 'b', [row('b', 1)])
    writeRows(folder, 'a', [row('a', 1, { state: 'failed' }), row('a', 2)])
    expect(readManifest(folder).map(({ run, attempt, state }) => `${run}${attempt} ${state}`)).toEqual([
      'a1 failed',
      'a2 running',
      'b1 running',
    ])
  })

  it('is readable by its owner only, and leaves nothing behind', () => {
    const deeper = join(folder, 'run')
    writeRows(deeper, 'a', [row('a', 1)])
    expect(statSync(join(deeper, 'manifest.json')).mode & 0o777).toBe(0o600)
    expect(statSync(deeper).mode & 0o777).toBe(0o700)
    expect(readdirSync(deeper)).toEqual(['manifest.json'])
  })

  it('starts afresh beside a damaged file', () => {
    writeFileSync(join(folder, 'manifest.json'), '{"version": 1, "ro')
    expect(readManifest(folder)).toEqual([])
    writeRows(folder, 'a', [row('a', 1)])
    const kept = readdirSync(folder).find((name) => name.startsWith('manifest.json.damaged-')) ?? ''
    expect(readFileSync(join(folder, kept), 'utf8')).toBe('{"version": 1, "ro')
    expect(readManifest(folder).length).toBe(1)
  })

  it('refuses a newer file and leaves it alone', () => {
    writeFileSync(join(folder, 'manifest.json'), '{"version": 2}')
    expect(() => writeRows(folder, 'a', [])).toThrow(/newer Spillway/)
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe('{"version": 2}')
  })

  it('loses no row when several processes write at once', async () => {
    const module = resolve(import.meta.dirname, 'manifest.ts')
    const work = (name: string) => `
      import { readManifest, writeRows } from ${JSON.stringify(module)}
      const rows = []
      for (let attempt = 1; attempt <= 12; attempt++) {
        rows.push(${JSON.stringify(row(name, 0))})
        rows.at(-1).attempt = attempt
        writeRows(${JSON.stringify(folder)}, ${JSON.stringify(name)}, rows)
      }`
    const names = ['a', 'b', 'c']
    const run = promisify(execFile)
    const tsx = ['--import', 'tsx', '--input-type=module', '-e']
    await Promise.all(names.map((name) => run(process.execPath, [...tsx, work(name)])))
    const counts = names.map((name) => readManifest(folder).filter(({ run }) => run === name).length)
    expect(counts).toEqual([12, 12, 12])
  })
})

describe('lineage', () => {
  it('knows the last session of each step', () => {
    writeSession(folder, '/work', { step: 'plan', sessionId: 's1', run: 'a' })
    writeSession(folder, '/work', { step: '实现', sessionId: 's2', run: 'a' })
    writeSession(folder, '/work', { step: 'plan', sessionId: 's3', run: 'b' })
    expect(['plan', '实现', 'else', 'constructor'].map((step) => lastSession(folder, '/work', step))).toEqual([
      's3',
      's2',
      undefined,
      undefined,
    ])
  })

  it('does not go on in another workspace', () => {
    writeSession(folder, '/one', { step: 'plan', sessionId: 's1', run: 'a' })
    expect(lastSession(folder, '/other', 'plan')).toBeUndefined()
    writeSession(folder, '/other', { step: 'work', sessionId: 's2', run: 'b' })
    expect(lastSession(folder, '/other', 'plan')).toBeUndefined()
    expect(lastSession(folder, '/other', 'work')).toBe('s2')
  })
})
