/**
 * Inputs that broke other people's sessions, built small from what public reports say (the numbers name them). Each
 * is economized with small windows and repaired: the result is legal, nothing readable is lost, the same input always
 * gives the same bytes, and a second run finds nothing to do.
 */
import { describe, expect, it } from 'vitest'
import { economize } from '../src/core/economy.ts'
import type { Removed } from '../src/core/edits.ts'
import { check } from '../src/core/legality/index.ts'
import { chooseAll, DEFAULT_POLICY, type EconomyContext, type Policy } from '../src/core/policy.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import type { EconomyState } from '../src/core/state.ts'
import type { JsonObject, JsonValue, Transcript } from '../src/core/transcript.ts'
import type { ArrayFormat } from '../src/formats/array-format.ts'
import { chat } from '../src/formats/chat/index.ts'
import { claudeCode } from '../src/formats/claude-code/index.ts'
import type { Format } from '../src/formats/format.ts'
import { checkRequest } from '../src/formats/legality/index.ts'
import { messages } from '../src/formats/messages/index.ts'
import { pi } from '../src/formats/pi/index.ts'
import { responses } from '../src/formats/responses/index.ts'
import * as native from './support/pi.ts'
import { readBytes, undone, written } from './support/session-bytes.ts'

const CONTEXT: EconomyContext = { now: 0, limit: 184_000, epoch: 'asked', answerLast: true }
const SMALL: Policy = {
  name: 'small',
  rules: { ...DEFAULT_RULES, results: { keep: 2, keepReads: 2, minChars: 0 } },
  choose: chooseAll,
}
const big = (what: string, chars = 3000): string => `${what} `.repeat(Math.ceil(chars / (what.length + 1)))

/** Every text that somebody said or a tool gave. */
function wordsIn(transcript: Transcript): string[] {
  return transcript.messages
    .filter((message) => message.kind !== 'api-error')
    .flatMap(({ blocks }) =>
      blocks.flatMap((block) => {
        if (block.type === 'text') return [block.text]
        if (block.type !== 'result') return []
        return block.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      }),
    )
    .filter((text) => text.trim() !== '')
}

function expectNothingLost(before: Transcript, after: Transcript, removed: readonly Removed[]): void {
  const left = wordsIn(after).join('\n')
  const archived = removed.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n')
  const lost = wordsIn(before).filter((text) => {
    return !left.includes(text) && !archived.includes(text) && !archived.includes(JSON.stringify(text).slice(1, -1))
  })
  expect(lost).toEqual([])
}

/** An array request, economized and repaired. */
function heal(format: ArrayFormat, value: JsonValue, policy = SMALL): { value: JsonValue; transcript: Transcript } {
  const run = (input: JsonValue) => {
    const reading = format.read(input)
    const out = economize(reading.transcript, policy, { ...CONTEXT, repairs: format.repairs(reading.native) })
    return { reading, out, output: format.write(reading.native, out.edits) }
  }
  const { reading, out, output } = run(value)
  expect(format.check(output, 'request').filter(({ severity }) => severity === 'reject')).toEqual([])
  const { transcript } = format.read(output)
  expectNothingLost(reading.transcript, transcript, out.removed)
  expect(JSON.stringify(run(structuredClone(value)).output)).toBe(JSON.stringify(output))
  expect(run(output).out.edits).toEqual([])
  return { value: output, transcript }
}

/** A session file, economized and repaired. */
function healFile(format: Format, bytes: Buffer, policy = SMALL): Transcript {
  const run = (input: Buffer) => {
    const session = readBytes(format, input)
    const out = economize(session.main, policy, { ...CONTEXT, repairs: format.repairs(session) })
    return { session, out, ...written(format, session, input, out.edits) }
  }
  const { session, out, output, splices } = run(bytes)
  const after = readBytes(format, output)
  const violations = [...check(after.main, { at: 'request' }), ...format.check(after, 'rest')]
  expect(violations.filter(({ severity }) => severity === 'reject')).toEqual([])
  expectNothingLost(session.main, after.main, out.removed)
  expect(undone(output, splices).equals(bytes)).toBe(true)
  expect(run(bytes).output.equals(output)).toBe(true)
  expect(run(output).output.equals(output)).toBe(true)
  return after.main
}

const ask = (text: string): JsonObject => ({ role: 'user', content: text })
const use = (id: string, name = 'Bash', input: JsonObject = { command: id }): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
})
const got = (id: string, content: JsonValue): JsonObject => ({ type: 'tool_result', tool_use_id: id, content })
const turn = (id: string, text: string): JsonObject[] => [
  { role: 'assistant', content: [{ type: 'text', text: `about ${id}` }, use(id)] },
  { role: 'user', content: [got(id, text)] },
]
const turns = (count: number, from = 0): JsonObject[] =>
  Array.from({ length: count }, (_, index) => turn(`toolu_${from + index}`, big(`out ${from + index}`))).flat()

describe('Anthropic Messages', () => {
  it('claude-code#8484: auto-compact left a result behind three texts, its call gone', () => {
    const kept = ['summary', 'more', 'and more'].map((text) => ({ type: 'text', text }))
    const { transcript } = heal(messages, {
      messages: [
        ask('q'),
        { role: 'assistant', content: 'ok' },
        { role: 'user', content: [...kept, got('toolu_01Mhh3', 'the lost result')] },
      ],
    })
    expect(wordsIn(transcript)).toContain('the lost result')
  })

  it('claude-code#8931: a call without result at message 363, and 200 turns more', () => {
    const history = [ask('q'), ...turns(181), { role: 'assistant', content: [use('toolu_dangling')] }]
    expect(history).toHaveLength(364)
    heal(messages, { messages: [...history, ask('/compact'), ...turns(200, 500)] })
  })

  it('langchain#34282, openclaw#10700: the newest six messages were kept, the call of their first result was not', () => {
    heal(messages, { messages: [ask('q'), ...turns(9)].slice(-6) })
  })

  it('openclaw#93320: a call in flight was written twice by repeated compaction', () => {
    const twice = { role: 'assistant', content: [use('toolu_1'), use('toolu_2'), use('toolu_1')] }
    const { transcript } = heal(messages, {
      messages: [ask('q'), twice, { role: 'user', content: [got('toolu_2', 'two')] }, ask('go on')],
    })
    expect(transcript.messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'call'))).toHaveLength(2)
  })

  it('vercel/ai#12504: a call made by a program keeps the program that its caller names', () => {
    const program = { type: 'server_tool_use', id: 'srvtoolu_program', name: 'code_execution', input: { code: 'f()' } }
    const made = { ...use('toolu_program'), caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_program' } }
    const done = {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_program',
      content: { type: 'code_execution_result', stdout: '', stderr: '', return_code: 0, content: [] },
    }
    const value = {
      container: 'container_1',
      messages: [
        ask('q'),
        { role: 'assistant', content: [program, made] },
        { role: 'user', content: [got('toolu_program', big('rows'))] },
        { role: 'assistant', content: [done, { type: 'text', text: 'done' }] },
        ask('next'),
        ...turns(4),
      ],
    }
    const output = heal(messages, value).value as { messages: JsonValue[] }
    expect(output.messages.slice(0, 4)).toEqual(value.messages.slice(0, 4))
  })

  it('claude-code#58109: words before the last call of a worker stay', () => {
    const { transcript } = heal(messages, { messages: [ask('q'), ...turns(8)] })
    for (let index = 0; index < 8; index++) expect(wordsIn(transcript)).toContain(`about toolu_${index}`)
  })

  it('claude-code#16173, #29551: one image over 8,000 pixels stops every request, /compact too', () => {
    const data = Buffer.concat([
      Buffer.from('89504e470d0a1a0a0000000d4948445200002328000003200802000000', 'hex'),
      Buffer.from('0000000049454e44ae426082', 'hex'),
    ])
    const source = { type: 'base64', media_type: 'image/png', data: data.toString('base64') }
    const { transcript } = heal(messages, {
      messages: [
        ask('q'),
        { role: 'assistant', content: [use('a', 'Read')] },
        { role: 'user', content: [got('a', [{ type: 'image', source }])] },
        ask('and?'),
      ],
    })
    expect(wordsIn(transcript).join()).toMatch(/\[spillway .*9000x800/)
  })

  it('claude-code#18351, openclaw#15409: several workers gave 900 KB together', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const reports = ids.map((id) => got(id, big(`report of ${id}`, 150_000)))
    const { value } = heal(messages, {
      messages: [
        ask('q'),
        { role: 'assistant', content: ids.map((id) => use(id, 'Task')) },
        { role: 'user', content: reports },
        { role: 'assistant', content: 'read' },
        ask('so?'),
        ...turns(3),
      ],
    })
    expect(JSON.stringify(value).length).toBeLessThan(20_000)
  })

  it('openclaw#95219, #111085, #90301: what was decided once is sent with the same bytes ever after', () => {
    let state: EconomyState | undefined
    let sent = ''
    const history: JsonObject[] = [ask('q')]
    for (let round = 0; round < 6; round++) {
      history.push(...turns(3, round * 3))
      const { transcript, native: whole } = messages.read({ messages: history })
      // An epoch in the second round, then none.
      const policy: Policy = round === 1 ? SMALL : { ...SMALL, choose: (edits) => ({ edits: [], waiting: edits }) }
      const out = economize(transcript, policy, CONTEXT, state)
      state = out.state
      const output = JSON.stringify(messages.write(whole, out.edits)).slice(0, -2)
      if (round > 1) expect(output.startsWith(sent)).toBe(true)
      sent = output
    }
  })

  it('openclaw#132008: a second, tighter pass leaves the pointers of the first as they were', () => {
    const once = heal(
      messages,
      { messages: [ask('q'), ...turns(12)] },
      { ...SMALL, rules: { ...DEFAULT_RULES, results: { keep: 8, keepReads: 8, minChars: 0 } } },
    )
    const pointers = wordsIn(once.transcript).filter((text) => text.startsWith('[spillway '))
    const twice = heal(messages, once.value)
    expect(pointers.length).toBeGreaterThan(0)
    expect(
      wordsIn(twice.transcript)
        .filter((text) => text.startsWith('[spillway '))
        .slice(0, pointers.length),
    ).toEqual(pointers)
  })
})

describe('OpenAI', () => {
  it('deepagents#4682: eviction of a human message took the calls of the answer with it', () => {
    const tool = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })
    const { transcript } = heal(chat, {
      messages: [ask('q'), { role: 'assistant', content: 'I will look.' }, tool('call_1'), tool('call_2'), ask('and?')],
    })
    expect(wordsIn(transcript)).toEqual(expect.arrayContaining(['result of call_1', 'result of call_2']))
  })

  it('lossless-claw#861: DeepSeek wants its reasoning back', () => {
    const made = { type: 'function', function: { name: 'f', arguments: '{}' } }
    const each = (id: string): JsonObject[] => [
      { role: 'assistant', content: '', reasoning_content: `why ${id}`, tool_calls: [{ id, ...made }] },
      { role: 'tool', tool_call_id: id, content: big(id) },
    ]
    const history = Array.from({ length: 6 }, (_, index) => each(`call_${index}`)).flat()
    const { value } = heal(chat, { model: 'deepseek-v4', messages: [ask('q'), ...history, ask('and?')] })
    expect(checkRequest('deepseek', value).filter(({ severity }) => severity === 'reject')).toEqual([])
    expect(JSON.stringify(value).match(/why call_/g)).toHaveLength(6)
  })

  it('langchain#34282 on Responses: "No tool call found for function call output"', () => {
    const call = (id: string): JsonObject[] => [
      { type: 'reasoning', id: `rs_${id}`, summary: [] },
      { type: 'function_call', id: `fc_${id}`, call_id: id, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: `out ${id}` },
    ]
    const input = [...call('a'), ...call('b'), ...call('c')].slice(2)
    const { transcript } = heal(responses, { model: 'gpt-5', input: [...input, ask('and?')] })
    expect(wordsIn(transcript)).toContain('out a')
  })
})

describe('Claude Code files', () => {
  it('claude-code#12162: Esc during a call, then the next prompt', () => {
    let parentUuid: string | null = null
    const lines = (
      [
        ['user', { role: 'user', content: 'q' }],
        ['assistant', { id: 'msg_1', role: 'assistant', model: 'claude-sonnet-4-5', content: [use('toolu_1')] }],
        ['user', { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] }],
        ['user', { role: 'user', content: 'try something else' }],
      ] as const
    ).map(([type, message], index) => {
      const uuid = `00000000-0000-4000-8000-00000000000${index}`
      const entry = { type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z', message }
      parentUuid = uuid
      return `${JSON.stringify(entry)}\n`
    })
    const after = healFile(claudeCode, Buffer.from(lines.join('')))
    expect(wordsIn(after)).toContain('try something else')
  })
})

describe('OpenClaw and pi files', () => {
  const { assistant, call, chain, header, idAt, piBytes, result, text, user } = native
  const exchanges = (count: number): native.NativeEntry[] =>
    Array.from({ length: count }, (_, index) => [
      assistant([call(`call_${index}`)]),
      result(`call_${index}`, big(`out ${index}`)),
    ]).flat()

  it('openclaw#4739: 855 messages, then a compaction that keeps from a result on', () => {
    const history = [user('task'), ...exchanges(427)]
    expect(history).toHaveLength(855)
    const compaction = { type: 'compaction', summary: 'so far', firstKeptEntryId: idAt(801), tokensBefore: 218_109 }
    healFile(pi, piBytes([header(3), ...chain([...history, compaction, user('go on'), assistant([text('yes')])])]))
  })

  it('openclaw#7527, #8525, #30044: a stream broke in the middle of twenty calls, their results came', () => {
    const ids = Array.from({ length: 20 }, (_, index) => `call_${index}`)
    const broken = assistant(
      ids.map((id) => call(id)),
      { stopReason: 'aborted' },
    )
    const after = healFile(
      pi,
      piBytes([
        header(3),
        ...chain([user('q'), broken, ...ids.map((id) => result(id, `words of ${id}`)), user('go on')]),
      ]),
    )
    expect(wordsIn(after)).toEqual(expect.arrayContaining(ids.map((id) => `words of ${id}`)))
  })

  it('openclaw#64287: broken parents lose the history before them', () => {
    const entries = chain([user('the task'), ...exchanges(10), user('go on')])
    for (const index of [5, 9, 14]) entries[index] = { ...entries[index], parentId: `ffff000${index % 10}` }
    const after = healFile(pi, piBytes([header(3), ...entries]))
    expect(wordsIn(after)).toEqual(expect.arrayContaining(['the task', 'go on']))
    expect(after.messages.length).toBe(22)
  })

  it('openclaw#102253: a completion event started a root of its own, the history before it was gone', () => {
    const event = { type: 'custom', customType: 'completion', data: { status: 'completed' }, parentId: null }
    const after = healFile(pi, piBytes([header(3), ...chain([user('the task'), ...exchanges(4), event])]))
    expect(wordsIn(after)[0]).toBe('the task')
    expect(after.messages).toHaveLength(9)
  })

  it('openclaw#116015: workers in flight survive, unanswered, while the session is at rest', () => {
    const spawns = ['a', 'b', 'c'].map((id) => ({ ...call(id, { task: 'audit' }), name: 'sessions_spawn' }))
    const bytes = piBytes([header(3), ...chain([user('q'), ...exchanges(12), assistant(spawns)])])
    const session = readBytes(pi, bytes)
    const out = economize(session.main, SMALL, { now: 0, limit: 184_000, epoch: 'asked' })
    expect(out.outcome).toBe('rewritten')
    const last = readBytes(pi, written(pi, session, bytes, out.edits).output).main.messages.at(-1)
    expect(last?.blocks.map((block) => block.type === 'call' && block.tool)).toEqual(Array(3).fill('sessions_spawn'))
  })

  it('openclaw#150447: one prompt and twenty calls, nothing to gain: unchanged, at once', () => {
    const entries = chain([
      user('q'),
      ...Array.from({ length: 20 }, (_, index) => [
        assistant([call(`call_${index}`)]),
        result(`call_${index}`, 'ok'),
      ]).flat(),
    ])
    const session = readBytes(pi, piBytes([header(3), ...entries]))
    expect(economize(session.main, DEFAULT_POLICY, CONTEXT).outcome).toBe('unchanged')
  })

  it('openclaw#76412: a long report is never cut: all of it is sent, or a pointer to all of it', () => {
    const report = `34/34 tests pass, clean build. Now docker repro: ${big('details', 9000)}THE END`
    const bytes = piBytes([
      header(3),
      ...chain([user('q'), assistant([call('a')]), result('a', report), ...exchanges(6)]),
    ])
    const { main } = readBytes(pi, bytes)
    const out = economize(main, SMALL, CONTEXT)
    expect(out.removed.map(({ content }) => content)).toContain(report)
    healFile(pi, bytes)
  })
})
