import { describe, expect, it } from 'vitest'
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../stores/index.ts'
import { halfDoneIn } from './half-done.ts'
import { endsWithPrompt, recordedSession } from './recorded.ts'

const KEY: SessionKey = { projectKey: 'p', sessionId: 's' }

let number = 0
function entry(role: 'user' | 'assistant', content: unknown): SessionStoreEntry {
  const message =
    role === 'user' ? { role, content } : { role, content, id: `m${++number}`, model: 'claude-opus-5-5', usage: {} }
  return {
    type: role,
    uuid: `u${++number}`,
    parentUuid: number > 2 ? `u${number - 1}` : null,
    isSidechain: false,
    sessionId: 's',
    message,
  }
}

/** A chain: each entry the child of the one before. */
function chain(entries: SessionStoreEntry[]): SessionStoreEntry[] {
  return entries.map((each, index) => ({ ...each, parentUuid: entries[index - 1]?.uuid ?? null }))
}

const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
const spawn = (id: string) =>
  call(id, 'Agent', { description: 'Count files', prompt: 'Count.', subagent_type: '分析员' })

function storeOf(main: SessionStoreEntry[], worker: SessionStoreEntry[]): SessionStore & { readonly loads: string[] } {
  const loads: string[] = []
  return {
    loads,
    append: () => Promise.reject(new Error('read only')),
    load: async ({ subpath = 'main' }) => {
      loads.push(subpath)
      return subpath === 'main' ? main : worker
    },
    listSubkeys: async () => ['subagents/agent-a1', 'spillway/decisions'],
  }
}

const WORKER = [
  { type: 'agent_metadata', agentType: '分析员', toolUseId: 'c1' },
  ...chain([
    entry('user', 'Count.'),
    entry('assistant', [{ type: 'text', text: 'I  begin\nhere.' }, call('w1', 'Bash', { command: 'ls' })]),
    entry('user', [result('w1', 'a b c')]),
    entry('assistant', [call('w2', 'Bash', { command: 'sleep 9' })]),
  ]).map((each) => ({ ...each, isSidechain: true, agentId: 'a1' })),
]

async function halfDone(main: SessionStoreEntry[], stopped: string[] = [], reported: string[] = []) {
  const store = storeOf(chain(main), WORKER)
  const recorded = await recordedSession(store, KEY)
  if (!recorded) throw new Error('no session')
  return { found: await halfDoneIn(recorded, new Set(stopped), reported), loads: store.loads }
}

describe('workers that were cut off', () => {
  it('are named by the call that started them, with how far they came', async () => {
    const { found } = await halfDone([entry('user', 'Go.'), entry('assistant', [spawn('c1')])])
    expect(found).toEqual([{ callId: 'c1', role: '分析员', name: 'Count files', calls: 1, lastWords: 'I begin here.' }])
  })

  it('are not those that have reported, and then no worker is read', async () => {
    const report = [{ type: 'text', text: 'Three.\nagentId: a1' }]
    const main = [entry('user', 'Go.'), entry('assistant', [spawn('c1')]), entry('user', [result('c1', report)])]
    const { found, loads } = await halfDone(main)
    expect([found, loads]).toEqual([[], ['main']])
  })

  it('are told of once', async () => {
    expect((await halfDone([entry('user', 'Go.'), entry('assistant', [spawn('c1')])], [], ['c1'])).found).toEqual([])
  })
})

describe('whether a prompt has arrived', () => {
  const transcript = async (...main: SessionStoreEntry[]) =>
    (await recordedSession(storeOf(chain(main), []), KEY))?.main
  it('is told by the last thing that was said', async () => {
    const asked = await transcript(
      entry('user', 'One.'),
      entry('assistant', [{ type: 'text', text: 'x' }]),
      entry('user', 'Two.'),
    )
    expect([asked && endsWithPrompt(asked, 'Two.'), asked && endsWithPrompt(asked, 'One.')]).toEqual([true, false])
    const answered = await transcript(entry('user', 'Two.'), entry('assistant', [{ type: 'text', text: 'x' }]))
    expect(answered && endsWithPrompt(answered, 'Two.')).toBe(false)
  })
})
