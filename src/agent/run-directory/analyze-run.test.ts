import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SqliteSessionStore } from '../../stores/index.ts'
import { type ManifestRow, writeRows } from '../lineage/manifest.ts'
import { analyzeRun } from './analyze-run.ts'
import { STORE_FILE } from './files.ts'

const ROW: ManifestRow = {
  run: 'r',
  step: 'step',
  agent: 'agent',
  attempt: 1,
  sessionId: 'kept',
  projectKey: 'project',
  state: 'done',
  startedAt: '2026-11-30T00:00:00.000Z',
  endedAt: null,
  cost: 0.25,
  sessionCost: 0.25,
  turns: 1,
  context: 10,
  resumed: false,
  error: null,
  processId: 1,
}

function message(uuid: string, parentUuid: string | null, type: 'user' | 'assistant', content: string) {
  const role = type
  return { type, uuid, parentUuid, isSidechain: false, sessionId: 'kept', message: { role, id: uuid, content } }
}

it('analyzes what is there and names the sessions that the store no longer holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const store = new SqliteSessionStore(join(folder, STORE_FILE))
  const entries = [message('u', null, 'user', 'Go.'), message('a', 'u', 'assistant', 'Done.')]
  await store.append({ projectKey: 'project', sessionId: 'kept' }, entries)
  await store.close()
  writeRows(folder, 'r', [
    ROW,
    { ...ROW, step: 'other', sessionId: 'deleted' },
    { ...ROW, sessionId: 'never', projectKey: null },
  ])
  const run = await analyzeRun(folder)
  expect([run.sessions.map(({ file }) => file), run.missing, run.cost]).toEqual([['kept'], ['deleted'], 0.75])
  expect(run.steps.map(({ sessionId }) => sessionId)).toEqual(['kept', 'deleted', 'never'])
})
