/**
 * The hooks in the real Claude Code binary, driven by a scripted model that only does what a model could: it goes by
 * what stands in its last tool results. Every assertion reads the wire, the disk or the archive.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  coordinator,
  type HookEvent,
  indexGuard,
  mergeHooks,
  openWorkbench,
  roleGuards,
  roleOptions,
  type SpillGuardOptions,
  spillGuard,
  type Workbench,
  workbenchContext,
  worker,
} from '../src/agent/index.ts'
import { type Archive, openArchive } from '../src/archive/index.ts'
import { referencesIn } from '../src/core/pointer.ts'
import { referenceOf } from '../src/core/reference.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import {
  type AnswerBlock,
  answer,
  call,
  type ReceivedRequest,
  type Reply,
  type ScriptedModel,
  say,
  scriptedModel,
} from '../src/testing/index.ts'
import { type ClaudeHome, claudeCodeBinary, createClaudeHome, runClaudeCode } from './support/claude-code.ts'
import { noiseImage } from './support/noise-image.ts'
import { noticeMissing } from './support/shared.ts'

const MODEL = 'claude-sonnet-4-5'
const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

/** One tool result as the model gets it. */
interface WireResult {
  readonly text: string
  readonly images: number
  readonly failed: boolean
}

/** What a thread says next, knowing the results it has had so far. */
type Step = (results: readonly WireResult[]) => readonly AnswerBlock[]

class Office {
  readonly isolate: boolean
  readonly home: ClaudeHome
  readonly workbench: Workbench
  readonly events: HookEvent[] = []
  readonly archive: Archive
  readonly model: ScriptedModel
  main: readonly Step[] = []
  hand: readonly Step[] = []

  private constructor(
    home: ClaudeHome,
    workbench: Workbench,
    archive: Archive,
    model: ScriptedModel,
    isolate: boolean,
  ) {
    this.isolate = isolate
    this.home = home
    this.workbench = workbench
    this.archive = archive
    this.model = model
  }

  /** @param isolate workers in worktrees, and the workbench outside of the repository */
  static async open(isolate = false): Promise<Office> {
    const home = createClaudeHome()
    const folder = isolate ? { folder: join(home.root, 'bench') } : {}
    const workbench = openWorkbench({ workspace: home.project, ...folder })
    const archive = await openArchive(workbench.folder)
    const model = await scriptedModel({ script: (request) => office.#reply(request), strict: true })
    const office: Office = new Office(home, workbench, archive, model, isolate)
    return office
  }

  async close(): Promise<void> {
    await this.model.close()
    this.archive.close()
    this.home.remove()
  }

  file(name: string): string {
    return join(this.home.project, name)
  }

  async run(spill: Partial<SpillGuardOptions> = {}): Promise<void> {
    const { isolate } = this
    const 分析员 = worker('分析文件:统计、查找、比对。', '你负责文本分析。', {
      isolate,
      tools: ['Read', 'Write', 'Bash', 'Glob', 'Grep', 'mcp__store__list'],
    })
    const spec = coordinator('主控', '目标:摸清 data/ 的规模。', { 分析员 }, { model: MODEL })
    const onEvent = (event: HookEvent) => this.events.push(event)
    const { workbench, archive } = this
    const list = tool('list', 'Lists the store.', { count: z.number() }, async ({ count }) => ({
      content: [{ type: 'text', text: 'a line of the store\n'.repeat(count) }],
    }))
    const run = await runClaudeCode(this.home, this.model.url, {
      prompt: '开始。',
      ...roleOptions(spec),
      mcpServers: { store: createSdkMcpServer({ name: 'store', tools: [list] }) },
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
        append: `${spec.instructions}\n\n${workbench.promptBlock(workbench.refresh())}`,
      },
      hooks: mergeHooks(
        roleGuards(spec, { workbench, onEvent }),
        spillGuard({ archive, onEvent, ...spill }),
        indexGuard({ workbench, onEvent }),
        workbenchContext({ workbench, onEvent }),
      ),
    })
    expect(run.error).toBeUndefined()
    expect(this.model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
  }

  requests(thread: 'main' | 'hand'): ReceivedRequest[] {
    return this.model.requests.filter((request) => isHand(request) === (thread === 'hand'))
  }

  /** The results of a thread as its last request held them. */
  results(thread: 'main' | 'hand'): WireResult[] {
    return resultsIn(this.requests(thread).at(-1)?.body.messages ?? [])
  }

  spilled(tool: string): Extract<HookEvent, { type: 'result-spilled' }>[] {
    return this.events.filter((event) => event.type === 'result-spilled').filter((event) => event.tool === tool)
  }

  #reply(request: ReceivedRequest): Reply {
    const results = resultsIn(request.body.messages)
    const steps = isHand(request) ? this.hand : this.main
    const said = request.body.messages.filter(({ role }) => role === 'assistant').length
    return answer(...(steps[said]?.(results) ?? [say('完成。')]))
  }
}

function isHand({ body }: ReceivedRequest): boolean {
  return JSON.stringify(body.system ?? '').includes('cc_is_subagent=true')
}

/** In the order of the calls: parallel ones are answered as they end. */
function resultsIn(messages: ReceivedRequest['body']['messages']): WireResult[] {
  const calls: string[] = []
  const results = new Map<string, WireResult>()
  for (const { content } of messages) {
    for (const block of Array.isArray(content) ? content : []) {
      const { type, id, tool_use_id, content: body, is_error } = block as WireBlock
      if (type === 'tool_use') calls.push(id ?? '')
      if (type !== 'tool_result') continue
      const parts = typeof body === 'string' ? [{ type: 'text', text: body }] : (body ?? [])
      results.set(tool_use_id ?? '', {
        text: parts.flatMap((part) => part.text ?? []).join('\n'),
        images: parts.filter((part) => part.type === 'image').length,
        failed: is_error === true,
      })
    }
  }
  return calls.flatMap((id) => results.get(id) ?? [])
}

interface WireBlock {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly is_error?: boolean
}

const bash = (command: string) => call('Bash', { command, description: 'Run' })
const pathIn = (result: WireResult | undefined) => /Back: (\S+)\]/.exec(result?.text ?? '')?.[1] ?? 'no path'
const delegate: Step = () => [call('Agent', { description: 'Look', prompt: 'Look.', subagent_type: '分析员' })]

describe.skipIf(!binary)('hooks in Claude Code', () => {
  let office: Office
  beforeEach(async () => {
    office = await Office.open()
  })
  afterEach(() => office.close())

  it('keeps a coordinator from hands-on work: no shell sees what is denied, glances pass, workers work', async () => {
    writeFileSync(office.file('precious.txt'), 'precious')
    const script = join(office.workbench.folder, 'scripts', 'count.sh')
    office.main = [
      () => [bash('rm -rf precious.txt'), bash('ls && echo ---')],
      () => [call('Write', { file_path: office.file('own.txt'), content: 'mine' }), call('Grep', { pattern: 'p' })],
      delegate,
    ]
    office.hand = [
      () => [call('Write', { file_path: script, content: '#!/bin/sh\n# desc: counts the files\nls | wc -l\n' })],
      () => [bash(`sh ${script}; rm precious.txt`)],
    ]
    await office.run()
    const [rm, ls, write, grep, agent] = office.results('main')
    expect(rm).toMatchObject({ failed: true, text: expect.stringMatching(/No glance: .*Agent tool/) })
    expect(ls).toMatchObject({ failed: false, text: expect.stringContaining('precious.txt') })
    expect(write).toMatchObject({ failed: true, text: expect.stringContaining('Write is for workers') })
    expect(grep).toMatchObject({ failed: true, text: expect.stringContaining('Grep is for workers') })
    expect(agent?.text).toContain('完成。')
    expect(existsSync(office.file('own.txt'))).toBe(false)
    // The worker's shell ran, the coordinator's did not: it is the worker that removed the file.
    expect(office.results('hand')[1]?.text).toMatch(/^\s*1\n/)
    expect(existsSync(office.file('precious.txt'))).toBe(false)
    expect(office.events.filter(({ type }) => type === 'call-denied')).toHaveLength(3)
    expect(readFileSync(join(office.workbench.folder, 'INDEX.md'), 'utf8')).toContain('count.sh` — counts the files')
    const told = JSON.stringify(office.requests('hand')[0]?.body.messages)
    expect(told).toContain(office.workbench.folder)
    office.main = [() => [say('好。')]]
    const before = office.model.requests.length
    await office.run()
    expect(JSON.stringify(office.model.requests[before]?.body.system)).toContain('counts the files')
  })

  it("spills a worker's 300 KB log, adopts what the binary put aside, and lets it be read back", async () => {
    const log = `for i in $(seq 1 7000); do echo "$i: a line of the test log, long enough"; done`
    office.main = [delegate]
    office.hand = [
      () => [bash(log)],
      (results) => [bash(`sed -n '3001,3200p' ${pathIn(results.at(-1))}`)],
      (results) => [call('Read', { file_path: pathIn(results[0]), offset: 100, limit: 900 })],
    ]
    await office.run()
    const [first, second, third] = office.results('hand')
    expect(first?.text).toMatch(/^\[spillway [a-z2-7]{12}: Bash /)
    expect(first?.text).not.toContain('persisted-output')
    expect(first?.text.length).toBeLessThan(1500)
    expect(first?.text).toContain('7000: a line of the test log')
    const whole = Array.from({ length: 7000 }, (_, at) => `${at + 1}: a line of the test log, long enough`).join('\n')
    const ref = referencesIn(first?.text ?? '')[0] ?? ''
    expect(String(office.archive.get(ref)?.content).trimEnd()).toBe(whole)
    expect(readFileSync(pathIn(first), 'utf8').trimEnd()).toBe(whole)
    expect(whole.length).toBeGreaterThan(280_000)
    expect(second?.text).toContain('3200: a line of the test log')
    expect(second?.text).not.toContain('[spillway')
    expect(third?.text).toContain('999: a line of the test log')
    expect(third?.text).not.toContain('[spillway')
    expect(office.spilled('Bash')).toMatchObject([{ unit: 'characters', agentId: expect.any(String) }])
    const [session] = readdirSync(office.home.sessions).filter((name) => name.endsWith('.jsonl'))
    const file = join(office.home.sessions, session ?? '')
    expect((await doctorSession(file)).violations).toEqual([])
    const [hand] = readdirSync(join(file.replace('.jsonl', ''), 'subagents')).filter((name) => name.endsWith('.jsonl'))
    expect((await doctorSession(join(file.replace('.jsonl', ''), 'subagents', hand ?? ''))).violations).toEqual([])
  })

  it('spills a 2 MB image, and shows it when it is asked for', async () => {
    const image = noiseImage(900, 780)
    expect(image.length).toBeGreaterThan(2_000_000)
    writeFileSync(office.file('screen.png'), image)
    office.main = [
      () => [call('Read', { file_path: office.file('screen.png') })],
      (results) => [call('Read', { file_path: pathIn(results.at(-1)) })],
    ]
    await office.run()
    const [first, second] = office.results('main')
    expect(first).toMatchObject({ images: 0, failed: false })
    expect(first?.text).toMatch(
      /\[spillway [a-z2-7]{12}: Read image(?: \S+)?, image\/\w+, 900x780, [\d,]+ bytes\. Back: /,
    )
    expect(second).toMatchObject({ images: 1, failed: false })
    const [spilled] = office.spilled('Read')
    expect(spilled?.unit).toBe('bytes')
    const kept = office.archive.get(spilled?.ref ?? '')?.content as Buffer
    expect(referenceOf(kept)).toBe(spilled?.ref)
    expect(readFileSync(spilled?.path ?? '').equals(kept)).toBe(true)
  })

  it('spills each result of a parallel batch, lists and answers of MCP tools too', async () => {
    for (let at = 0; at < 300; at++)
      writeFileSync(office.file(`a-file-with-a-rather-long-name-${at}.txt`), `needle ${at}\n`)
    office.main = [delegate]
    office.hand = [
      () => [
        bash('seq 1 2000'),
        bash('seq 5001 7000'),
        call('Grep', { pattern: 'needle', path: office.home.project, head_limit: 1000 }),
        call('Grep', { pattern: 'needle', path: office.home.project, output_mode: 'content', head_limit: 1000 }),
        call('mcp__store__list', { count: 1000 }),
        bash('echo small'),
      ],
      () => [call('mcp__store__list', { count: 20_000 })],
    ]
    await office.run()
    const results = office.results('hand')
    expect(results.map(({ text }) => referencesIn(text).length)).toEqual([1, 1, 1, 1, 1, 0, 1])
    for (const { text } of results) expect(text.length).toBeLessThan(4000)
    const kept = results
      .flatMap(({ text }) => referencesIn(text))
      .map((ref) => String(office.archive.get(ref)?.content))
    expect(kept[0]?.trim().split('\n')).toHaveLength(2000)
    expect(kept[1]?.trim().split('\n').at(-1)).toBe('7000')
    expect(kept[2]?.trim().split('\n')).toHaveLength(300)
    expect(kept[3]?.match(/needle/g)).toHaveLength(300)
    expect(kept[4]).toBe('a line of the store\n'.repeat(1000))
    expect(kept[5]?.trimEnd()).toBe('a line of the store\n'.repeat(20_000).trimEnd())
    expect(readdirSync(join(office.workbench.folder, 'spill'))).toHaveLength(6)
    expect(office.events.filter(({ type }) => type === 'hook-failed')).toEqual([])
  })

  it('tells where the output of a failing command is kept; wrapped, it is spilled', async () => {
    office.main = [delegate]
    office.hand = [() => [bash('seq 1 3000; exit 3')]]
    await office.run()
    const [failed] = office.results('hand')
    expect(failed).toMatchObject({ failed: true, text: expect.stringContaining('Exit code 3') })
    const messages = JSON.stringify(office.requests('hand').at(-1)?.body.messages)
    const ref = referencesIn(messages).at(-1) ?? ''
    expect(String(office.archive.get(ref)?.content)).toContain('Exit code 3')
    office.hand = [() => [bash('seq 1 30000; (exit 3)')]]
    await office.run({ wrapFailures: true })
    const [ended] = office.results('hand')
    expect(ended?.failed).toBe(false)
    expect(ended?.text).toMatch(/^\[spillway /)
    expect(ended?.text).toContain('[exit code 3]')
    expect(ended?.text).not.toContain('__spillway_status')
  })

  it('holds a coordinator below the coordinator to the same', async () => {
    writeFileSync(office.file('precious.txt'), 'precious')
    const hand = worker('works', 'You work.', { tools: ['Bash'] })
    const lead = worker('leads', 'You LEAD.', { tools: ['Agent', 'Read', 'Bash'], delegateOnly: true })
    const spec = coordinator('top', 'Lead.', { lead, hand }, { model: MODEL })
    const ask = (role: string) => [call('Agent', { description: 'd', prompt: 'p', subagent_type: role })]
    const remove = bash('rm precious.txt')
    const model = await scriptedModel({
      script: ({ body }) => {
        const said = body.messages.filter(({ role }) => role === 'assistant').length
        const system = JSON.stringify(body.system)
        if (system.includes('You work.')) return answer(said === 0 ? bash('cat precious.txt') : say('read it'))
        if (system.includes('You LEAD.')) return answer(...([[remove], ask('hand')][said] ?? [say('led')]))
        return answer(...([ask('lead')][said] ?? [say('done')]))
      },
    })
    const denied: string[] = []
    const onEvent = (event: HookEvent) =>
      denied.push(...(event.type === 'call-denied' ? [event.agentId ?? 'main'] : []))
    const run = await runClaudeCode(office.home, model.url, {
      prompt: 'Go.',
      ...roleOptions(spec),
      hooks: roleGuards(spec, { onEvent }),
    })
    await model.close()
    expect(run.error).toBeUndefined()
    expect(existsSync(office.file('precious.txt'))).toBe(true)
    expect(denied).toEqual([expect.stringMatching(/^a[0-9a-f]+$/)])
    expect(model.requests.some(({ text }) => text.includes('precious\\n') || text.includes('"precious'))).toBe(true)
  })

  it('gives an isolated worker a worktree of its own and the workbench of all', async () => {
    await office.close()
    office = await Office.open(true)
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
        cwd: office.home.project,
        encoding: 'utf8',
      })
    writeFileSync(office.file('a.txt'), 'a')
    git('init', '-q')
    git('add', 'a.txt')
    git('commit', '-qm', 'first')
    const script = join(office.workbench.folder, 'scripts', 'own.sh')
    office.main = [delegate]
    office.hand = [
      () => [bash('pwd; echo changed > a.txt; seq 1 3000')],
      () => [call('Write', { file_path: script, content: '# desc: made in a worktree\n' })],
      (results) => [bash(`head -3 ${pathIn(results[0])}`)],
    ]
    await office.run()
    const [work, wrote, read] = office.results('hand')
    expect(work?.text).toMatch(/^\[spillway /)
    expect(work?.text).toContain('worktrees/')
    expect(readFileSync(office.file('a.txt'), 'utf8')).toBe('a')
    expect(wrote?.failed).toBe(false)
    expect(readFileSync(join(office.workbench.folder, 'INDEX.md'), 'utf8')).toContain('made in a worktree')
    expect(read?.text).toMatch(/worktrees\/.*\n1\n2\n/)
  })

  it('passes the original when it cannot be kept', async () => {
    writeFileSync(join(office.workbench.folder, 'spill'), 'in the way')
    office.main = [delegate]
    office.hand = [() => [bash('seq 1 3000')]]
    await office.run()
    expect(office.results('hand')[0]?.text).toContain('\n2999\n')
    expect(office.events.filter(({ type }) => type === 'hook-failed')).toMatchObject([
      { hook: 'spill guard', tool: 'Bash' },
    ])
  })
})
