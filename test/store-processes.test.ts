/** Processes that write to one session store at once, or are killed while they do, lose nothing that was said to be stored. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk'
import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { SqliteSessionStore } from '../src/stores/index.ts'
import { appended } from './support/append-entries.ts'
import { temporaryFolder } from './support/archive.ts'
import { KEY } from './support/stored-sessions.ts'

const APPEND_ENTRIES = fileURLToPath(new URL('./support/append-entries.ts', import.meta.url))
const COUNT = 150
const KILLS = 6

interface Appending {
  readonly child: ChildProcess
  /** uuids that it said are stored. */
  readonly said: string[]
}

function appending(file: string, name: string, count: number): Appending {
  const words = ['--import', 'tsx', APPEND_ENTRIES, file, name, String(count)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(...text.split('\n').filter(Boolean)))
  return { child, said }
}

function storeAt(file: string): SqliteSessionStore {
  const store = new SqliteSessionStore(file, { foldSummary: foldSessionSummary })
  onTestFinished(() => store.close())
  return store
}

async function uuidsIn(file: string): Promise<string[]> {
  return ((await storeAt(file).load(KEY)) ?? []).map(({ uuid }) => String(uuid))
}

it('several processes lose nothing, also when all of them make the file', async () => {
  const file = join(temporaryFolder(), 'sessions.sqlite')
  const names = ['one', 'two', 'three']
  const running = names.map((name) => appending(file, name, COUNT))
  const exits = await Promise.all(running.map(({ child }) => once(child, 'exit')))
  expect(exits).toEqual(names.map(() => [0, null]))
  const uuids = await uuidsIn(file)
  expect(uuids).toHaveLength(names.length * COUNT + 1)
  expect(new Set(uuids).size).toBe(uuids.length)
  for (const name of names) {
    const own = uuids.filter((uuid) => uuid.startsWith(name))
    expect(own).toEqual(appended(name, COUNT).map(({ uuid }) => uuid))
  }
  const store = storeAt(file)
  const [summary] = (await store.listSessionSummaries?.(KEY.projectKey)) ?? []
  const all = (await store.load(KEY)) ?? []
  expect(summary?.data).toEqual(foldSessionSummary(undefined, KEY, all).data)
})

it('a process that is killed loses nothing it said, and the file stays whole', async () => {
  const file = join(temporaryFolder(), 'sessions.sqlite')
  const said: string[] = []
  for (let round = 0; round < KILLS; round++) {
    const { child, said: own } = appending(file, `round${round}`, 100_000)
    await once(child.stdout ?? child, 'data')
    await new Promise((done) => setTimeout(done, Math.random() * 60))
    child.kill('SIGKILL')
    await once(child, 'exit')
    said.push(...own)
  }
  expect(said.length).toBeGreaterThan(KILLS)
  const uuids = new Set(await uuidsIn(file))
  expect(said.filter((uuid) => !uuids.has(uuid))).toEqual([])
  const database = new Sqlite(file)
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})
