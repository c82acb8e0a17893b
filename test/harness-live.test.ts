/**
 * What Claude Code does with a session of its own that we change between its runs: it goes on, forks, compacts, calls
 * subagents, for several epochs of ours. The strict server made every answer itself and remembers it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { thinkingRuleOf } from '../src/core/models.ts'
import { compactSession } from '../src/sessions/compact.ts'
import {
  answer,
  call,
  type ReceivedRequest,
  type Reply,
  type ScriptedModel,
  say,
  scriptedModel,
  think,
} from '../src/testing/index.ts'
import {
  type ClaudeHome,
  claudeCodeBinary,
  createClaudeHome,
  type RunOptions,
  runClaudeCode,
} from './support/claude-code.ts'
import { MATRIX_MODELS, TOOLS, thinkingIn } from './support/matrix.ts'
import { noticeMissing } from './support/shared.ts'

/** More results than the default policy keeps. */
const ROUNDS = 14

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

/** A user at a keyboard, and a model that thinks, runs so many commands with long outputs and is done. */
class Story {
  readonly home: ClaudeHome = createClaudeHome()
  readonly #name: string
  #server: ScriptedModel | undefined
  #left = 0
  #commands = 0
  #worker = false

  constructor(name: string) {
    this.#name = name
  }

  async open(): Promise<void> {
    const window = Number.MAX_SAFE_INTEGER
    this.#server = await scriptedModel({ script: (request) => this.#reply(request), strict: true, window })
  }

  async close(): Promise<void> {
    await this.#server?.close()
    this.home.remove()
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#server?.requests ?? []
  }

  get refusals(): string[] {
    return this.requests.flatMap(({ refusal }) => (refusal ? `${refusal.rule} ${refusal.message}` : []))
  }

  file(id: string): string {
    return join(this.home.sessions, `${id}.jsonl`)
  }

  /** One prompt with `rounds` commands, in a new session or a resumed one. @returns the session's id */
  async run(rounds: number, options: Partial<RunOptions> & { readonly worker?: boolean } = {}): Promise<string> {
    const { worker = false, prompt = 'Go on.', ...rest } = options
    this.#left = rounds
    this.#worker = worker
    const before = this.requests.length
    const url = this.#server?.url ?? ''
    const run = await runClaudeCode(this.home, url, { prompt, model: this.#name, tools: TOOLS, ...rest })
    expect(run.error).toBeUndefined()
    const first = this.requests[before]
    if (first) process.stdout.write(`${this.#name}: ${thinkingIn(first.body)} thinking blocks on the wire\n`)
    const ids = run.messages.flatMap((message) => (message.type === 'result' ? message.session_id : []))
    return ids.at(-1) ?? ''
  }

  /** @param model the one that will go on, when it is another */
  async compact(id: string, model?: string): Promise<void> {
    const archive = join(this.home.root, 'archive')
    const options = { target: { kind: 'in-place', force: true }, archive } as const
    const report = await compactSession(this.file(id), model === undefined ? options : { ...options, model })
    expect(report.outcome).toBe('rewritten')
  }

  /** Nothing was refused, and so nothing had to be healed. */
  expectQuiet(id: string): void {
    expect(this.refusals).toEqual([])
    expect(readFileSync(this.file(id), 'utf8')).not.toContain('"thinking_stripped"')
  }

  #reply({ body }: ReceivedRequest): Reply {
    const last = JSON.stringify(body.messages.at(-1))
    if (last.includes('CRITICAL: Respond with TEXT ONLY')) return SUMMARY
    if (JSON.stringify(body.system).includes('cc_is_subagent=true')) {
      return last.includes('tool_result') ? answer(say('The worker is done.')) : this.#command()
    }
    if (this.#worker) {
      this.#worker = false
      const task = { description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose' }
      return answer(think('A worker can do this.'), call('Agent', { ...task, run_in_background: false }))
    }
    if (this.#left === 0) return answer(think('That was all.'), say('Done.'))
    this.#left--
    return this.#command()
  }

  #command(): Reply {
    const number = ++this.#commands
    const command = `seq ${number} ${number + 900}`
    return answer(think(`Round ${number}.`), call('Bash', { command, description: `Count from ${number}` }))
  }
}

const SUMMARY: Reply = answer(say('<analysis>Counted.</analysis><summary>We counted; nothing is left.</summary>'))

describe.skipIf(!binary).each(MATRIX_MODELS)('a session of its own on %s', (model) => {
  let story: Story
  beforeEach(async () => {
    story = new Story(model)
    await story.open()
  })
  afterEach(() => story.close())

  it('goes on through three epochs of ours, and forks', async () => {
    const id = await story.run(ROUNDS, { prompt: 'Count.' })
    for (let epoch = 1; epoch <= 3; epoch++) {
      await story.compact(id)
      expect(await story.run(ROUNDS, { resume: id })).toBe(id)
      story.expectQuiet(id)
    }
    const fork = await story.run(1, { resume: id, forkSession: true })
    expect(fork).not.toBe(id)
    story.expectQuiet(fork)
    const report = await compactSession(story.file(id), {
      target: { kind: 'fork' },
      archive: join(story.home.root, 'archive'),
    })
    expect(await story.run(1, { resume: report.id ?? '' })).toBe(report.id)
    story.expectQuiet(report.id ?? '')
    expect(story.requests.some(({ body }) => thinkingIn(body) > ROUNDS)).toBe(true)
  })

  it('goes on with the other model and comes back', async () => {
    const id = await story.run(ROUNDS, { prompt: 'Count.' })
    for (const next of [...MATRIX_MODELS.filter((other) => other !== model), model]) {
      await story.compact(id, next)
      await story.run(ROUNDS, { resume: id, model: next })
      story.expectQuiet(id)
    }
  })

  it('compacts itself between two epochs of ours', async () => {
    const id = await story.run(ROUNDS, { prompt: 'Count.' })
    await story.compact(id)
    await story.run(0, { resume: id, prompt: '/compact' })
    expect(readFileSync(story.file(id), 'utf8')).toContain('"compact_boundary"')
    await story.run(ROUNDS, { resume: id })
    // The tail that it keeps stands behind another beginning: that is its own doing, and it heals it.
    const own = story.refusals
    process.stdout.write(`${model}: ${own.length} refusals by its own compaction\n`)
    if (thinkingRuleOf(model) !== 'bound') expect(own).toEqual([])
    await story.compact(id)
    await story.run(2, { resume: id })
    expect(story.refusals).toEqual(own)
  })

  it('goes on after a subagent has worked', async () => {
    const id = await story.run(ROUNDS, { prompt: 'Count, with help.', worker: true })
    expect(story.requests.some(({ body }) => JSON.stringify(body.system).includes('cc_is_subagent=true'))).toBe(true)
    expect(existsSync(join(story.home.sessions, id, 'subagents'))).toBe(true)
    await story.compact(id)
    await story.run(2, { resume: id, worker: true })
    story.expectQuiet(id)
  })
})
