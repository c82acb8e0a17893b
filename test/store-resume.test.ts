/**
 * The real Claude Code binary resumes from an EconomyStore, against the strict server that made every answer itself:
 * what it sends is the view, legal, and the same from one resume to the next; what the store recorded stays.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSessionToStore } from '@anthropic-ai/claude-agent-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import { referencesIn } from '../src/core/pointer.ts'
import {
  EconomyStore,
  type EconomyStoreOptions,
  type SessionKey,
  SqliteSessionStore,
  type StoreEvent,
} from '../src/stores/index.ts'
import {
  answer,
  call,
  type ReceivedRequest,
  type Reply,
  type ScriptedModel,
  say,
  scriptedModel,
  think,
  type WireRequest,
} from '../src/testing/index.ts'
import {
  type ClaudeHome,
  claudeCodeBinary,
  createClaudeHome,
  type RunOptions,
  runClaudeCode,
} from './support/claude-code.ts'
import { MATRIX_MODELS, thinkingIn } from './support/matrix.ts'
import { noticeMissing } from './support/shared.ts'
import { flatten } from './support/wire-difference.ts'

/** More results than the default policy keeps. */
const ROUNDS = 14
/** Entries stored before the processes are killed. */
const KILLED_AFTER = 40
const RUN_STORED = fileURLToPath(new URL('./support/run-stored.ts', import.meta.url))

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

/** A person, a model that counts with long outputs, and a store in a file; every run opens the store anew. */
class Stage {
  readonly home: ClaudeHome = createClaudeHome()
  readonly events: StoreEvent[] = []
  readonly model: string
  #server: ScriptedModel | undefined
  #inner: SqliteSessionStore
  #left = 0
  #commands = 0
  /** What the model says next, before it counts. */
  first: Reply | undefined

  constructor(model: string) {
    this.model = model
    this.#inner = new SqliteSessionStore(this.file)
  }

  get file(): string {
    return join(this.home.root, 'store', 'sessions.sqlite')
  }

  get archive(): string {
    return join(this.home.root, 'archive')
  }

  get inner(): SqliteSessionStore {
    return this.#inner
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#server?.requests ?? []
  }

  get refusals(): string[] {
    return this.requests.flatMap(({ refusal }) => (refusal ? `${refusal.rule} ${refusal.message}` : []))
  }

  async open(): Promise<void> {
    const window = Number.MAX_SAFE_INTEGER
    this.#server = await scriptedModel({ script: (request) => this.#reply(request), strict: true, window })
  }

  async close(): Promise<void> {
    await this.#server?.close()
    await this.#inner.close()
    this.home.remove()
  }

  /** As another process would have it. */
  store(options: EconomyStoreOptions = {}): EconomyStore {
    return new EconomyStore(this.#inner, {
      archive: this.archive,
      onEvent: (event) => this.events.push(event),
      ...options,
    })
  }

  keyOf(sessionId: string): SessionKey {
    return { projectKey: this.home.project.replace(/[^a-zA-Z0-9]/g, '-'), sessionId }
  }

  /** One prompt with so many commands. @returns the session's id and what was sent */
  async run(rounds: number, store: EconomyStore | undefined, options: Partial<RunOptions> = {}) {
    this.count(rounds)
    const before = this.requests.length
    const run = await runClaudeCode(this.home, this.url, {
      prompt: 'Go on.',
      model: this.model,
      tools: ['Bash', 'Agent'],
      ...(store ? { sessionStore: store, sessionStoreFlush: 'eager' } : {}),
      ...options,
    })
    const ids = run.messages.flatMap((message) => ('session_id' in message ? (message.session_id ?? []) : []))
    return { id: ids.at(-1) ?? '', sent: this.requests.slice(before).map(({ body }) => body), error: run.error }
  }

  /** The model runs so many commands before it is done. */
  count(rounds: number): void {
    this.#left = rounds
  }

  /** Nothing was refused, so nothing had to be healed, and the store has nothing to report but epochs. */
  expectQuiet(): void {
    expect(this.refusals).toEqual([])
    expect(this.events.filter(({ type }) => type !== 'epoch')).toEqual([])
  }

  #reply({ body }: ReceivedRequest): Reply {
    if (JSON.stringify(body.system).includes('cc_is_subagent=true')) return answer(say('The worker is done.'))
    const next = this.first
    this.first = undefined
    if (next) return next
    if (this.#left === 0) return answer(think('That was all.'), say('Done.'))
    this.#left--
    const number = ++this.#commands
    const command = `seq ${number} ${number + 900}`
    return answer(think(`Round ${number}.`), call('Bash', { command, description: `Count from ${number}` }))
  }
}

function charsOf(request: WireRequest | undefined): number {
  return JSON.stringify(request?.messages ?? []).length
}

/** The blocks that are sent, without cache marks. */
function blocksOf(request: WireRequest | undefined): string[] {
  return request ? flatten(request).map(({ role, block }) => JSON.stringify([role, block])) : []
}

/** How many blocks at the start are the same. */
function sharedPrefix(one: readonly string[], two: readonly string[]): number {
  const at = one.findIndex((block, index) => block !== two[index])
  return at < 0 ? one.length : at
}

describe.skipIf(!binary).each(MATRIX_MODELS)('resuming from an EconomyStore on %s', (model) => {
  let stage: Stage
  beforeEach(async () => {
    stage = new Stage(model)
    await stage.open()
  })
  afterEach(() => stage.close())

  it('sends a smaller view, legal, and the same from one resume to the next', async () => {
    const { id, sent: told } = await stage.run(ROUNDS, stage.store(), { prompt: 'Count.' })
    const key = stage.keyOf(id)
    const recorded = await stage.inner.load(key)

    const epoch = stage.store()
    epoch.force(key, 'asked')
    const first = await stage.run(2, epoch, { resume: id })
    expect(first.id).toBe(id)
    expect(stage.events).toMatchObject([{ type: 'epoch', outcome: 'rewritten' }])
    expect(charsOf(first.sent[0])).toBeLessThan(charsOf(told.at(-1)) * 0.8)
    // The store still has what it was given, with what came since behind it.
    expect((await stage.inner.load(key))?.slice(0, recorded?.length)).toEqual(recorded)
    await expectArchived(stage, first.sent[0])

    // Without a new epoch the next process sends what this one sent, byte for byte, and goes on behind it.
    for (let resume = 0; resume < 2; resume++) {
      const last = stage.requests.at(-1)?.body
      const next = await stage.run(1, stage.store(), { resume: id })
      expect(sharedPrefix(blocksOf(last), blocksOf(next.sent[0]))).toBe(blocksOf(last).length)
      expect(next.sent[0]?.system).toEqual(last?.system)
      expect(next.sent[0]?.tools).toEqual(last?.tools)
    }

    // The next epoch leaves alone what stands before its first edit.
    const before = stage.requests.at(-1)?.body
    const again = stage.store()
    again.force(key, 'asked')
    const second = await stage.run(ROUNDS, again, { resume: id })
    const kept = sharedPrefix(blocksOf(before), blocksOf(second.sent[0]))
    expect(kept).toBeGreaterThan(3)
    expect(kept).toBeLessThan(blocksOf(before).length)
    expect(thinkingIn(second.sent.at(-1) as WireRequest)).toBeGreaterThan(ROUNDS - 1)
    stage.expectQuiet()
  })

  it('goes on after the process was stopped in the middle of a call, again and again', async () => {
    const { id } = await stage.run(ROUNDS, stage.store(), { prompt: 'Count.' })
    const key = stage.keyOf(id)
    for (let stop = 1; stop <= 2; stop++) {
      stage.first = answer(
        think('This takes long.'),
        call('Bash', { command: `sleep 20 # ${stop}`, description: 'Wait' }),
      )
      const stopped = await stage.run(0, stage.store(), {
        resume: id,
        onMessage: (message, { abort }) => {
          if (message.type === 'assistant' && JSON.stringify(message.message.content).includes('sleep 20'))
            setTimeout(abort, 300)
        },
      })
      expect(String(stopped.error)).toContain('abort')
      const recorded = JSON.stringify(await stage.inner.load(key))
      expect(recorded).not.toContain('[no result recorded')
      const before = blocksOf(stopped.sent.at(-1))
      const resumed = await stage.run(1, stage.store(), { resume: id })
      const blocks = blocksOf(resumed.sent[0])
      // All that was sent is sent again, the open call behind it, and its answer.
      expect(sharedPrefix(before, blocks)).toBe(before.length)
      expect(blocks.join('\n').split('no result recorded').length - 1).toBe(stop)
      expect(resumed.error).toBeUndefined()
    }
    stage.expectQuiet()
  })

  it('gives a worker’s transcript back as it is', async () => {
    stage.first = answer(
      think('A worker can do this.'),
      call('Agent', {
        description: 'Look',
        prompt: 'Look around.',
        subagent_type: 'general-purpose',
        run_in_background: false,
      }),
    )
    const { id } = await stage.run(ROUNDS, stage.store(), { prompt: 'Count, with help.' })
    const key = stage.keyOf(id)
    const store = stage.store()
    store.force(key, 'asked')
    await stage.run(1, store, { resume: id })
    const subkeys = (await store.listSubkeys?.(key)) ?? []
    expect(subkeys).toEqual([expect.stringMatching(/^subagents\/agent-/)])
    const worker = { ...key, subpath: subkeys[0] ?? '' }
    expect(await store.load(worker)).toEqual(await stage.inner.load(worker))
    stage.expectQuiet()
  })
})

describe.skipIf(!binary)('an EconomyStore', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = new Stage('claude-opus-5-5')
    await stage.open()
  })
  afterEach(() => stage.close())

  it('resumes a session smaller that Claude Code has kept itself', async () => {
    const { id } = await stage.run(ROUNDS, undefined, { prompt: 'Count.' })
    const size = charsOf(stage.requests.at(-1)?.body)
    await importLocal(stage, id)
    const store = stage.store()
    store.force(stage.keyOf(id), 'asked')
    const resumed = await stage.run(1, store, { resume: id })
    expect(resumed.error).toBeUndefined()
    expect(charsOf(resumed.sent[0])).toBeLessThan(size * 0.8)
    stage.expectQuiet()
  })

  it('goes on with all that was stored when everything is killed with SIGKILL', async () => {
    const stored = await killedRun(stage)
    const key = { projectKey: stored[0]?.[0] ?? '', sessionId: stored[0]?.[1] ?? '' }
    const recorded = (await stage.inner.load(key)) ?? []
    const uuids = new Set(recorded.map(({ uuid }) => uuid))
    expect(stored.map(([, , uuid]) => uuid).filter((uuid) => uuid !== '-' && !uuids.has(uuid))).toEqual([])
    const resumed = await stage.run(1, stage.store(), { resume: key.sessionId })
    expect(resumed.error).toBeUndefined()
    const answers = idsIn(JSON.stringify(recorded), 'tool_use_id')
    expect(answers.size).toBeGreaterThan(3)
    const sent = idsIn(JSON.stringify(resumed.sent[0]), 'tool_use_id')
    expect([...answers].filter((id) => !sent.has(id))).toEqual([])
    expect(sent).toEqual(idsIn(JSON.stringify(resumed.sent[0]), 'id'))
    stage.expectQuiet()
  })
})

async function importLocal({ home, inner }: Stage, id: string): Promise<void> {
  // The SDK looks for the file where this process would have it.
  const before = process.env.CLAUDE_CONFIG_DIR
  process.env.CLAUDE_CONFIG_DIR = home.config
  try {
    await importSessionToStore(id, inner, { dir: home.project })
  } finally {
    if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR
    else process.env.CLAUDE_CONFIG_DIR = before
  }
}

/** A run in a process of its own, killed with the binary while it counts. @returns what it said was stored */
async function killedRun(stage: Stage): Promise<string[][]> {
  stage.count(1000)
  const words = ['--import', 'tsx', RUN_STORED, stage.file, stage.home.root, stage.url, 'Count.']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter(Boolean))
    if (lines.length > KILLED_AFTER && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  await once(child, 'exit')
  return lines.map((line) => line.split(' '))
}

function idsIn(json: string, field: 'id' | 'tool_use_id'): Set<string> {
  return new Set([...json.matchAll(new RegExp(`"${field}":"(toolu_[^"]+)"`, 'g'))].flatMap(([, id]) => id ?? []))
}

/** Every pointer on the wire names what the archive has. */
async function expectArchived(stage: Stage, request: WireRequest | undefined): Promise<void> {
  const references = new Set(referencesIn(JSON.stringify(request?.messages)))
  expect(references.size).toBeGreaterThan(0)
  const archive = await openArchive(stage.archive, { readOnly: true })
  for (const reference of references) expect(String(archive.get(reference)?.content).length).toBeGreaterThan(200)
  archive.close()
}
