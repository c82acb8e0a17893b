/**
 * Two hundred turns under the strict server, with everything that happens to long runs: denials, a person who speaks,
 * an overloaded minute, a dropped connection, the binary killed in mid-tool, the whole process killed in mid-turn and in
 * the middle of a worker's work. Each time the run goes on; what was reported as done is done once and known.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentSpec, type StepResult, worker } from '../src/agent/index.ts'
import { readManifest } from '../src/agent/lineage/manifest.ts'
import { answer, call, overloaded, type ReceivedRequest, type Reply, say, think } from '../src/testing/index.ts'
import { type AgentStage, agentStage, isWorker, recordedEntries, SHORT_WAITS } from './support/agent-stage.ts'
import { claudeCodeBinary } from './support/claude-code.ts'
import { binariesOf, type RuntimeProcess, startRuntimeProcess } from './support/runtime-process.ts'
import { noticeMissing } from './support/shared.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

const TURNS = 200
const WORDS = 'Remember the word BANANA.'
const RESUMED = 'The machine was restarted. Go on.'
/** Turns at which something happens. */
const DENIED = [20, 21, 150]
const SPOKEN_AT = 60
const OVERLOADED_AT = 80
const OVERLOADED_ANSWERS = 4
const DROPPED_AT = 100
const BINARY_KILLED_AT = 120
const PROCESS_KILLED_AT = 140
const WORKER_KILLED_AT = 170

const SPEC = agentSpec({
  name: 'marathon',
  instructions: 'Do task after task.',
  tools: ['Bash', 'Read', 'Agent'],
  agents: { scribe: worker('Writes.', 'Write what is asked.') },
  model: 'claude-opus-5-5',
})

let stage: AgentStage
let current: RuntimeProcess
let result: StepResult | undefined
const happened: string[] = []
/** Binaries whose process was killed. */
const orphans: number[] = []
/** Results that the model was sent, in order. */
const reported = new Set<number>()

/** One task: it leaves a trace on disk, and says at length that it is done. */
function task(number: number, pause = ''): Reply {
  const command = `echo ${number} >> done.log; ${pause}seq ${number * 1000} ${number * 1000 + 150}; echo DONE-${number}`
  return answer(think(`Task ${number}.`), call('Bash', { command, description: `Task ${number}` }))
}

/**
 * The model: the next task is the one behind the newest that its own conversation shows as done. After a break it
 * looks at the disk first, as one would.
 */
function reply(request: ReceivedRequest): Reply | undefined {
  const { messages } = request.body
  const text = JSON.stringify(messages)
  const last = JSON.stringify(messages.findLast((message) => message.role === 'user'))
  if (isWorker(request)) return scribe(last)
  for (const [, number] of text.matchAll(/DONE-(\d+)"/g)) reported.add(Number(number))
  const broke = last.includes('interrupted from outside') || last.includes(RESUMED)
  if (broke)
    return answer(think('What is there?'), call('Bash', { command: 'tail -n 1 done.log', description: 'Look' }))
  const looked = /"content":"(\d+)"/.exec(last)?.[1]
  const done = Math.max(
    Number(looked ?? 0),
    ...[...text.matchAll(/DONE-(\d+)\b(?!";)/g)].map(([, number]) => Number(number)),
    ...commands(request),
  )
  const next = done + 1
  if (next > TURNS) return answer(think('All done.'), say(text.includes(WORDS) ? 'All done. BANANA.' : 'All done.'))
  return hardship(next) ?? task(next)
}

/** Tasks whose results were answered, by their own calls: a result may have become a pointer since. */
function commands({ body }: ReceivedRequest): number[] {
  const answered = new Set<string>()
  const asked = new Map<string, number>()
  for (const block of body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (block.type === 'tool_result') answered.add(String(block.tool_use_id))
    const number =
      block.type === 'tool_use'
        ? /^echo (\d+) >>/.exec(String((block.input as { command?: string }).command))?.[1]
        : undefined
    if (number !== undefined) asked.set(String(block.id), Number(number))
  }
  return [...asked].flatMap(([id, number]) => (answered.has(id) ? number : []))
}

function once(name: string): boolean {
  if (happened.includes(name)) return false
  happened.push(name)
  return true
}

function hardship(next: number): Reply | undefined {
  if (DENIED.includes(next) && once(`denied ${next}`)) {
    return answer(
      think('I write it myself.'),
      call('Write', { file_path: join(stage.home.project, 'own.txt'), content: 'x' }),
    )
  }
  if (next === SPOKEN_AT && once('spoken')) current.interrupt(WORDS)
  if (next === OVERLOADED_AT && happened.filter((name) => name.startsWith('overloaded')).length < OVERLOADED_ANSWERS) {
    happened.push(`overloaded ${happened.length}`)
    return overloaded()
  }
  if (next === DROPPED_AT && once('dropped')) return { drop: 'mid-answer' }
  if (next === BINARY_KILLED_AT && once('binary killed')) {
    setTimeout(() => current.killBinary(), 600)
    return task(next, 'sleep 3; ')
  }
  if (next === PROCESS_KILLED_AT && once('process killed')) {
    killProcess()
    return task(next, 'sleep 3; ')
  }
  if (next === WORKER_KILLED_AT && once('worker')) {
    return answer(
      think('Help.'),
      call('Agent', { description: 'Write a poem', prompt: 'Write it.', subagent_type: 'scribe' }),
    )
  }
  return undefined
}

/** In the middle of the tool that was just asked for. */
function killProcess(): void {
  setTimeout(() => {
    orphans.push(...binariesOf(current.pid))
    current.kill()
  }, 600)
}

function scribe(last: string): Reply {
  if (!last.includes('tool_result'))
    return answer(
      say('The first verse is written.'),
      call('Bash', { command: 'echo verse >> poem.txt', description: 'Write' }),
    )
  if (once('worker killed')) killProcess()
  return answer(think('On.'), call('Bash', { command: 'sleep 3', description: 'Think' }))
}

describe.skipIf(!binary)('two hundred turns', () => {
  beforeAll(async () => {
    stage = await agentStage(reply)
    const options = {
      workspace: stage.home.project,
      environment: stage.environment(),
      resilience: SHORT_WAITS,
    }
    let prompt = 'Do all the tasks.'
    for (let starts = 1; result === undefined && starts <= 4; starts++) {
      current = startRuntimeProcess(stage.home.root, options, SPEC, prompt, starts > 1)
      result = await current.ended
      prompt = RESUMED
    }
  }, 300_000)
  afterAll(() => stage.close())

  it('all happened, and the run came to its end in one session', () => {
    expect(happened).toEqual(
      expect.arrayContaining(['spoken', 'dropped', 'binary killed', 'process killed', 'worker killed']),
    )
    expect(happened.filter((name) => name.startsWith('overloaded')).length).toBe(OVERLOADED_ANSWERS)
    expect(happened.filter((name) => name.startsWith('denied')).length).toBe(DENIED.length)
    expect(result?.ok).toBe(true)
    const rows = readManifest(join(stage.home.project, '.spillway/run'))
    expect(new Set(rows.map(({ sessionId }) => sessionId))).toEqual(new Set([result?.sessionId]))
    expect(new Set(rows.map(({ run }) => run)).size).toBe(3)
    expect(rows.filter(({ state }) => state === 'running')).toEqual([])
    // A binary does not live on without its process.
    expect(orphans.length).toBe(2)
    expect(orphans.filter(isAlive)).toEqual([])
  })

  it('lost nothing that was reported as done, and did nothing twice', () => {
    const done = readFileSync(join(stage.home.project, 'done.log'), 'utf8').trim().split('\n').map(Number)
    expect(done).toEqual([...Array(TURNS).keys()].map((index) => index + 1))
  })

  it('kept every result in the store, and in the view what became of it', async () => {
    const recorded = JSON.stringify(
      await recordedEntries(join(stage.home.project, '.spillway/run'), result?.sessionId ?? ''),
    )
    expect([...reported].filter((number) => !recorded.includes(`DONE-${number}"`))).toEqual([])
    const final = JSON.stringify(stage.model.requests.at(-1)?.body.messages)
    const missing = [...reported].filter((number) => !final.includes(`echo ${number} >> done.log`))
    expect(missing).toEqual([])
    expect(reported.size).toBeGreaterThan(TURNS - 10)
    // There were epochs: old results are pointers now.
    expect(final.match(/\[spillway [a-z2-7]{12}: Bash/g)?.length).toBeGreaterThan(TURNS / 2)
  })

  it('brings back what a pointer names, for the agent itself', () => {
    const ref = /\[spillway ([a-z2-7]{12}): Bash/.exec(resultOf(5))?.[1] ?? ''
    const program = join(stage.home.project, '.spillway/run/bin/spillway')
    const back = execFileSync(program, ['recall', ref], { cwd: stage.home.project, encoding: 'utf8' })
    expect(back).toMatch(/^5000\n5001\n[\s\S]*\nDONE-5$/)
    expect(stage.environment().PATH).not.toContain('.spillway')
  })

  it('heard the person, told of the worker that was cut off, and never of an error', () => {
    expect(result?.answer).toBe('All done. BANANA.')
    const final = JSON.stringify(stage.model.requests.at(-1)?.body.messages)
    expect(final).toContain('scribe: Write a poem (1 call done). Its last words: The first verse is written.')
    expect(final.match(/Write a poem \(1 call/g)?.length).toBe(1)
    expect(final).not.toMatch(/overloaded|\b529\b|ECONNRESET|API Error|SIGKILL/i)
    expect(readFileSync(join(stage.home.project, 'poem.txt'), 'utf8')).toBe('verse\n')
  })

  it('was never refused by the strict server', () => {
    expect(stage.refusals()).toEqual([])
    expect(stage.model.requests.length).toBeGreaterThan(TURNS)
  })
})

/** What the last request has as the result of this task. */
function resultOf(number: number): string {
  const messages = stage.model.requests.at(-1)?.body.messages ?? []
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const asked = blocks.find((block) => JSON.stringify(block.input ?? '').includes(`echo ${number} >>`))
  return JSON.stringify(blocks.find((block) => block.tool_use_id === asked?.id)?.content)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
