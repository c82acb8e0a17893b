import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { floorOf } from '../planning/budget/index.ts'
import { measurable, shapeOf, systemTexts } from './request.ts'

describe('the shape of messages', () => {
  it.each([
    ['messages', [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] }]],
    ['chat', [{ role: 'tool', tool_call_id: 'a', content: 'x' }]],
    ['responses', [{ type: 'function_call_output', call_id: 'a', output: 'x' }]],
    ['ai-sdk', [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output: {} }] }]],
    ['ai-sdk-ui', [{ id: '1', role: 'user', parts: [] }]],
  ])('%s is detected', (name, messages) => {
    expect(shapeOf(messages, {}).format.name).toBe(name)
  })

  it('plain words are told apart by the model, and a shape that is named holds', () => {
    const words = [{ role: 'user', content: 'hi' }]
    expect(shapeOf(words, { model: 'gpt-5' }).format.name).toBe('chat')
    expect(shapeOf(words, { model: 'claude-opus-5' }).format.name).toBe('messages')
    expect(shapeOf(words, { model: 'claude-opus-5', shape: 'ai-sdk' }).format.name).toBe('ai-sdk')
  })

  it('says which there are when it is none', () => {
    expect(() => shapeOf([{ what: 1 }], {})).toThrow(/messages: of no known shape.*messages, chat, responses/)
    expect(() => shapeOf([{ role: 'user', content: 'x' }], { shape: 'soap' as never })).toThrow(/shape: no "soap"/)
  })
})

describe('what stands beside the messages', () => {
  it('texts of a system prompt in any form', () => {
    expect(systemTexts('be brief')).toEqual(['be brief'])
    expect(
      systemTexts([
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: 'b' },
      ]),
    ).toEqual(['a', 'b'])
    expect(systemTexts({ role: 'system', content: 'c' })).toEqual(['c'])
    for (const none of [undefined, null, '', [], {}, 3]) expect(systemTexts(none)).toEqual([])
  })

  it('schemas that are code count as what goes to the model', () => {
    const inputSchema = z.object({ path: z.string().describe('The path of the file, absolute') })
    const tokens = (tools: unknown) => floorOf({ system: [], tools }).tools
    const bare = tokens({ Read: { description: 'reads' } })
    expect(tokens(measurable({ Read: { description: 'reads', inputSchema } }))).toBeGreaterThan(bare + 25)
    const unsayable = z.object({ when: z.date() })
    expect(tokens(measurable({ Read: { description: 'reads', inputSchema: unsayable } }))).toBeLessThan(bare + 10)
    expect(measurable([{ name: 'Read' }])).toEqual([{ name: 'Read' }])
  })
})
