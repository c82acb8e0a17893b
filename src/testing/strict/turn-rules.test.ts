import { describe, expect, it } from 'vitest'
import type { WireBlock, WireMessage, WireRequest } from '../wire.ts'
import { createStrictRules } from './index.ts'

const MODEL = 'claude-opus-5-5'
const user = (content: string | WireBlock[]): WireMessage => ({ role: 'user', content })
const assistant = (content: string | WireBlock[]): WireMessage => ({ role: 'assistant', content })
const system = (content: string): WireMessage => ({ role: 'system', content })
const text = (words: string): WireBlock => ({ type: 'text', text: words })
const use = (id: string, input: unknown = {}): WireBlock => ({ type: 'tool_use', id, name: 'Bash', input })
const result = (id: string, content: unknown = 'ok'): WireBlock => ({ type: 'tool_result', tool_use_id: id, content })

function refusalOf(messages: WireMessage[], extra: Partial<WireRequest> = {}) {
  return createStrictRules().check({ model: MODEL, ...extra, messages })
}

const asked = user('Time?')

/** Each case: the rule, an illegal history, its legal twin, and words of the API's refusal. */
const CASES: [string, WireMessage[], WireMessage[], RegExp][] = [
  ['A01', [], [asked], /at least one message is required/],
  [
    'A04',
    [asked, assistant('It is')],
    [asked, assistant('It is'), user('?')],
    /does not support assistant message prefill/,
  ],
  [
    'A06',
    [asked, assistant([]), user('?')],
    [asked, assistant('…'), user('?')],
    /^messages\.1: all messages must have non-empty/,
  ],
  ['A06', [user(''), asked], [asked], /^messages\.0: all messages must have non-empty/],
  ['A07', [user([text(''), text('Hi')])], [user([text('Hi')])], /text content blocks must be non-empty/],
  [
    'A07',
    [asked, assistant([use('t1')]), user([result('t1', [text('')])])],
    [asked, assistant([use('t1')]), user([result('t1', [])])],
    /text content blocks must be non-empty/,
  ],
  [
    'A08',
    [asked, assistant([text('\n\n')]), user('?')],
    [asked, assistant([text('(none)')]), user('?')],
    /non-whitespace/,
  ],
  [
    'A09',
    [asked, assistant([use('t1')]), user('never mind')],
    [asked, assistant([use('t1')]), user([result('t1'), text('never mind')])],
    /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1\./,
  ],
  [
    'A10',
    [asked, assistant([use('t1'), use('t2')]), user([result('t1')]), assistant('ok'), user([result('t2')])],
    [asked, assistant([use('t1'), use('t2')]), user([result('t1')]), user([result('t2')])],
    /immediately after: t2\./,
  ],
  [
    'A11',
    [user([result('t9')])],
    [user('(earlier result: ok)')],
    /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: t9\./,
  ],
  [
    'A12',
    [asked, assistant([use('t1')]), user([result('t1'), result('t1')])],
    [asked, assistant([use('t1')]), user([result('t1')])],
    /^messages\.2\.content\.1: each tool_use must have a single result/,
  ],
  [
    'A13',
    [asked, assistant([use('t1')]), user([result('t1')]), assistant([use('t1')]), user([result('t1')])],
    [asked, assistant([use('t1')]), user([result('t1')]), assistant([use('t2')]), user([result('t2')])],
    /^messages\.3\.content\.0: `tool_use` ids must be unique/,
  ],
  ['A14', [asked, assistant([result('t1')]), user('?')], [asked, user('?')], /can only be in `user` messages/],
  ['A14', [user([use('t1')]), user([result('t1')])], [asked], /can only be in `assistant` messages/],
  [
    'A15',
    [asked, assistant([use('t1')]), user([text('Here:'), result('t1')])],
    [asked, assistant([use('t1')]), user([result('t1'), text('Here:')])],
    /were found without/,
  ],
  [
    'A16',
    [asked, assistant([use('t1')]), system('Be brief'), user([result('t1')])],
    [asked, assistant([use('t1')]), user([result('t1')]), system('Be brief')],
    /were found without/,
  ],
  [
    'A17',
    [asked, assistant([use('Bash:12')]), user([result('Bash:12')])],
    [asked, assistant([use('Bash_12')]), user([result('Bash_12')])],
    /String should match pattern/,
  ],
  [
    'A19',
    [asked, assistant([use('t1', '{"a":1}')]), user([result('t1')])],
    [asked, assistant([use('t1', { a: 1 })]), user([result('t1')])],
    /Input should be a valid dictionary/,
  ],
]

describe('the strict server refuses', () => {
  it.each(CASES)('%s', (rule, illegal, legal, words) => {
    const refused = refusalOf(illegal)
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(refused?.message).toMatch(words)
    expect(refused?.rule).toBe(rule)
    expect(refusalOf(legal)).toBeUndefined()
  })

  it('A09: a call at the very end without its answer', () => {
    expect(refusalOf([asked, assistant([use('t1')])], { model: 'claude-sonnet-4-5' })?.rule).toBe('A09')
  })

  it('A43: a system message on a model that takes none', () => {
    const messages = [asked, assistant('noon'), user('?'), system('Be brief')]
    expect(refusalOf(messages, { model: 'claude-sonnet-4-5' })?.rule).toBe('A43')
    expect(refusalOf(messages)).toBeUndefined()
  })
})

describe('the strict server accepts', () => {
  it('neighbouring messages of one role as one turn (A02)', () => {
    expect(refusalOf([user('a'), user('b')])).toBeUndefined()
    const calls = [assistant([use('t1')]), assistant([use('t2')]), user([result('t2')]), user([result('t1')])]
    expect(refusalOf([asked, ...calls])).toBeUndefined()
  })

  it('a prefill on models that take one, and a paused turn on any (A42)', () => {
    expect(refusalOf([asked, assistant('It is')], { model: 'claude-sonnet-4-5' })).toBeUndefined()
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
    expect(refusalOf([asked, assistant([search, found])])).toBeUndefined()
  })
})
