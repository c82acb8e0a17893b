/**
 * The issue's acceptance, end to end in the real binary: a coordinator with two workers counts a repository's files. The
 * model is scripted, but it only says what a model could: paths it uses it has read in its own prompt. Every claim is
 * read from disk, from the store or from the wire.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coordinator, type Runtime, type StepResult, worker } from '../src/agent/index.ts'
import { analyzeRun, type RunAnalysis } from '../src/agent/run-directory/analyze-run.ts'
import { openArchive } from '../src/archive/index.ts'
import { runFigures } from '../src/cli/run-analysis.ts'
import { classify } from '../src/shell/index.ts'
import type { SessionStoreEntry } from '../src/stores/index.ts'
import { answer, call, type ReceivedRequest, type Reply, say, think } from '../src/testing/index.ts'
import { type AgentStage, agentStage, isWorker, recordedEntries } from './support/agent-stage.ts'
import { claudeCodeBinary } from './support/claude-code.ts'
import { noisePng } from './support/noise-png.ts'
import { noticeMissing } from './support/shared.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

const MODEL = 'claude-opus-5-5'
/** The host's own list tools, of which the binary offers one kind. */
const LIST_TOOLS = ['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate']
const LOG_LINES = 5000
const PICTURE = 'screenshot.png'
/** As a model would: it names what it writes. */
const SCRIPT = 'count-files.sh'
const SCRIPT_TEXT = `# desc: counts the files of this repository by their ending\ngit ls-files | sed 's/.*\\.//' | sort | uniq -c | sort -rn\n`

const 分析员 = worker(
  '分析文件:统计、查找、比对。要真读文件、跑命令的活派给它。',
  '你负责文本分析。用命令行完成,不要手工估算。',
  {
    tools: ['Read', 'Write', 'Bash', 'Glob', 'Grep'],
  },
)
const 测试员 = worker('Runs tests and looks at pictures.', 'You test.', { tools: ['Read', 'Bash'] })
const 主控 = coordinator('主控', '目标:摸清这个仓库的规模。', { 分析员, 测试员 }, { model: MODEL })

/** What this conversation has been told so far, as one text. */
function told({ body }: ReceivedRequest): string {
  return JSON.stringify([body.system, body.messages])
}

function answersIn({ body }: ReceivedRequest): number {
  return body.messages.filter((message) => message.role === 'assistant').length
}

/** The path behind "Back:" in the newest result: what a model would read next. */
function pathBack({ body }: ReceivedRequest): string {
  const last = JSON.stringify(body.messages.findLast((message) => message.role === 'user'))
  return /Back: ([^\]]+)\]/.exec(last)?.[1] ?? ''
}

function bash(command: string) {
  return call('Bash', { command, description: 'Runs it' })
}

/** The folder that the conversation names as the workbench's scripts. */
function scriptsFolder(request: ReceivedRequest): string {
  return /([^\s"'`\\]*\.spillway\/scripts)/.exec(told(request))?.[1] ?? '.spillway/scripts'
}

function analyst(request: ReceivedRequest): Reply {
  const script = `${scriptsFolder(request)}/${SCRIPT}`
  const known = told(request).includes('counts the files of this repository')
  const step = answersIn(request) + (known && !told(request).includes('"Write"') ? 1 : 0)
  if (step === 0)
    return answer(think('No script yet.'), call('Write', { file_path: absolute(script), content: SCRIPT_TEXT }))
  if (step === 1) return answer(bash(`sh ${script}`))
  if (step === 2)
    return answer(think('What is in them?'), bash("git ls-files 'src/core/*.ts' 'src/formats/*.ts' | head -30"))
  if (step < 12) return answer(think('Read some.'), call('Read', { file_path: absolute(listedFile(request, step)) }))
  return answer(say('Conclusion: counted.\nEvidence: the script’s output.\nOutput: none\nUnverified: none'))
}

/** One of the files that `git ls-files` has listed in this conversation. */
function listedFile(request: ReceivedRequest, number: number): string {
  const files = [...new Set(told(request).match(/src\/(?:core|formats)\/[\w./-]+\.ts/g))]
  return files[number] ?? 'README.md'
}

function tester(request: ReceivedRequest): Reply {
  switch (answersIn(request)) {
    case 0:
      return answer(think('Run them.'), bash(`node print-test-log.mjs ${LOG_LINES}`))
    case 1:
      return answer(think('The middle is not shown.'), bash(`grep -n 'test 2000 ' ${pathBack(request)}`))
    case 2:
      return answer(think('All of it.'), call('Read', { file_path: pathBackOfFirst(request), offset: 1990, limit: 30 }))
    case 3:
      return answer(call('Read', { file_path: absolute(PICTURE) }))
    case 4:
      return answer(think('I must see it.'), call('Read', { file_path: absolute(pathBack(request)) }))
    default:
      return answer(say('Conclusion: all pass.\nEvidence: the log, the picture.\nOutput: none\nUnverified: none'))
  }
}

function pathBackOfFirst(request: ReceivedRequest): string {
  return absolute(/Back: ([^\]]+)\]/.exec(told(request))?.[1] ?? '')
}

function lead(request: ReceivedRequest): Reply {
  switch (answersIn(request) % 6) {
    case 0:
      return answer(
        think('Look first.'),
        bash('git status --short && git log --oneline -3'),
        call('Read', { file_path: absolute('LICENSE'), limit: 3 }),
      )
    case 1:
      return answer(
        call('Agent', { description: 'Count', prompt: 'Count the files by ending.', subagent_type: '分析员' }),
        call('Agent', { description: 'Test', prompt: 'Run the tests, look at the picture.', subagent_type: '测试员' }),
      )
    case 2:
      return answer(think('Tidy up.'), bash('rm -rf src'))
    case 3:
      return answer(bash('ls src'))
    case 4:
      return listTool(request)
    default:
      return answer(say('The repository is counted.'))
  }
}

/** Whatever list tool the request offers. */
function listTool({ body }: ReceivedRequest): Reply {
  const offered = JSON.stringify(body.tools)
  if (offered.includes('"TodoWrite"')) {
    return answer(call('TodoWrite', { todos: [{ content: 'Count', status: 'completed', activeForm: 'Counting' }] }))
  }
  if (offered.includes('"TaskCreate"'))
    return answer(call('TaskCreate', { subject: 'Count', description: 'Count the files' }))
  return answer(think('No list tool here.'), bash('git status'))
}

let stage: AgentStage
let runtime: Runtime
let first: StepResult
let requestsOfFirst = 0

function absolute(path: string): string {
  return path.startsWith('/') ? path : join(stage.home.project, path)
}

describe.skipIf(!binary)('a coordinator with two workers counts a repository', () => {
  beforeAll(async () => {
    stage = await agentStage((request) => {
      if (!isWorker(request)) return lead(request)
      return told(request).includes('Run the tests') ? tester(request) : analyst(request)
    })
    // This very project, as a clone: a real repository with a few hundred files.
    const project = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim()
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${project}`, stage.home.project])
    writeFileSync(join(stage.home.project, PICTURE), noisePng(830))
    writeFileSync(
      join(stage.home.project, 'print-test-log.mjs'),
      `for (let n = 1; n <= Number(process.argv[2]); n++) console.log('ok ' + n + ' - test ' + n + ' of the suite passes: expected equals received')\n`,
    )
    runtime = stage.runtime({ workbench: true })
    first = await runtime.run(主控, '数一数。')
    requestsOfFirst = stage.model.requests.length
  })
  afterAll(() => stage.close())

  it('comes to its end without one refusal', () => {
    expect([first.ok, first.answer, first.attempts]).toEqual([true, 'The repository is counted.', 1])
    expect(stage.refusals()).toEqual([])
    expect(stage.eventsOf('alarm')).toEqual([])
  })

  it('keeps the main thread to delegation, reading, glances and the list', async () => {
    const entries = await recordedEntries(runtime.runDirectory, first.sessionId)
    const calls = entries.flatMap((entry) => contentOf(entry).filter(({ type }) => type === 'tool_use'))
    const results = new Map(
      entries.flatMap((entry) =>
        contentOf(entry).flatMap((block) => (block.tool_use_id ? [[block.tool_use_id, block]] : [])),
      ),
    )
    expect(calls.length).toBeGreaterThan(5)
    for (const { id, name, input } of calls) {
      const allowed = ['Agent', 'Read', ...LIST_TOOLS].includes(name ?? '')
      const glance = name === 'Bash' && classify(String(input?.command), { cwd: stage.home.project }).allow
      const denied = results.get(id ?? '')?.is_error === true
      expect([name, input, allowed || glance || denied]).toEqual([name, input, true])
    }
    expect(calls.some(({ name }) => LIST_TOOLS.includes(name ?? ''))).toBe(true)
  })

  it('lets no denied rm reach a shell', () => {
    expect(existsSync(join(stage.home.project, 'src/core/economy.ts'))).toBe(true)
    expect(stage.eventsOf('denial').map(({ tool, guard }) => [tool, guard])).toEqual([['Bash', 'delegate guard']])
  })

  it('spills a test log of 300 KB and a picture of 2 MB, and both are read back', async () => {
    expect(statSync(join(stage.home.project, PICTURE)).size).toBeGreaterThan(2_000_000)
    const [log, picture] = stage.eventsOf('spill')
    expect([log?.tool, log?.unit, picture?.tool, picture?.unit]).toEqual(['Bash', 'characters', 'Read', 'bytes'])
    const expected = execFileSync('node', ['print-test-log.mjs', String(LOG_LINES)], {
      cwd: stage.home.project,
      encoding: 'utf8',
    })
    expect(expected.length).toBeGreaterThan(300_000)
    expect(readFileSync(log?.path ?? '', 'utf8').trim()).toBe(expected.trim())
    const archive = await openArchive(join(stage.home.project, '.spillway'), { readOnly: true })
    expect(archive.get(picture?.ref ?? '')?.mediaType).toMatch(/^image\//)
    archive.close()
    // On the wire: the pointers, never the log; the part that was read back, and the picture once it was asked for.
    const workers = stage.model.requests.filter(
      (request) => isWorker(request) && told(request).includes('Run the tests'),
    )
    const last = workers.at(-1)
    expect(last?.text.length).toBeLessThan(1_500_000)
    expect(last?.text).toContain('test 2000 of the suite passes')
    expect(last?.text).not.toContain('test 1000 of the suite passes')
    const pictures = workers.map(({ text }) => text.includes('"type":"image"'))
    expect(pictures.at(-1)).toBe(true)
    expect(pictures.slice(0, 5)).toEqual([false, false, false, false, false])
  })

  it('has the worker’s script in the index, and the second run finds it', async () => {
    const bench = join(stage.home.project, '.spillway')
    expect(readFileSync(join(bench, 'scripts', SCRIPT), 'utf8')).toBe(SCRIPT_TEXT)
    expect(readFileSync(join(bench, 'INDEX.md'), 'utf8')).toMatch(
      /count-files\.sh.*counts the files of this repository/,
    )
    const written = Math.round(statSync(join(bench, 'scripts', SCRIPT)).mtimeMs)
    const again = stage.runtime({ workbench: true })
    const second = await again.run(主控, '再数一次。')
    expect([second.ok, second.resumed]).toEqual([true, false])
    expect(second.sessionId).not.toBe(first.sessionId)
    const requests = stage.model.requests.slice(requestsOfFirst)
    // The coordinator from its first request on, the worker as it starts.
    expect(JSON.stringify(requests.find((request) => !isWorker(request))?.body.system)).toContain('count-files.sh')
    const analysts = requests.filter((request) => isWorker(request) && told(request).includes('Count the files'))
    expect(told(analysts[0] as ReceivedRequest)).toContain('count-files.sh')
    expect(analysts.some((request) => told(request).includes('"name":"Write"'))).toBe(false)
    expect(Math.round(statSync(join(bench, 'scripts', SCRIPT)).mtimeMs)).toBe(written)
    expect(stage.refusals()).toEqual([])
  })

  it('leaves less than 15 % of the characters on the main thread', async () => {
    const run: RunAnalysis = await analyzeRun(runtime.runDirectory)
    process.stdout.write(
      `${runFigures(run)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}\n`,
    )
    expect(run.delegation.charShare).toBeGreaterThan(0.85)
    expect(run.delegation.workerCalls).toBeGreaterThan(run.delegation.mainCalls)
    expect(run.spills.count).toBeGreaterThanOrEqual(2)
    expect(run.scripts.scripts).toBe(1)
    expect(run.scripts.runs).toBeGreaterThanOrEqual(2)
    expect(readdirSync(join(stage.home.project, '.spillway')).sort()).toEqual(
      expect.arrayContaining(['INDEX.md', 'archive.sqlite', 'run', 'scripts', 'spill']),
    )
  })
})

interface RecordedBlock {
  readonly type?: string
  readonly id?: string
  readonly name?: string
  readonly input?: { readonly command?: unknown }
  readonly tool_use_id?: string
  readonly is_error?: boolean
}

function contentOf(entry: SessionStoreEntry): readonly RecordedBlock[] {
  const { message } = entry
  const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : undefined
  return Array.isArray(content) ? content : []
}
