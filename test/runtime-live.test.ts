/** The runtime over the real binary: what ends a turn, what begins the next one, and that nothing is lost between. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { agentSpec, coordinator, Runtime, worker } from '../src/agent/index.ts'
import { readManifest } from '../src/agent/lineage/manifest.ts'
import { answer, call, overloaded, promptTooLong, type ReceivedRequest, say, think } from '../src/testing/index.ts'
import { type AgentStage, agentStage, isWorker, recordedEntries, SHORT_WAITS } from './support/agent-stage.ts'
import { claudeCodeBinary } from './support/claude-code.ts'
import { binariesOf } from './support/runtime-process.ts'
import { EXAMPLES, noticeMissing } from './support/shared.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

const MODEL = 'claude-opus-5-5'
const HAND = agentSpec({ name: 'hand', instructions: 'Do what is asked.', tools: ['Bash', 'Read'], model: MODEL })

let stage: AgentStage
afterEach(async () => {
  const alarms = stage.eventsOf('alarm')
  await stage.close()
  expect(alarms).toEqual([])
})

function bash(command: string) {
  return call('Bash', { command, description: 'Runs it' })
}

/** The text of what the request ends with. */
function lastText({ body }: ReceivedRequest): string {
  return JSON.stringify(body.messages.findLast((message) => message.role === 'user')?.content)
}

function wire(request: ReceivedRequest | undefined): string {
  return JSON.stringify(request?.body.messages)
}

describe.skipIf(!binary)('the minimal code', () => {
  it('runs line by line, with names in any script', async () => {
    stage = await agentStage((request) => {
      if (isWorker(request)) return answer(say('结论:共 3 个文件。'))
      return lastText(request).includes('tool_result')
        ? answer(say('一共 3 个。'))
        : answer(call('Agent', { description: '数文件', prompt: '数一数 data/。', subagent_type: '分析员' }))
    })
    mkdirSync(join(stage.home.root, 'repo'))
    vi.stubEnv('HOME', stage.home.root)
    for (const [name, value] of Object.entries(stage.environment())) vi.stubEnv(name, value)
    const repo = join(stage.home.root, 'repo')

    const 分析员 = worker('分析文件:统计、查找、比对。', '你负责文本分析。', {
      tools: ['Read', 'Write', 'Bash', 'Glob', 'Grep'],
    })
    const 主控 = coordinator('主控', '目标:摸清 data/ 的规模。', { 分析员 })
    const rt = new Runtime({ workspace: repo, workbench: true })
    const result = await rt.run(主控, '数一数。')
    await rt.close()
    vi.unstubAllEnvs()

    expect([result.ok, result.answer]).toEqual([true, '一共 3 个。'])
    // Appended to the harness's own prompt, with the workbench's index behind it.
    const system = JSON.stringify(stage.model.requests[0]?.body.system)
    expect(system).toMatch(/目标:摸清 data\/ 的规模。.*\.spillway/)
    expect(JSON.stringify(stage.model.requests.find(isWorker)?.body)).toContain('你负责文本分析。')
    expect(readManifest(join(repo, '.spillway/run')).map(({ step, agent }) => [step, agent])).toEqual([
      ['主控', '主控'],
    ])
    expect(stage.refusals()).toEqual([])
  })
})

describe.skipIf(!binary)('epochs in a running process', () => {
  it('end the turn at a message boundary and go on with the smaller view, without a refusal', async () => {
    let round = 0
    stage = await agentStage(() => {
      round++
      if (round > 30) return answer(think('That was all.'), say('Counted.'))
      return answer(think(`Round ${round}.`), bash(`seq ${round * 1000} ${round * 1000 + 700}`))
    })
    const runtime = stage.runtime()
    const result = await runtime.run(HAND, 'Count.')
    expect(result.ok).toBe(true)
    expect(result.answer).toBe('Counted.')
    expect([result.attempts, result.turns]).toEqual([1, 31])
    expect(stage.refusals()).toEqual([])
    const epochs = stage.eventsOf('epoch')
    expect(epochs.length).toBeGreaterThan(0)
    for (const { tokensBefore, tokensAfter } of epochs) expect(tokensAfter).toBeLessThan(tokensBefore)
    // The model got pointers, the store has every byte.
    expect(wire(stage.model.requests.at(-1))).toMatch(/\[spillway [a-z2-7]{12}: Bash/)
    const recorded = JSON.stringify(await recordedEntries(runtime.runDirectory, result.sessionId))
    for (let each = 1; each <= 30; each++) expect(recorded).toContain(`${each * 1000 + 700}"`)
  })
})

describe.skipIf(!binary)('the workbench within a session', () => {
  it('is told anew once where it has changed; the index in the system prompt stays as it was', async () => {
    stage = await agentStage((request) => {
      const content = '# desc: counts what is there\nls | wc -l\n'
      const file_path = join(stage.home.project, '.spillway/scripts/count.sh')
      if (!wire(request).includes('"Write"')) return answer(call('Write', { file_path, content }))
      return lastText(request).includes('tool_result') ? answer(say('Fine.')) : answer(bash('echo x; sleep 0.2'))
    })
    const runtime = stage.runtime({ workbench: true })
    const maker = { ...HAND, tools: ['Bash', 'Read', 'Write'] }
    const first = await runtime.run(maker, 'Write it.')
    await runtime.run(maker, 'Go on.', { resume: first.sessionId })
    // Another process, as far as the session can tell.
    await stage.runtime({ workbench: true }).run(maker, 'And on.', { resume: first.sessionId })
    const prompts = stage.eventsOf('prompt').map(({ text }) => text)
    expect(prompts[0]).toBe('Write it.')
    expect(prompts[1]).toMatch(/^Go on\.\n\nThe workbench has changed[\s\S]*count\.sh/)
    expect(prompts[2]).toBe('And on.')
    for (const { body } of stage.model.requests) expect(JSON.stringify(body.system)).not.toContain('count.sh')
    expect(stage.refusals()).toEqual([])
  })
})

describe.skipIf(!binary)('errors that pass', () => {
  it('are waited out, and the same session goes on without a word about them', async () => {
    let asked = 0
    stage = await agentStage((request) => {
      asked++
      if (asked === 2) return { drop: 'mid-answer' }
      if (asked >= 3 && asked <= 6) return overloaded()
      return lastText(request).includes('tool_result') && asked < 8
        ? answer(think('Next.'), bash('echo two'))
        : asked === 1
          ? answer(think('First.'), bash('echo one'))
          : answer(say('Done.'))
    })
    const result = await stage.runtime().run(HAND, 'Do it.')
    expect(result.ok).toBe(true)
    expect(result.errors.length).toBeGreaterThan(0)
    expect(result.errors.map((error) => error.class)).not.toContain('fatal')
    expect(result.attempts).toBe(result.errors.length + 1)
    expect(new Set(stage.events.map(({ sessionId }) => sessionId)).size).toBe(1)
    expect(stage.refusals()).toEqual([])
    expect(wire(stage.model.requests.at(-1))).not.toMatch(/overloaded|529|API Error/i)
    expect(wire(stage.model.requests.at(-1))).toContain('Do it.')
  })

  it('are final after six tries without an answer', async () => {
    stage = await agentStage(() => overloaded())
    const result = await stage.runtime().run(HAND, 'Do it.')
    expect(result.ok).toBe(false)
    expect([result.attempts, result.errors.length, result.error?.class]).toEqual([6, 6, 'transient'])
    expect(result.error?.status).toBe(529)
    const states = readManifest(join(stage.home.project, '.spillway/run')).map(({ state }) => state)
    expect(states).toEqual(Array(6).fill('failed'))
  })

  it('wait for the endpoint that is configured, and not for ever', async () => {
    stage = await agentStage(() => answer(say('Never said.')))
    await stage.model.close()
    const resilience = { ...SHORT_WAITS, probeAtMostMs: 300 }
    const result = await stage.runtime({ resilience }).run(HAND, 'Do it.')
    expect([result.ok, result.error?.class, result.attempts]).toEqual([false, 'transient', 1])
    const waits = stage.eventsOf('retry').map(({ waitsFor }) => waitsFor)
    expect(waits.slice(-2)).toEqual(['endpoint', 'endpoint'])
  })

  it('are never tried again when they cannot pass', async () => {
    stage = await agentStage(() => ({ status: 401, errorType: 'authentication_error', message: 'invalid x-api-key' }))
    const result = await stage.runtime().run(HAND, 'Do it.')
    expect([result.ok, result.attempts, result.error?.class]).toEqual([false, 1, 'fatal'])
  })

  it('of length force an epoch; when that does not help they are final', async () => {
    let refused = false
    let round = 0
    stage = await agentStage((request) => {
      if (round === 12 && !refused) {
        refused = true
        return promptTooLong(210_000, 200_000)
      }
      if (wire(request).includes('never fits')) return promptTooLong(210_000, 200_000)
      return ++round > 14 ? answer(say('Done.')) : answer(think('On.'), bash(`seq ${round} ${round + 300}`))
    })
    const runtime = stage.runtime()
    const result = await runtime.run(HAND, 'Count.')
    expect([result.ok, result.errors.map((error) => error.class)]).toEqual([true, ['overflow']])
    expect(stage.eventsOf('epoch').some(({ outcome }) => outcome === 'rewritten')).toBe(true)
    // The binary's own compaction stays out of it.
    expect(stage.model.requests.some((request) => wire(request).includes('Respond with TEXT ONLY'))).toBe(false)
    expect(stage.refusals()).toEqual([])
    const hopeless = await runtime.run(HAND, 'never fits')
    expect([hopeless.ok, hopeless.error?.class, hopeless.attempts]).toEqual([false, 'overflow', 2])
  })

  it('of the binary itself, killed in the middle of a tool, lose nothing', async () => {
    let asked = 0
    stage = await agentStage((request) => {
      asked++
      if (asked === 1) return answer(think('First.'), bash('echo first >> log; echo FIRST-IS-DONE'))
      if (asked === 2) return answer(think('Second.'), bash('sleep 30'))
      return lastText(request).includes('interrupted from outside') ? answer(say('I went on.')) : answer(say('What?'))
    })
    const runtime = stage.runtime({
      onEvent: (event) => {
        if (event.type === 'tool_call' && JSON.stringify(event.input).includes('sleep 30'))
          for (const pid of binariesOf(process.pid)) process.kill(pid, 'SIGKILL')
      },
    })
    const result = await runtime.run(HAND, 'Do it.')
    expect(result.answer).toBe('I went on.')
    expect(result.errors.length).toBe(1)
    expect(stage.refusals()).toEqual([])
    expect(wire(stage.model.requests.at(-1))).toContain('FIRST-IS-DONE')
    expect(readFileSync(join(stage.home.project, 'log'), 'utf8')).toBe('first\n')
  })
})

describe.skipIf(!binary)('a person', () => {
  it('is heard at the next message boundary', async () => {
    let asked = 0
    stage = await agentStage((request) => {
      asked++
      if (lastText(request).includes('Stop counting, write a poem.')) return answer(say('Roses are red.'))
      return answer(think('On.'), bash(`echo ${asked}; sleep 0.3`))
    })
    let said = false
    const runtime = stage.runtime({
      onEvent: (event) => {
        if (event.type !== 'tool_call' || said) return
        said = true
        runtime.interrupt('Stop counting, write a poem.')
      },
    })
    const result = await runtime.run(HAND, 'Count.')
    expect(result.answer).toBe('Roses are red.')
    expect([result.ok, result.errors, result.turns]).toEqual([true, [], 2])
    // The call that ran was answered, not cut off.
    expect(wire(stage.model.requests.at(-1))).toMatch(/"content":"1"/)
    expect(wire(stage.model.requests.at(-1))).not.toContain('interrupted')
    expect(stage.refusals()).toEqual([])
  })

  it('stops workers at their boundary, and the coordinator is told what they had done', async () => {
    let worked = 0
    stage = await agentStage((request) => {
      if (isWorker(request)) return answer(think('w'), say(`Half ${++worked}.`), bash(`echo part${worked}; sleep 0.2`))
      if (lastText(request).includes('Enough.')) return answer(say('Stopped.'))
      return answer(think('d'), call('Agent', { description: 'Count all', prompt: 'Count.', subagent_type: 'counter' }))
    })
    const lead = coordinator('lead', 'Lead.', { counter: worker('Counts.', 'Count.') }, { model: MODEL })
    const runtime = stage.runtime({
      onEvent: (event) => {
        if (event.type === 'tool_call' && event.worker && worked === 2) runtime.interrupt('Enough.')
      },
    })
    const result = await runtime.run(lead, 'Count.')
    expect(result.answer).toBe('Stopped.')
    const told = wire(stage.model.requests.at(-1))
    expect(told).toContain('counter: Count all (2 calls done)')
    expect(told).toContain('Half 2.')
    expect(stage.refusals()).toEqual([])
  })

  it('is heard at once while the main thread only waits for a worker in the background', async () => {
    stage = await agentStage((request) => {
      if (isWorker(request)) return answer(say('I begin.'), bash('sleep 20'))
      if (lastText(request).includes('Never mind.')) return answer(say('As you wish.'))
      return lastText(request).includes('tool_result')
        ? answer(say('I wait.'))
        : answer(call('Agent', { description: 'Sleep', prompt: 'Sleep.', subagent_type: 'w', run_in_background: true }))
    })
    const lead = coordinator('lead', 'Lead.', { w: worker('Works.', 'Work.') }, { model: MODEL })
    const runtime = stage.runtime({
      background: true,
      onEvent: (event) => {
        if (event.type === 'result' && event.text === 'I wait.') setTimeout(() => runtime.interrupt('Never mind.'), 500)
      },
    })
    const result = await runtime.run(lead, 'Go.')
    expect([result.ok, result.answer, result.errors]).toEqual([true, 'As you wish.', []])
    const told = wire(stage.model.requests.at(-1))
    expect(told).toContain('w: Sleep (0 calls done). Its last words: I begin.')
    expect(stage.refusals()).toEqual([])
  })

  it('may end the step, which can be resumed', async () => {
    let asked = 0
    stage = await agentStage((request) => {
      asked++
      return asked === 1 ? answer(think('On.'), bash('sleep 20')) : answer(say(lastText(request)))
    })
    const controller = new AbortController()
    const runtime = stage.runtime({
      onEvent: (event) => event.type === 'tool_call' && controller.abort(),
    })
    const stopped = await runtime.run(HAND, 'Sleep.', { signal: controller.signal })
    expect([stopped.ok, stopped.error?.class]).toEqual([false, 'aborted'])
    expect(readManifest(runtime.runDirectory).at(-1)?.state).toBe('stopped')
    const again = await runtime.run(HAND, 'Are you there?', { resume: stopped.sessionId })
    expect([again.ok, again.resumed, again.sessionId]).toEqual([true, true, stopped.sessionId])
    expect(again.answer).toContain('Are you there?')
    expect(stage.refusals()).toEqual([])
  })
})

describe.skipIf(!binary)('sessions', () => {
  it('fork under a new id, and the original stays as it was', async () => {
    stage = await agentStage((request) => answer(say(`seen: ${lastText(request).length}`)))
    const runtime = stage.runtime()
    const first = await runtime.run(HAND, 'One.', { stepName: 'a' })
    const before = await recordedEntries(runtime.runDirectory, first.sessionId)
    const fork = await runtime.run(HAND, 'Two.', { stepName: 'b', resume: first.sessionId, fork: true })
    expect(fork.sessionId).not.toBe(first.sessionId)
    expect(wire(stage.model.requests.at(-1))).toContain('One.')
    expect(await recordedEntries(runtime.runDirectory, first.sessionId)).toEqual(before)
    expect([runtime.lastSession('a'), runtime.lastSession('b')]).toEqual([first.sessionId, fork.sessionId])
    expect(fork.cost).toBeLessThan(first.cost + fork.cost)
  })

  it('resume at an entry, leaving out what came after', async () => {
    stage = await agentStage(() => answer(say('Fine.')))
    const runtime = stage.runtime()
    const first = await runtime.run(HAND, 'Word one.')
    const at = (await recordedEntries(runtime.runDirectory, first.sessionId)).findLast(
      (entry) => entry.type === 'assistant',
    )
    await runtime.run(HAND, 'Word two.', { resume: first.sessionId })
    await runtime.run(HAND, 'Word three.', { resume: first.sessionId, resumeAt: at?.uuid ?? '' })
    const last = wire(stage.model.requests.at(-1))
    expect([last.includes('Word one.'), last.includes('Word two.'), last.includes('Word three.')]).toEqual([
      true,
      false,
      true,
    ])
  })

  it('that are not there are refused before anything runs', async () => {
    stage = await agentStage(() => answer(say('Fine.')))
    const runtime = stage.runtime()
    await expect(runtime.run(HAND, 'x', { resume: 'no-such-session' })).rejects.toThrow(/no such session/)
    expect(stage.model.requests.length).toBe(0)
  })

  it('are recorded in another home too, and it is said when the SDK passes nothing on', async () => {
    stage = await agentStage(() => answer(say('Here.')))
    const { CLAUDE_CONFIG_DIR: _, ...elsewhere } = stage.environment()
    await stage.runtime({ environment: elsewhere, runDirectory: join(stage.home.root, 'one') }).run(HAND, 'Begin.')
    expect(stage.eventsOf('alarm')).toEqual([])

    // The binary composes the accent, the SDK compares what it was given.
    const environment = { ...elsewhere, CLAUDE_CONFIG_DIR: join(stage.home.root, 'cafe\u0301') }
    await stage.runtime({ environment, runDirectory: join(stage.home.root, 'two') }).run(HAND, 'Begin.')
    expect(stage.events.splice(0).filter(({ type }) => type === 'alarm')).toMatchObject([{ what: 'session store' }])
  })

  it('with workers in the background end when the last has reported', async () => {
    let asked = 0
    stage = await agentStage((request) => {
      if (isWorker(request)) {
        return lastText(request).includes('tool_result') ? answer(say('Worker is done.')) : answer(bash('sleep 0.5'))
      }
      asked++
      if (asked === 1) {
        return answer(
          say('Off it goes.'),
          call('Agent', { description: 'Look', prompt: 'Look.', subagent_type: 'w', run_in_background: true }),
        )
      }
      return asked === 2 ? answer(say('I wait.')) : answer(say('It has reported.'))
    })
    const lead = coordinator('lead', 'Lead.', { w: worker('Works.', 'Work.') }, { model: MODEL })
    const result = await stage.runtime({ background: true }).run(lead, 'Go.')
    expect(stage.eventsOf('result').filter(({ text }) => text !== '').length).toBe(2)
    expect([result.ok, result.turns, result.answer]).toEqual([true, 3, 'It has reported.'])
    expect(result.text).toBe('Off it goes.\n\nI wait.\n\nIt has reported.')
  })
})

describe.skipIf(!binary)('limits', () => {
  it('of turns hold over all queries of a step', async () => {
    let asked = 0
    stage = await agentStage(() => answer(think('On.'), bash(`echo ${++asked}`)))
    const result = await stage.runtime().run({ ...HAND, maxTurns: 4 }, 'Count.')
    expect([result.ok, result.error?.class, result.turns]).toEqual([false, 'fatal', 4])
  })

  it('of cost too', async () => {
    let asked = 0
    stage = await agentStage(() => answer(think('On.'), bash(`echo ${++asked}`)))
    const result = await stage.runtime().run({ ...HAND, maxBudgetUsd: 0.08 }, 'Count.')
    expect([result.ok, result.error?.class]).toEqual([false, 'fatal'])
    expect(result.cost).toBeGreaterThan(0.07)
  })
})

describe.skipIf(!binary)('what reaches the binary', () => {
  const hooks = { PostToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'touch plugged' }] }] }

  it('is no setting of the host, unless it is asked for', async () => {
    stage = await agentStage(() => answer(say('Fine.')))
    writeFileSync(join(stage.home.project, 'CLAUDE.md'), 'THE-RULE-OF-THE-HOUSE')
    await stage.runtime().run(HAND, 'Hello.')
    expect(stage.model.requests.at(-1)?.text).not.toContain('THE-RULE-OF-THE-HOUSE')
    await stage.runtime({ portable: false }).run(HAND, 'Hello.')
    expect(stage.model.requests.at(-1)?.text).toContain('THE-RULE-OF-THE-HOUSE')
  })

  it('are MCP servers, of this process and of others', async () => {
    const { createSdkMcpServer, tool } = await import('@anthropic-ai/claude-agent-sdk')
    const noted: string[] = []
    const remember = tool('remember', 'Remembers.', { text: z.string() }, async ({ text }) => {
      noted.push(text)
      return { content: [{ type: 'text', text: 'NOTED' }] }
    })
    stage = await agentStage((request) => {
      if (!wire(request).includes('NOTED')) return answer(call('mcp__memory__remember', { text: 'ferry' }))
      return wire(request).includes('TOCK') ? answer(say('Fine.')) : answer(call('mcp__clock__tick', {}))
    })
    const script = join(stage.home.root, 'server.mjs')
    const sdk = join(EXAMPLES, '..', 'node_modules/@modelcontextprotocol/sdk/dist/esm/server')
    writeFileSync(
      script,
      `import { McpServer } from ${JSON.stringify(join(sdk, 'mcp.js'))}
       import { StdioServerTransport } from ${JSON.stringify(join(sdk, 'stdio.js'))}
       const server = new McpServer({ name: 'clock', version: '1.0.0' })
       server.registerTool('tick', { description: 'Ticks.' }, async () => ({ content: [{ type: 'text', text: 'TOCK' }] }))
       await server.connect(new StdioServerTransport())`,
    )
    const mcpServers = {
      memory: createSdkMcpServer({ name: 'memory', version: '1.0.0', tools: [remember] }),
      clock: { type: 'stdio', command: process.execPath, args: [script] },
    }
    const spec = { ...HAND, tools: ['mcp__memory__remember', 'mcp__clock__tick', 'Bash'] }
    const result = await stage.runtime({ mcpServers }).run(spec, 'Remember it.')
    expect([result.answer, noted]).toEqual(['Fine.', ['ferry']])
    expect(stage.refusals()).toEqual([])
  })

  it('are plugins', async () => {
    stage = await agentStage((request) =>
      lastText(request).includes('tool_result') ? answer(say('Fine.')) : answer(bash('echo x')),
    )
    const plugin = join(stage.home.root, 'plugin')
    mkdirSync(join(plugin, '.claude-plugin'), { recursive: true })
    mkdirSync(join(plugin, 'hooks'))
    writeFileSync(join(plugin, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'plug', version: '1.0.0' }))
    writeFileSync(join(plugin, 'hooks/hooks.json'), JSON.stringify({ hooks }))
    await stage.runtime({ plugins: [plugin] }).run(HAND, 'Hello.')
    expect(existsSync(join(stage.home.project, 'plugged'))).toBe(true)
  })
})

describe.skipIf(!binary)('isolated workers', () => {
  const makers = { maker: worker('Makes.', 'Make.', { isolate: true }) }
  const lead = coordinator('lead', 'Lead.', makers, { model: MODEL })

  it('work in a worktree of their own, with the workbench outside', async () => {
    stage = await agentStage((request) => {
      const last = lastText(request)
      if (isWorker(request)) {
        return last.includes('tool_result') ? answer(say('Made.')) : answer(bash('pwd; echo new > made.txt'))
      }
      return last.includes('tool_result')
        ? answer(say('Done.'))
        : answer(call('Agent', { description: 'Make', prompt: 'Make it.', subagent_type: 'maker' }))
    })
    const git = (...words: string[]) => execFileSync('git', words, { cwd: stage.home.project, stdio: 'pipe' })
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
    const runtime = stage.runtime({ workbench: join(stage.home.root, 'bench') })
    expect((await runtime.run(lead, 'Go.')).ok).toBe(true)
    const work = stage.eventsOf('tool_result').find((event) => event.worker && event.tool === 'Bash')
    expect(work?.text).toContain('worktree')
    expect(existsSync(join(stage.home.project, 'made.txt'))).toBe(false)
    expect(stage.refusals()).toEqual([])
  })

  it('are refused with a workbench inside the workspace', async () => {
    stage = await agentStage(() => answer(say('Fine.')))
    await expect(stage.runtime({ workbench: true }).run(lead, 'Go.')).rejects.toThrow(/maker works in a worktree/)
    expect(stage.model.requests).toEqual([])
  })
})

describe.skipIf(!binary)('several at once', () => {
  it('share a run directory', async () => {
    let asked = 0
    stage = await agentStage((request) =>
      lastText(request).includes('tool_result') ? answer(say('Fine.')) : answer(bash(`echo ${++asked}; sleep 0.3`)),
    )
    const [one, two] = [stage.runtime(), stage.runtime()]
    const results = await Promise.all([
      one.run(HAND, 'One.', { stepName: 'one' }),
      one.run(HAND, 'Another.', { stepName: 'another' }),
      two.run(HAND, 'Two.', { stepName: 'two' }),
    ])
    expect(results.map(({ ok, answer }) => [ok, answer])).toEqual(Array(3).fill([true, 'Fine.']))
    const rows = readManifest(one.runDirectory)
    expect(rows.map(({ step, state }) => `${step} ${state}`).sort()).toEqual(['another done', 'one done', 'two done'])
    expect(results.map(({ sessionId }) => sessionId)).toEqual(
      ['one', 'another', 'two'].map((step) => two.lastSession(step)),
    )
  })
})

describe.skipIf(!binary)('the example', () => {
  const project = join(EXAMPLES, '..')
  const config = join(project, 'test/support/examples.tsconfig.json')
  const run = (...words: string[]) => spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' })

  it('runs as a user would run it', async () => {
    stage = await agentStage(() => undefined)
    const { status, stdout } = run(
      'node_modules/tsx/dist/cli.mjs',
      '--tsconfig',
      config,
      'examples/agents/count-files.ts',
    )
    expect(stdout).toMatch(
      /^worker started\nspilled \d+ characters[\s\S]*worker completed\nThere are 3 files\. [1-9]\d* % of the characters stayed in the worker\.\n$/,
    )
    expect(status).toBe(0)
  })
})

describe.skipIf(!binary)('the process', () => {
  it('can be rescued from inside: books first, then what runs', async () => {
    stage = await agentStage(() => answer(think('On.'), bash('sleep 20')))
    let states: string[] = []
    const runtime = stage.runtime({
      onEvent: (event) => {
        if (event.type !== 'tool_call') return
        runtime.rescue()
        states = readManifest(runtime.runDirectory).map(({ state, turns }) => `${state} after ${turns}`)
      },
    })
    const result = await runtime.run(HAND, 'Sleep.')
    expect([result.ok, result.error?.class, states]).toEqual([false, 'aborted', ['stopped after 1']])
  })

  it('completes its books when it is told to end', async () => {
    stage = await agentStage(() => answer(think('On.'), bash('touch started; sleep 30')))
    const script = join(stage.home.root, 'run.mjs')
    const project = process.cwd()
    writeFileSync(
      script,
      `import { agentSpec, Runtime } from ${JSON.stringify(join(project, 'src/agent/index.ts'))}
       const runtime = new Runtime({ workspace: ${JSON.stringify(stage.home.project)}, environment: ${JSON.stringify(stage.environment())} })
       await runtime.run(agentSpec(${JSON.stringify(HAND)}), 'Sleep.')`,
    )
    const child = spawn(process.execPath, ['--import', 'tsx', script], { cwd: project, stdio: 'inherit' })
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    while (!existsSync(join(stage.home.project, 'started'))) await new Promise((resolve) => setTimeout(resolve, 50))
    const [row] = readManifest(join(stage.home.project, '.spillway/run'))
    expect([row?.state, row?.processId]).toEqual(['running', child.pid])
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
    const [after] = readManifest(join(stage.home.project, '.spillway/run'))
    expect([after?.state, after?.turns, after?.sessionId]).toEqual(['stopped', 1, row?.sessionId])
  })
})
