import { describe, expect, it } from 'vitest'
import { factsOf, thinkingRuleOf, WIRES } from './models.ts'

describe('facts per model', () => {
  it.each([
    ['claude-opus-5-5', 'bound'],
    ['claude-opus-5-5-20261101', 'bound'],
    ['us.anthropic.claude-sonnet-5-5-v1:0', 'bound'],
    ['claude-fable-5-1', 'bound'],
    ['claude-mythos-5-2', 'bound'],
    ['claude-fable-5-20260301', 'kept'],
    ['claude-opus-5', 'kept'],
    ['claude-sonnet-5', 'kept'],
    ['claude-opus-4-8', 'kept'],
    ['claude-sonnet-4-6', 'kept'],
    ['claude-sonnet-4-5-20250929', 'manual'],
    ['claude-sonnet-4-20250514', 'manual'],
    ['claude-opus-4-1', 'manual'],
    ['claude-3-5-haiku-20241022', 'manual'],
    ['gpt-5.2', 'foreign'],
    ['something-new', 'bound'],
    [undefined, 'bound'],
  ])('%s: thinking is %s', (model, rule) => {
    expect(thinkingRuleOf(model)).toBe(rule)
  })

  it('prefill and system messages divide at their versions', () => {
    expect(['claude-sonnet-4-5', 'claude-sonnet-4-6'].map((model) => factsOf(model)?.prefill)).toEqual([true, false])
    const taken = ['claude-opus-4-7', 'claude-opus-4-8', 'claude-opus-5', 'claude-haiku-4-5', 'claude-sonnet-5']
    expect(taken.map((model) => factsOf(model)?.systemMessages)).toEqual([false, true, true, false, undefined])
  })

  it('claims nothing about a model it does not know', () => {
    expect(factsOf('something-new')).toBeUndefined()
  })

  it('call ids of a wire', () => {
    expect(WIRES.mistral.callId.test('abcdefgh1')).toBe(true)
    expect(WIRES.mistral.callId.test('call_a')).toBe(false)
    expect(WIRES['bedrock-converse'].callId.test('a'.repeat(65))).toBe(false)
  })
})
