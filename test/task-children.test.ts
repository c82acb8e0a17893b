/** Workers' transcripts at hand tell what their parent's does not: in a folder, in OpenClaw's registry, in its store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addressWords } from '../src/formats/openclaw-store/index.ts'
import { type ReportedTask, sessionTasks } from '../src/sessions/tasks.ts'
import { answered, call as claudeCall, result as claudeResult, fileOf, said, text } from './support/claude-lines.ts'
import { assistant, call, chain, header, piBytes, result, user } from './support/pi.ts'

const PARENT = 'aaaaaaaa-0000-4000-8000-000000000001'
const CHILD = 'bbbbbbbb-0000-4000-8000-000000000002'
const KEY = 'agent:main:subagent:cccccccc-0000-4000-8000-000000000003'
const ACCEPTED = JSON.stringify({ status: 'accepted', childSessionKey: KEY, runId: 'r1', mode: 'run' })

/** OpenClaw 2026.6.11: nothing in the parent tells that the child has ended. */
const parent = [
  header(3, { id: PARENT }),
  ...chain([
    user('Have it fixed.'),
    assistant([{ ...call('call_1', { task: 'Fix add()', label: 'fix-add' }), name: 'sessions_spawn' }]),
    result('call_1', ACCEPTED, { toolName: 'sessions_spawn' }),
    assistant([{ type: 'text', text: 'Under way.' }]),
  ]),
]
const child = [
  header(3, { id: CHILD }),
  ...chain([
    user('[Subagent Task]: Fix add()'),
    assistant([{ type: 'text', text: 'Fixed src/add.ts, 3 tests pass.' }]),
  ]),
]

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-children-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function only(file: string): Promise<ReportedTask | undefined> {
  const { tasks } = await sessionTasks(file)
  expect(tasks).toHaveLength(1)
  return tasks[0]
}

describe('OpenClaw session files', () => {
  const registry = (spawnedBy: string) =>
    JSON.stringify({ 'agent:main:main': { sessionId: PARENT }, [KEY]: { sessionId: CHILD, spawnedBy } })
  const file = () => join(folder, `${PARENT}.jsonl`)

  it('the registry leads from the child key to the transcript', async () => {
    writeFileSync(file(), piBytes(parent))
    writeFileSync(join(folder, `${CHILD}.jsonl`), piBytes(child))
    expect(await only(file())).toMatchObject({ state: 'running' })
    writeFileSync(join(folder, 'sessions.json'), registry('agent:main:main'))
    expect(await only(file())).toMatchObject({ id: 'call_1', state: 'completed' })
  })

  it('sessions that somebody else spawned are not looked at', async () => {
    writeFileSync(file(), piBytes(parent))
    writeFileSync(join(folder, `${CHILD}.jsonl`), piBytes(child))
    writeFileSync(join(folder, 'sessions.json'), registry('agent:other:main'))
    expect(await only(file())).toMatchObject({ state: 'running' })
  })

  it('a damaged registry, a missing and a damaged transcript stop nothing', async () => {
    writeFileSync(file(), piBytes(parent))
    for (const damaged of ['{"agent:main:main": ', '[]', '{"a": 1, "b": null}']) {
      writeFileSync(join(folder, 'sessions.json'), damaged)
      expect(await only(file())).toMatchObject({ state: 'running' })
    }
    writeFileSync(join(folder, 'sessions.json'), registry('agent:main:main'))
    expect(await only(file())).toMatchObject({ state: 'running' })
    writeFileSync(join(folder, `${CHILD}.jsonl`), 'no session at all\n')
    const problems: string[] = []
    const { tasks } = await sessionTasks(file(), { onProblem: ({ message }) => problems.push(message) })
    expect(tasks).toMatchObject([{ state: 'running' }])
    expect(problems).toEqual([expect.stringContaining(`${CHILD}.jsonl`)])
  })
})

it("OpenClaw's store names a session's children", async () => {
  const database = join(folder, 'openclaw-agent.sqlite')
  const store = new Database(database)
  store.exec(`CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, spawned_by TEXT);
    CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER)`)
  const put = store.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, 1)')
  for (const [seq, entry] of parent.entries()) put.run(PARENT, seq, JSON.stringify(entry))
  for (const [seq, entry] of child.entries()) put.run(CHILD, seq, JSON.stringify(entry))
  const node = store.prepare('INSERT INTO session_nodes VALUES (?, ?, ?)')
  node.run('agent:main:main', PARENT, null)
  const session = addressWords({ database, session: PARENT })
  expect(await only(session)).toMatchObject({ state: 'running' })
  node.run(KEY, CHILD, 'agent:main:main')
  expect(await only(session)).toMatchObject({ state: 'completed' })
  store.exec('DROP TABLE session_nodes')
  store.close()
  expect(await only(session)).toMatchObject({ state: 'running' })
})

it("Claude Code's subagents folder holds what a launch and its notification leave out", async () => {
  const file = join(folder, `${PARENT}.jsonl`)
  const agent = 'a0000000000000001'
  writeFileSync(
    file,
    fileOf([
      said('u1', null, 'Have it fixed.', { cwd: '/w', version: '2.1.332' }),
      answered('a1', 'u1', [claudeCall('toolu_1', 'Agent', { description: 'fix', prompt: 'Fix add()' })], 'm1'),
      said(
        'u2',
        'a1',
        [claudeResult('toolu_1', `Async agent launched successfully.\nagentId: ${agent} (internal ID)`)],
        {
          toolUseResult: { isAsync: true, status: 'async_launched', agentId: agent },
        },
      ),
      answered('a2', 'u2', [text('Under way.')], 'm2'),
    ]),
  )
  expect(await only(file)).toMatchObject({ state: 'running', files: [] })
  const write = claudeCall('toolu_9', 'Write', { file_path: '/w/src/add.ts', content: 'export const add = 1' })
  mkdirSync(join(folder, PARENT, 'subagents'), { recursive: true })
  writeFileSync(
    join(folder, PARENT, 'subagents', `agent-${agent}.jsonl`),
    fileOf([
      { ...said('s1', null, 'Fix add()'), isSidechain: true, agentId: agent },
      { ...answered('s2', 's1', [write], 'm8'), isSidechain: true, agentId: agent },
      {
        ...said('s3', 's2', [claudeResult('toolu_9', 'File created successfully')]),
        isSidechain: true,
        agentId: agent,
      },
      { ...answered('s4', 's3', [text('Fixed it.')], 'm9'), isSidechain: true, agentId: agent },
    ]),
  )
  // Its report names no file; its calls do.
  expect(await only(file)).toMatchObject({ state: 'completed', files: ['/w/src/add.ts'] })
})
