/**
 * Generated sessions: one abstract story, written down as Claude Code or pi would record it, with the damage that
 * real files have. Texts are raw JSON lines, so readers and writers are tested on bytes, not on objects.
 */
import fc from 'fast-check'
import {
  type AnnounceStep,
  announce,
  announcementMessage,
  claudeNotification,
  type Launched,
  NOTIFIED,
  type SpawnStep,
  settledMessage,
  spawn,
  writeClaudeSpawn,
  writePiSpawn,
} from './generated-tasks.ts'

type Answer = 'short' | 'long' | 'failed' | 'refused' | 'person' | 'stopped' | 'picture' | 'parts' | 'missing' | 'twice'

interface CallStep {
  readonly tool: 'Bash' | 'Read' | 'Write' | 'Grep'
  readonly big: boolean
  readonly answer: Answer
}

export type Step =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'picture' }
  | {
      readonly kind: 'turn'
      readonly thinking: boolean
      readonly text: string
      readonly calls: readonly CallStep[]
      readonly split: boolean
    }
  | { readonly kind: 'error' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'reminder' }
  | { readonly kind: 'noise' }
  | { readonly kind: 'side' }
  | { readonly kind: 'compaction' }
  | { readonly kind: 'orphan' }
  | { readonly kind: 'blank' }
  | { readonly kind: 'broken-parent' }
  | { readonly kind: 'branch' }
  | { readonly kind: 'bad-line' }
  | { readonly kind: 'joined' }
  | SpawnStep
  | AnnounceStep

export interface Story {
  readonly steps: readonly Step[]
  readonly model: string
  readonly crlf: boolean
}

const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5', 'claude-opus-4-8', 'unheard-of-model']
const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('look', 'go on', 'naïve — 你好 🙂', 'x', 'a "quoted" \\ path/a.ts') },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== ''),
  },
)

const callStep = fc.record<CallStep>({
  tool: fc.constantFrom('Bash', 'Read', 'Write', 'Grep'),
  big: fc.boolean(),
  answer: fc.constantFrom<Answer>(
    'short',
    'short',
    'long',
    'long',
    'long',
    'long',
    'failed',
    'refused',
    'person',
    'stopped',
    'picture',
    'parts',
    'missing',
    'twice',
  ),
})

const turn = fc.record<Step & { kind: 'turn' }>({
  kind: fc.constant('turn'),
  thinking: fc.boolean(),
  text: fc.oneof(fc.constant(''), words),
  calls: fc.array(callStep, { maxLength: 3 }),
  split: fc.boolean(),
})

const healthy: fc.WeightedArbitrary<Step>[] = [
  { weight: 14, arbitrary: turn },
  { weight: 2, arbitrary: spawn },
  { weight: 2, arbitrary: announce },
  { weight: 3, arbitrary: fc.record<Step & { kind: 'user' }>({ kind: fc.constant('user'), text: words }) },
  ...(['picture', 'reminder', 'noise', 'side', 'compaction'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.constant<Step>({ kind }),
  })),
]
const damaged: fc.WeightedArbitrary<Step>[] = (
  ['error', 'interrupt', 'orphan', 'blank', 'broken-parent', 'branch', 'bad-line', 'joined'] as const
).map((kind) => ({ weight: 1, arbitrary: fc.constant<Step>({ kind }) }))

/** `most`: number of steps; stories with damage hold every fault a reader must survive. */
export function story(most: number, damage: boolean): fc.Arbitrary<Story> {
  return fc.record<Story>({
    steps: fc.array(fc.oneof(...healthy, ...(damage ? damaged : [])), { minLength: 1, maxLength: most, size: 'max' }),
    model: fc.constantFrom(...MODELS),
    crlf: fc.boolean(),
  })
}

/** A story of little but delegated work: enough of it that old records roll up. */
export function delegating(most: number): fc.Arbitrary<Story> {
  const steps = fc.oneof(
    { weight: 5, arbitrary: spawn },
    { weight: 4, arbitrary: announce },
    { weight: 2, arbitrary: turn },
    { weight: 1, arbitrary: fc.record<Step & { kind: 'user' }>({ kind: fc.constant('user'), text: words }) },
  )
  return fc.record<Story>({
    steps: fc.array(steps, { minLength: 4, maxLength: most, size: 'max' }),
    model: fc.constantFrom(...MODELS),
    crlf: fc.constant(false),
  })
}

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e00802000000', 'hex'),
  Buffer.alloc(600, 9),
]).toString('base64')
const BIG = 'the quick brown fox jumps over the lazy dog; '.repeat(40)
const TIME = '2026-11-30T06:00:00.000Z'

interface Result {
  readonly content: unknown
  readonly error: boolean
  readonly answer: Answer
}

function answerOf(call: CallStep, id: string): Result {
  const text = (body: string, error = false): Result => ({ content: body, error, answer: call.answer })
  switch (call.answer) {
    case 'long':
      return text(`${id} ${BIG}\n`)
    case 'failed':
      return text(`Exit code 1\n${id} ${BIG}`, true)
    case 'refused':
      return text('PreToolUse:Bash hook error: not here', true)
    case 'person':
      return text("The user doesn't want to proceed with this tool use.", true)
    case 'stopped':
      return text(`half of ${id}\n[Request interrupted by user for tool use]`, true)
    case 'picture':
      return { content: [{ picture: true }, { text: 'the picture' }], error: false, answer: call.answer }
    case 'parts':
      return { content: [{ text: `${id} ${BIG}` }, { text: 'second part' }], error: false, answer: call.answer }
    default:
      return text(`ok ${id}`)
  }
}

function inputOf(call: CallStep, id: string): Record<string, unknown> {
  const base: Record<string, unknown> =
    call.tool === 'Bash' ? { command: `run ${id}` } : { file_path: `/w/${id}.ts`, limit: 5 }
  return call.big ? { ...base, content: `${id} ${BIG}`, edits: [{ new_string: `${id} deep ${BIG}` }] } : base
}

const joinLines = (lines: readonly string[], crlf: boolean): Buffer =>
  Buffer.from(lines.map((line) => line + (crlf ? '\r\n' : '\n')).join(''), 'utf8')

const NOISE =
  '{"type":"queue-operation","operation":"enqueue","n":1.0,"big":12345678901234567890,"a":1,"a":2,"7":"\\/ \\u00e9"}'
const BAD = '{"type":"user","message":{"role":"user","content":"cut in the mid'

/** The story as Claude Code records it. */
export function asClaudeCode({ steps, model, crlf }: Story): Buffer {
  const lines: string[] = []
  let count = 0
  let parent: string | null = null
  let joinNext = false
  const uuid = (): string => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
  const write = (entry: Record<string, unknown>): void => {
    const line = JSON.stringify(entry).replace('"cwd"', '"odd":1.50,"cwd"')
    if (joinNext && lines.length > 0) lines[lines.length - 1] += line
    else lines.push(line)
    joinNext = false
  }
  const entry = (facts: Record<string, unknown>, chain = true): string => {
    const id = uuid()
    const common = {
      parentUuid: parent,
      isSidechain: false,
      cwd: '/w',
      sessionId: 's',
      version: '2.1.332',
      uuid: id,
      timestamp: TIME,
    }
    write({ ...common, ...facts })
    if (chain) parent = id
    return id
  }
  const says = (content: unknown, extra: Record<string, unknown> = {}): string =>
    entry({ type: 'user', message: { role: 'user', content }, ...extra })
  says('the task of this session')
  let launched: Launched[] = []
  steps.forEach((step, index) => {
    const id = `toolu_${index}`
    switch (step.kind) {
      case 'user':
        says(step.text)
        break
      case 'picture':
        says([
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ])
        break
      case 'turn':
        writeClaudeTurn(step, index, model, { entry, parentOf: () => parent, setParent: (value) => (parent = value) })
        break
      case 'error':
        entry({
          type: 'assistant',
          message: { id, model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: 'API Error: 529' }] },
          isApiErrorMessage: true,
        })
        break
      case 'interrupt':
        says([{ type: 'text', text: '[Request interrupted by user]' }])
        break
      case 'reminder':
        entry({
          type: 'attachment',
          attachment: { type: 'date' },
          rendered: [{ content: '<system-reminder>\ndate\n</system-reminder>' }],
          renderedRole: 'system',
        })
        break
      case 'noise':
        lines.push(NOISE)
        break
      case 'side': {
        const main = parent
        parent = null
        entry({ type: 'user', isSidechain: true, agentId: 'abc', message: { role: 'user', content: BIG } }, false)
        parent = main
        break
      }
      case 'compaction': {
        const last = parent
        parent = null
        entry({
          type: 'system',
          subtype: 'compact_boundary',
          logicalParentUuid: last,
          content: 'Conversation compacted',
        })
        says('This session is being continued from a previous conversation. Summary: x', { isCompactSummary: true })
        break
      }
      case 'orphan':
        says([{ type: 'tool_result', tool_use_id: `gone_${index}`, content: 'words of a lost call' }])
        break
      case 'blank':
        entry({
          type: 'assistant',
          message: { id, model, role: 'assistant', content: [{ type: 'text', text: '\n\n' }] },
        })
        break
      case 'broken-parent':
        parent = `00000000-0000-4000-8000-ffffffff${String(index).padStart(4, '0')}`
        says('after the break')
        break
      case 'branch': {
        const back = parent
        says('a branch that was left')
        parent = back
        break
      }
      case 'bad-line':
        lines.push(BAD)
        break
      case 'joined':
        joinNext = true
        says('joined to the line before')
        break
      case 'spawn':
        launched.push(...writeClaudeSpawn(step, index, model, entry))
        break
      case 'announce':
        for (const one of launched) if (one.task.end !== 'open') says(claudeNotification(one), { origin: NOTIFIED })
        launched = launched.filter(({ task }) => task.end === 'open')
        break
    }
  })
  return joinLines(lines, crlf)
}

interface ClaudeWriter {
  readonly entry: (facts: Record<string, unknown>, chain?: boolean) => string
  readonly parentOf: () => string | null
  readonly setParent: (parent: string | null) => void
}

function writeClaudeTurn(step: Step & { kind: 'turn' }, index: number, model: string, writer: ClaudeWriter): void {
  const id = `msg_${index}`
  const blocks: unknown[] = []
  if (step.thinking) blocks.push({ type: 'thinking', thinking: `about ${index}`, signature: `SIG${index}` })
  if (step.text !== '') blocks.push({ type: 'text', text: step.text })
  step.calls.forEach((call, position) => {
    const callId = `toolu_${index}_${position}`
    blocks.push({ type: 'tool_use', id: callId, name: call.tool, input: inputOf(call, callId) })
  })
  if (blocks.length === 0) blocks.push({ type: 'text', text: 'nothing to do' })
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000 * index,
    output_tokens: 20,
  }
  const message = { id, type: 'message', role: 'assistant', model, usage }
  const owners: string[] = []
  if (step.split)
    for (const block of blocks)
      owners.push(writer.entry({ type: 'assistant', message: { ...message, content: [block] } }))
  else owners.push(writer.entry({ type: 'assistant', message: { ...message, content: blocks } }))
  step.calls.forEach((call, position) => {
    if (call.answer === 'missing') return
    const owner = step.split ? owners[owners.length - step.calls.length + position] : owners[0]
    // Parallel results hang off their own call; the last one carries the chain on.
    writer.setParent(owner ?? writer.parentOf())
    const callId = `toolu_${index}_${position}`
    for (let time = 0; time < (call.answer === 'twice' ? 2 : 1); time++) {
      writer.entry(claudeResult(answerOf(call, callId), callId, owner))
    }
  })
}

function claudeResult(result: Result, callId: string, owner: string | undefined): Record<string, unknown> {
  const content = Array.isArray(result.content)
    ? result.content.map((part) =>
        'picture' in part
          ? { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
          : { type: 'text', text: part.text },
      )
    : result.content
  const denial: Record<string, unknown> =
    result.answer === 'refused'
      ? { toolDenialKind: 'permission-rule', permissionDecision: { decision: 'reject', source: 'hook' } }
      : result.answer === 'person'
        ? { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true }
        : result.answer === 'stopped'
          ? { toolDenialKind: 'interrupted' }
          : {}
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: callId, content, ...(result.error ? { is_error: true } : {}) }],
    },
    toolUseResult: result.error ? `Error: ${String(result.content)}` : { stdout: result.content, interrupted: false },
    sourceToolAssistantUUID: owner,
    ...denial,
  }
}

/** The story as pi records it; what pi cannot record (sidechains, attachments) is left out. */
export function asPi({ steps, model, crlf }: Story): Buffer {
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: TIME, cwd: '/w' })]
  let count = 0
  let parent: string | null = null
  let joinNext = false
  const entry = (facts: Record<string, unknown>): string => {
    const id = (++count).toString(16).padStart(8, '0')
    const line = JSON.stringify({ id, parentId: parent, timestamp: TIME, ...facts }).replace(
      '"timestamp"',
      '"odd":1.50,"timestamp"',
    )
    if (joinNext) lines[lines.length - 1] += line
    else lines.push(line)
    joinNext = false
    parent = id
    return id
  }
  const message = (body: Record<string, unknown>): string =>
    entry({ type: 'message', message: { ...body, timestamp: 1 } })
  const says = (content: unknown): string => message({ role: 'user', content })
  let firstKept = says('the task of this session')
  let launched: Launched[] = []
  steps.forEach((step, index) => {
    switch (step.kind) {
      case 'user':
        firstKept = says([{ type: 'text', text: step.text }])
        break
      case 'picture':
        says([
          { type: 'text', text: 'see' },
          { type: 'image', data: PNG, mimeType: 'image/png' },
        ])
        break
      case 'turn':
        writePiTurn(step, index, model, message)
        break
      case 'error':
        message({ role: 'assistant', content: [], model, stopReason: 'error', errorMessage: '529 overloaded' })
        break
      case 'interrupt':
        message({ role: 'assistant', content: [{ type: 'text', text: 'half' }], model, stopReason: 'aborted' })
        break
      case 'reminder':
        entry({ type: 'custom_message', customType: 'note', content: 'a note', display: false })
        break
      case 'noise':
        entry({ type: 'custom', customType: 'x', data: { n: 1 } })
        break
      case 'compaction':
        entry({ type: 'compaction', summary: 'what was done', firstKeptEntryId: firstKept, tokensBefore: 1000 })
        break
      case 'orphan':
        message({
          role: 'toolResult',
          toolCallId: `gone_${index}`,
          toolName: 'bash',
          content: [{ type: 'text', text: 'words of a lost call' }],
          isError: false,
        })
        break
      case 'blank':
        message({ role: 'assistant', content: [{ type: 'text', text: '\n\n' }], model, stopReason: 'stop' })
        break
      case 'broken-parent':
        parent = `ffff${String(index).padStart(4, '0')}`
        says('after the break')
        break
      case 'branch': {
        const back = parent
        says('a branch that was left')
        parent = back
        break
      }
      case 'bad-line':
        lines.push(BAD)
        break
      case 'joined':
        joinNext = true
        says('joined to the line before')
        break
      case 'side':
        break
      case 'spawn':
        launched.push(...writePiSpawn(step, index, model, message))
        break
      case 'announce': {
        const ended = launched.filter(({ task }) => task.end !== 'open')
        launched = launched.filter(({ task }) => task.end === 'open')
        if (step.together && ended.length > 0) {
          const waits = 'Waiting\n\n[Context: The previous turn ended intentionally via sessions_yield.]'
          entry({ type: 'custom_message', customType: 'openclaw.sessions_yield', content: waits, display: false })
          message(settledMessage(ended))
        }
        if (!step.together) for (const one of ended) message(announcementMessage(one))
        break
      }
    }
  })
  return joinLines(lines, crlf)
}

const PI_TOOLS = { Bash: 'bash', Read: 'read', Write: 'write', Grep: 'grep' }

function writePiTurn(
  step: Step & { kind: 'turn' },
  index: number,
  model: string,
  message: (body: Record<string, unknown>) => string,
): void {
  const content: unknown[] = []
  if (step.thinking) content.push({ type: 'thinking', thinking: `about ${index}`, thinkingSignature: `SIG${index}` })
  if (step.text !== '') content.push({ type: 'text', text: step.text })
  step.calls.forEach((call, position) => {
    const id = `call_${index}_${position}`
    content.push({ type: 'toolCall', id, name: PI_TOOLS[call.tool], arguments: inputOf(call, id) })
  })
  if (content.length === 0) content.push({ type: 'text', text: 'nothing to do' })
  const usage = { input: 10, output: 20, cacheRead: 1000 * index, cacheWrite: 100, totalTokens: 30 }
  message({
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model,
    usage,
    stopReason: 'toolUse',
  })
  step.calls.forEach((call, position) => {
    if (call.answer === 'missing') return
    const id = `call_${index}_${position}`
    const result = answerOf(call, id)
    const parts = Array.isArray(result.content) ? result.content : [{ text: String(result.content) }]
    for (let time = 0; time < (call.answer === 'twice' ? 2 : 1); time++) {
      message({
        role: 'toolResult',
        toolCallId: id,
        toolName: PI_TOOLS[call.tool],
        content: parts.map((part) =>
          'picture' in part ? { type: 'image', data: PNG, mimeType: 'image/png' } : { type: 'text', text: part.text },
        ),
        details: { copy: parts.map((part) => ('text' in part ? part.text : '')) },
        isError: result.error,
      })
    }
  })
}
