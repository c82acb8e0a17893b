/**
 * The main job on every real session: compact, doctor, restore, the identity without rules, and that a second
 * compaction finds nothing. Through the use cases, in one process; test/cli.test.ts runs the program itself.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { restoreSession } from '../src/sessions/restore.ts'
import { DATA, EXAMPLES, hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const FOLDERS = ['claude-code', 'pi', 'openclaw', 'codex', 'claude-code-probe', 'openclaw-probe']

const examples = ['long.jsonl', 'damaged.jsonl'].map((name) => join(EXAMPLES, name))
const files = [...examples, ...FOLDERS.flatMap(sessionFiles)]
if (!hasData) noticeMissing('../shared/data')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-real-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function plain(file: string): Buffer {
  const bytes = readFileSync(file)
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
}

describe.each(files)('%s', (file) => {
  const name = relative(DATA, file).replaceAll('/', '+')
  const path = (ending: string) => join(folder, `${basename(name, '.gz')}.${ending}`)
  const archive = () => join(folder, 'archive')

  it('compacts to a legal session, restores to its own bytes, and settles', async () => {
    const out = path('compact.jsonl')
    const report = await compactSession(file, { target: { kind: 'file', path: out }, archive: archive() })
    expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.before)
    expect(report.violations.after).toBe(0)

    const examined = await doctorSession(out)
    expect(examined.violations.filter((violation) => violation.severity === 'reject')).toEqual([])
    expect(examined.repairs).toEqual([])

    const restored = path('restored.jsonl')
    const restoring = await restoreSession(out, { out: restored, archive: archive() })
    expect(restoring.exact).toBe(true)
    expect(readFileSync(restored).equals(plain(file))).toBe(true)

    const again = await compactSession(out, { target: { kind: 'file', path: path('again.jsonl') }, archive: archive() })
    expect(again.outcome).toBe('unchanged')
    expect(readFileSync(path('again.jsonl')).equals(readFileSync(out))).toBe(true)
  })

  it('is written back byte for byte without rules', async () => {
    const out = path('same.jsonl')
    await compactSession(file, { target: { kind: 'file', path: out }, archive: archive(), rules: ['none'] })
    expect(readFileSync(out).equals(plain(file))).toBe(true)
  })

  it('is analyzed from its sizes as from its words', async () => {
    const analysis = await analyzeSession(file)
    const dry = await compactSession(file, { target: { kind: 'nowhere' } })
    expect(analysis.tokens.total).toBe(dry.tokens.before)
    const kinds = Object.values(analysis.tokens.byKind).reduce((sum, tokens) => sum + tokens, 0)
    expect(Math.abs(kinds - analysis.tokens.total)).toBeLessThanOrEqual(Object.keys(analysis.tokens.byKind).length)
  })
})
