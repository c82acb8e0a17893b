import { describe, expect, it } from 'vitest'
import { assistant, long, transcriptOf, user } from '../../test/support/transcripts.ts'
import type { Edit } from './edits.ts'
import { thinkingRuleOf } from './models.ts'
import { thinkingStep } from './thinking.ts'

const thinks = (id: string) => [
  assistant({ thinking: `about ${id}` }, { call: id }),
  user({ result: id, text: long(id) }),
]
const transcript = transcriptOf([
  user('task'),
  ...thinks('a'),
  ...thinks('b'),
  ...thinks('c'),
  assistant({ thinking: 'end' }, 'so'),
])
const base = { rule: 'results', reason: '', purpose: 'economy', class: 'restorable', frees: 1, removed: [] } as const
const replace = (entry: number): Edit => ({
  ...base,
  kind: 'replace-result',
  at: { thread: 'main', entry, block: 0 },
  text: 'x',
})
const stripped = (edits: Edit[], model = 'claude-opus-5-5'): number[] =>
  thinkingStep(transcript, edits, model).map((edit) => edit.at.entry)

describe('thinking step', () => {
  it('a bound model loses the thinking behind the first edit, and only that', () => {
    expect(stripped([replace(6), replace(4)])).toEqual([5, 7])
    expect(stripped([replace(2)])).toEqual([3, 5, 7])
  })

  it('the thinking of the same message before an edited call stays, behind it leaves', () => {
    const call: Edit = { ...base, kind: 'replace-arguments', at: { thread: 'main', entry: 3, block: 1 }, values: [] }
    expect(stripped([call])).toEqual([5, 7])
    const interleaved = transcriptOf([
      user('q'),
      assistant({ call: 'a' }, { thinking: 'late' }, 'x'),
      user({ result: 'a' }),
    ])
    const edit: Edit = { ...call, at: { thread: 'main', entry: 1, block: 0 } }
    expect(thinkingStep(interleaved, [edit], 'claude-opus-5-5').map((strip) => strip.at.entry)).toEqual([1])
  })

  it('an inserted answer, a dropped message and a dropped exchange are edits too', () => {
    const answer: Edit = {
      ...base,
      kind: 'answer-call',
      at: { thread: 'main', entry: 3, block: 1 },
      callId: 'b',
      text: 'x',
      isError: false,
    }
    expect(stripped([answer])).toEqual([5, 7])
    const drop: Edit = { ...base, kind: 'drop-message', at: { thread: 'main', entry: 5 }, entries: [5] }
    expect(stripped([drop])).toEqual([5, 7])
  })

  it('thinking goes by the model that made it, whoever reads it (A36)', () => {
    const made = (model: string) => ({
      ...transcript,
      messages: transcript.messages.map((item) => ({ ...item, model })),
    })
    const strips = (maker: string, reader: string) => thinkingStep(made(maker), [replace(4)], reader).length
    expect(strips('claude-opus-5-5', 'claude-sonnet-4-5')).toBe(2)
    expect(strips('claude-sonnet-4-5', 'claude-opus-5-5')).toBe(0)
    expect(strips('claude-opus-5-5', 'claude-opus-5-5')).toBe(2)
  })

  it('nothing leaves when nothing that is sent changes', () => {
    const relink: Edit = { ...base, kind: 'relink', at: { thread: 'main', entry: 1 }, parent: 'e0' }
    expect(stripped([relink])).toEqual([])
    expect(stripped([])).toEqual([])
  })

  it('manual, adaptive and other providers’ models keep theirs; an unknown one is taken for bound', () => {
    for (const model of [
      'claude-sonnet-4-5',
      'claude-haiku-4-5-20251001',
      'claude-opus-4-8',
      'claude-sonnet-5',
      'gpt-5.2-codex',
    ]) {
      expect(stripped([replace(2)], model)).toEqual([])
    }
    for (const model of [
      'claude-sonnet-5-5',
      'claude-fable-5-1',
      'claude-fable-5-2',
      'claude-opus-7',
      'somebody/model',
    ]) {
      expect(stripped([replace(2)], model)).toEqual([3, 5, 7])
    }
  })

  it('knows the kinds that the reference names', () => {
    expect(thinkingRuleOf('claude-opus-4-5-20251101')).toBe('manual')
    expect(thinkingRuleOf('claude-sonnet-4-20250514')).toBe('manual')
    expect(thinkingRuleOf('claude-opus-4-6')).toBe('kept')
    expect(thinkingRuleOf('claude-fable-5')).toBe('kept')
    expect(thinkingRuleOf('us.anthropic.claude-opus-5-5-v1:0')).toBe('bound')
    expect(thinkingRuleOf(undefined)).toBe('bound')
  })
})
