import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compactSession } from './compact.ts'
import { doctorSession } from './doctor.ts'
import { restoreSession } from './restore.ts'

const folder = mkdtempSync(join(tmpdir(), 'spillway-settle-'))
afterAll(() => rmSync(folder, { recursive: true }))

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `run ${id}` } })
const entry = (uuid: string, parentUuid: string | null, type: string, message: object) => ({
  uuid,
  parentUuid,
  type,
  isSidechain: false,
  sessionId: 's',
  message,
})

/** The halves of one parallel call stand in the wrong order, both with parents that are gone. */
const torn = [
  entry('u1', null, 'user', { role: 'user', content: 'task' }),
  entry('a2', 'a1', 'assistant', { id: 'm', role: 'assistant', content: [call('t2')] }),
  entry('r2', 'a2', 'user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2', content: 'ok' }] }),
  entry('u2', 'r2', 'user', { role: 'user', content: 'wait' }),
  entry('a1', 'gone', 'assistant', { id: 'm', role: 'assistant', content: [call('t1')] }),
  entry('u3', 'lost', 'user', { role: 'user', content: 'go on' }),
]

describe('settling', () => {
  const file = join(folder, 'torn.jsonl')
  const bytes = Buffer.from(torn.map((line) => `${JSON.stringify(line)}\n`).join(''))
  writeFileSync(file, bytes)
  const archive = join(folder, 'archive')

  it('repairs what a repair brings to light, and still undoes everything', async () => {
    const path = join(folder, 'whole.jsonl')
    const report = await compactSession(file, { target: { kind: 'file', path }, archive })
    expect(report.violations.before).toBeGreaterThan(0)
    expect(report.violations.after).toBe(0)
    const back = join(folder, 'back.jsonl')
    await restoreSession(path, { out: back, archive })
    expect(readFileSync(back).equals(bytes)).toBe(true)
  })

  it('tells every repair, those of later rounds without a line of the input', async () => {
    const fix = join(folder, 'healed.jsonl')
    const report = await doctorSession(file, { fix, archive })
    expect(report.remaining?.filter(({ severity }) => severity === 'reject')).toEqual([])
    expect(report.repairs.some(({ line }) => line === null)).toBe(true)
  })
})
