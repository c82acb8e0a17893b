import { describe, expect, it } from 'vitest'
import type { WireBlock, WireMessage, WireRequest } from '../wire.ts'
import { createStrictRules, type StrictRules } from './index.ts'

const thinking = (signature: string, words = ''): WireBlock => ({ type: 'thinking', thinking: words, signature })
const text = (words: string): WireBlock => ({ type: 'text', text: words })
const use = (id: string): WireBlock => ({ type: 'tool_use', id, name: 'Bash', input: {} })
const result = (id: string, content: string): WireMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
})
const user = (content: string): WireMessage => ({ role: 'user', content })
const assistant = (...content: WireBlock[]): WireMessage => ({ role: 'assistant', content })

const MESSAGES: WireMessage[] = [
  user('q'),
  assistant(thinking('S1', 'one'), use('t1')),
  result('t1', 'long output'),
  assistant(thinking('S2', 'two'), text('a')),
  user('r'),
  assistant(thinking('S3', 'three'), text('b')),
  user('s'),
]

function request(messages: WireMessage[], extra: Partial<WireRequest> = {}): WireRequest {
  return { model: 'claude-opus-5-5', system: 'You help.', tools: [{ name: 'Bash' }], ...extra, messages }
}

/** The server as it stands after it made this conversation itself. */
function served(extra: Partial<WireRequest> = {}): StrictRules {
  const rules = createStrictRules()
  MESSAGES.forEach((message, index) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return
    rules.remember(request(MESSAGES.slice(0, index), extra), message.content)
  })
  return rules
}

function without(...signatures: string[]): WireMessage[] {
  const goes = (block: WireBlock): boolean => signatures.includes(String(block.signature))
  return MESSAGES.map((message) => ({
    ...message,
    content: typeof message.content === 'string' ? message.content : message.content.filter((block) => !goes(block)),
  }))
}

function edited(messages: WireMessage[]): WireMessage[] {
  return messages.map((message, index) => (index === 2 ? result('t1', '[elided]') : message))
}

describe('thinking bound to its conversation (A33)', () => {
  it('accepts the conversation as it was, however it is spelled (A35)', () => {
    const rules = served()
    expect(rules.check(request(MESSAGES))).toBeUndefined()
    const respelled = MESSAGES.map((message) =>
      typeof message.content === 'string'
        ? { ...message, content: [{ ...text(message.content), cache_control: { type: 'ephemeral' } }] }
        : message,
    )
    const billed = [text('x-anthropic-billing-header: n=2'), text('You help.')]
    expect(rules.check(request(respelled, { system: billed, max_tokens: 5 }))).toBeUndefined()
  })

  it.each([
    ['an earlier result', request(edited(MESSAGES)), 'messages.3.content.0'],
    ['the system prompt', request(MESSAGES, { system: 'You help a lot.' }), 'messages.1.content.0'],
    ['the tools', request(MESSAGES, { tools: [] }), 'messages.1.content.0'],
    ['the order of messages', request([user('r'), ...MESSAGES]), 'messages.2.content.0'],
  ])('refuses it behind a change of %s', (_, changed, at) => {
    expect(served().check(changed)).toMatchObject({
      status: 400,
      rule: 'A33',
      message: expect.stringContaining(
        `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different`,
      ),
    })
  })

  it('accepts an edit without the thinking after it, then new thinking behind the edit', () => {
    const rules = served()
    const safe = edited(without('S2', 'S3'))
    expect(rules.check(request(safe))).toBeUndefined()
    const next = [thinking('S4', 'four'), text('c')]
    rules.remember(request(safe), next)
    expect(rules.check(request([...safe, assistant(...next), user('t')]))).toBeUndefined()
    const back = edited(MESSAGES)
    expect(rules.check(request([...back, assistant(...next), user('t')]))?.rule).toBe('A33')
  })

  it('does not bind on an older model', () => {
    const model = { model: 'claude-sonnet-4-5' }
    expect(served(model).check(request(edited(MESSAGES), model))).toBeUndefined()
  })

  it('learns a conversation that was held elsewhere', () => {
    const rules = createStrictRules()
    expect(rules.check(request(MESSAGES))?.rule).toBe('A29')
    rules.learn(request(MESSAGES))
    expect(rules.check(request(MESSAGES))).toBeUndefined()
    expect(rules.check(request(edited(MESSAGES)))?.rule).toBe('A33')
  })
})

describe('which thinking may go (A34)', () => {
  it.each([['S1'], ['S1', 'S2'], ['S1', 'S2', 'S3']])('from the oldest on', (...gone) => {
    expect(served().check(request(without(...gone)))).toBeUndefined()
  })

  it('from the newest on', () => {
    expect(served().check(request(without('S2', 'S3')))).toBeUndefined()
  })

  it('never out of the middle', () => {
    expect(served().check(request(without('S2')))?.rule).toBe('A34')
  })

  it('never back in once it was gone', () => {
    const rules = served()
    const next = [thinking('S4', 'four'), text('c')]
    rules.remember(request(without('S1', 'S2')), next)
    expect(rules.check(request([...without('S1', 'S2'), assistant(...next), user('t')]))).toBeUndefined()
    expect(rules.check(request([...without('S1'), assistant(...next), user('t')]))?.rule).toBe('A34')
  })
})

describe('thinking itself', () => {
  it('A29: has the signature it was given', () => {
    const forged = [user('q'), assistant(thinking('forged'), text('a')), user('?')]
    expect(served().check(request(forged))).toMatchObject({
      rule: 'A29',
      message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    })
  })

  it('A30: stays as it was in the newest answer, A29 in older ones', () => {
    const reworded = MESSAGES.map((message, index) =>
      index === 5 ? assistant(thinking('S3', 'other'), text('b')) : message,
    )
    expect(served().check(request(reworded))?.rule).toBe('A30')
    const older = MESSAGES.map((message, index) =>
      index === 1 ? assistant(thinking('S1', 'other'), use('t1')) : message,
    )
    expect(served().check(request(older))?.rule).toBe('A29')
  })

  it('A30: is not filtered in part in the newest answer', () => {
    const rules = createStrictRules()
    const both = [thinking('S1', 'one'), thinking('S2', 'two'), text('a')]
    rules.remember(request([user('q')]), both)
    expect(rules.check(request([user('q'), assistant(...both), user('?')]))).toBeUndefined()
    expect(rules.check(request([user('q'), assistant(thinking('S2', 'two'), text('a')), user('?')]))?.rule).toBe('A30')
    expect(rules.check(request([user('q'), assistant(text('a')), user('?')]))).toBeUndefined()
  })

  it('A32: comes first in its answer', () => {
    const late = [user('q'), assistant(text('t'), thinking('S1', 'one')), user('?')]
    const refused = served().check(request(late))
    expect(refused?.rule).toBe('A32')
    expect(refused?.message).toContain('Found `text`')
  })

  it('A31: opens the answer that a running tool loop continues, with manual thinking', () => {
    const manual = { model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } }
    const open = MESSAGES.slice(0, 3)
    const rules = served(manual)
    expect(rules.check(request(open, manual))).toBeUndefined()
    const stripped = [user('q'), assistant(use('t1')), result('t1', 'long output')]
    expect(rules.check(request(stripped, manual))?.rule).toBe('A31')
    expect(rules.check(request(stripped, { model: 'claude-sonnet-4-5' }))).toBeUndefined()
    expect(rules.check(request([...stripped, assistant(text('done')), user('?')], manual))).toBeUndefined()
  })

  it('A31 is not held against the client where the script gave no thinking', () => {
    const manual = { model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } }
    const rules = createStrictRules()
    rules.remember(request([user('q')], manual), [use('t1')])
    expect(rules.check(request([user('q'), assistant(use('t1')), result('t1', 'x')], manual))).toBeUndefined()
  })
})
