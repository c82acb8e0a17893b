import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, it } from 'vitest'
import { messageReader } from './message-reader.ts'

/** Messages as the real binary sends them, less the fields nobody reads. */
function message(fields: Record<string, unknown>): SDKMessage {
  return { uuid: 'u', session_id: 's', parent_tool_use_id: null, ...fields } as unknown as SDKMessage
}

function answered(id: string, content: unknown[], more: Record<string, unknown> = {}): SDKMessage {
  const usage = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 1 }
  return message({ type: 'assistant', message: { id, model: 'claude-opus-5-5', content, usage }, ...more })
}

const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string, name: string, input: unknown = {}) => ({ type: 'tool_use', id, name, input })

describe('figures', () => {
  it('counts a request once, however many messages it comes in', () => {
    const reader = messageReader()
    reader.read(answered('m1', [{ type: 'thinking', thinking: 'hm' }]))
    reader.read(answered('m1', [text('I look.')]))
    reader.read(answered('m1', [call('c1', 'Read')]))
    expect([reader.turns, reader.context]).toEqual([1, 100])
  })

  it('takes only the prose of the main thread, and as the answer what came after the last call', () => {
    const reader = messageReader()
    reader.read(answered('m1', [text('I ask.')]))
    reader.read(answered('m1', [call('c1', 'Agent', { subagent_type: '分析员' })]))
    reader.read(answered('w1', [text('worker prose')], { parent_tool_use_id: 'c1' }))
    reader.read(answered('m2', [text('It is done.')]))
    expect(reader.texts).toEqual(['I ask.', 'It is done.'])
    expect(reader.answer).toBe('It is done.')
    expect(reader.turns).toBe(2)
  })

  it('knows whether the main thread only waits for background work', () => {
    const reader = messageReader()
    const running = { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 't' }] }
    const result = { type: 'result', subtype: 'success', is_error: false, result: '', total_cost_usd: 0 }
    reader.read(message(running))
    expect([reader.idle, reader.background]).toEqual([false, 1])
    reader.read(message(result))
    expect(reader.idle).toBe(true)
    reader.read(answered('w1', [text('still at it')], { parent_tool_use_id: 'c1' }))
    expect(reader.idle).toBe(true)
    reader.read(answered('m1', [text('back')]))
    expect(reader.idle).toBe(false)
  })

  it('does not take the words of an error for an answer', () => {
    const reader = messageReader()
    const content = [text('API Error: 529 Overloaded')]
    reader.read(
      message({ type: 'assistant', error: 'overloaded', message: { id: 'e', model: '<synthetic>', content } }),
    )
    expect(reader.texts).toEqual([])
    expect(reader.turns).toBe(0)
    expect(reader.apiError).toEqual({ kind: 'overloaded', text: 'API Error: 529 Overloaded' })
  })
})

describe('events', () => {
  it('name the worker and its role', () => {
    const reader = messageReader()
    reader.read(answered('m1', [call('c1', 'Agent', { subagent_type: '分析员' })]))
    const [event] = reader.read(answered('w1', [call('c2', 'Bash', { command: 'ls' })], { parent_tool_use_id: 'c1' }))
    expect(event).toEqual({
      worker: { callId: 'c1', role: '分析员' },
      body: { type: 'tool_call', callId: 'c2', tool: 'Bash', input: { command: 'ls' } },
    })
  })

  it('give a result its tool, its text and the count of its images', () => {
    const reader = messageReader()
    reader.read(answered('m1', [call('c1', 'Read')]))
    const content = [text('one'), { type: 'image', source: {} }, text('two')]
    const block = { type: 'tool_result', tool_use_id: 'c1', content, is_error: true }
    const [event] = reader.read(message({ type: 'user', message: { role: 'user', content: [block] } }))
    expect(event?.body).toEqual({
      type: 'tool_result',
      callId: 'c1',
      tool: 'Read',
      text: 'one\ntwo',
      isError: true,
      images: 1,
    })
  })

  it('say what they do not know, and keep quiet about single tokens', () => {
    const reader = messageReader()
    expect(reader.read(message({ type: 'brand_new' }))).toEqual([{ body: { type: 'unknown', kind: 'brand_new' } }])
    expect(reader.read(message({ type: 'system', subtype: 'newer' }))).toEqual([
      { body: { type: 'unknown', kind: 'system/newer' } },
    ])
    expect(reader.read(message({ type: 'system', subtype: 'thinking_tokens' }))).toEqual([])
  })

  it('survive content of any shape', () => {
    const reader = messageReader()
    for (const content of [null, 7, 'words', [null, 3, {}, { type: 'tool_use' }, { type: 'tool_result' }]]) {
      expect(() => reader.read(answered('m', content as unknown[]))).not.toThrow()
      expect(() => reader.read(message({ type: 'user', message: { content } }))).not.toThrow()
    }
  })
})
