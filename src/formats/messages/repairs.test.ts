import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../core/transcript.ts'
import { messages } from './index.ts'

/** A picture of this size: header and end of a PNG, which is all that is looked at. */
function png(width: number, height: number): JsonObject {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const data = Buffer.concat([
    head,
    size,
    Buffer.from('0802000000', 'hex'),
    Buffer.from('0000000049454e44ae426082', 'hex'),
  ])
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: data.toString('base64') } }
}

const rulesOf = (value: JsonValue): string[] => messages.check(value, 'request').map(({ rule }) => rule)

function repaired(value: JsonValue): { value: JsonValue; removed: number } {
  const { native } = messages.read(value)
  const edits = messages.repairs(native)
  return { value: messages.write(native, edits), removed: edits.flatMap((edit) => edit.removed).length }
}

describe('repairs of Messages requests', () => {
  it('A53: a refused image becomes a pointer where it stands, the others stay', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }, png(9000, 10)] }
    const value = {
      messages: [
        { role: 'user', content: [png(640, 480), png(100, 8001), { type: 'text', text: 'see' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
        { role: 'user', content: [result] },
      ],
    }
    expect(rulesOf(value).filter((rule) => rule === 'A53')).toHaveLength(2)
    const after = repaired(value)
    expect(after.removed).toBe(2)
    expect(rulesOf(after.value)).not.toContain('A53')
    expect(after.value).toMatchObject({
      messages: [
        {
          content: [
            png(640, 480),
            { type: 'text', text: expect.stringMatching(/^\[spillway .*100x8001/) },
            { text: 'see' },
          ],
        },
        {},
        { content: [{ content: [{ text: 'x' }, { type: 'text', text: expect.stringContaining('9000x10') }] }] },
      ],
    })
  })

  it('A57: the oldest marks beyond the fourth leave, the newest stay', () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text, ...mark }] })
    const value = {
      system: [{ type: 'text', text: 's', ...mark }],
      messages: [said('a'), said('b'), said('c'), said('d'), said('e')],
    }
    expect(rulesOf(value)).toContain('A57')
    const after = repaired(value)
    expect(rulesOf(after.value)).not.toContain('A57')
    expect(after.value).toEqual({
      ...value,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        { role: 'user', content: [{ type: 'text', text: 'b' }] },
        ...value.messages.slice(2),
      ],
    })
  })

  it('A57: marks inside results count', () => {
    const text = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }
    const result = { type: 'tool_result', tool_use_id: 'a', content: [text, text, text] }
    const value = {
      messages: [
        { role: 'user', content: [text] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
        { role: 'user', content: [result, text] },
      ],
    }
    expect(rulesOf(value)).toContain('A57')
    const after = repaired(value).value
    expect(rulesOf(after)).not.toContain('A57')
    expect(JSON.stringify(after).split('cache_control')).toHaveLength(5)
    expect(after).toMatchObject({ messages: [{ content: [{ type: 'text', text: 'x' }] }, {}, value.messages[2]] })
  })

  it('A58: an hour behind five minutes becomes five minutes', () => {
    const marked = (ttl: string) => ({ type: 'text', text: ttl, cache_control: { type: 'ephemeral', ttl } })
    const value = { messages: [{ role: 'user', content: [marked('1h'), marked('5m'), marked('1h')] }] }
    expect(rulesOf(value)).toContain('A58')
    const after = repaired(value).value
    expect(rulesOf(after)).not.toContain('A58')
    const [first, second] = value.messages[0]?.content ?? []
    const last = { type: 'text', text: '1h', cache_control: { type: 'ephemeral' } }
    expect(after).toEqual({ messages: [{ role: 'user', content: [first, second, last] }] })
  })

  it('A58: also behind a mark of the system prompt', () => {
    const system = [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }]
    const content = [{ type: 'text', text: 'q', cache_control: { type: 'ephemeral', ttl: '1h' } }]
    const value = { system, messages: [{ role: 'user', content }] }
    expect(rulesOf(value)).toContain('A58')
    expect(rulesOf(repaired(value).value)).not.toContain('A58')
  })

  it('A59: a mark moves off thinking and blank text to the block before it', () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'SIG1', ...mark },
      { type: 'text', text: 'a' },
      { type: 'text', text: '', ...mark },
    ]
    const value = {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content },
        { role: 'user', content: 'r' },
      ],
    }
    expect(rulesOf(value)).toContain('A59')
    const after = repaired(value).value
    expect(rulesOf(after)).not.toContain('A59')
    expect(after).toMatchObject({
      messages: [
        {},
        { content: [{ type: 'thinking', thinking: 'hm', signature: 'SIG1' }, { text: 'a', ...mark }, { text: '' }] },
        {},
      ],
    })
  })

  it('A53: more pictures than a model takes: the oldest become pointers', () => {
    const content = Array.from({ length: 102 }, () => png(10, 10))
    const value = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content }] }
    expect(rulesOf(value)).toContain('A53')
    const after = repaired(value)
    expect(after.removed).toBe(2)
    expect(rulesOf(after.value)).not.toContain('A53')
    expect(after.value).toMatchObject({
      messages: [{ content: [{ type: 'text' }, { type: 'text' }, ...content.slice(2)] }],
    })
  })

  it('A53: of many pictures those that are too large for many become pointers', () => {
    const content = [png(2500, 900), ...Array.from({ length: 20 }, () => png(10, 10))]
    const value = { messages: [{ role: 'user', content }] }
    expect(rulesOf(value)).toContain('A53')
    expect(rulesOf(repaired(value).value)).not.toContain('A53')
  })

  it('A13: a call whose id an earlier turn has is renamed with its result', () => {
    const turn = (text: string) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: text }] },
    ]
    const value = { messages: [{ role: 'user', content: 'q' }, ...turn('one'), ...turn('two')] }
    expect(rulesOf(value)).toContain('A13')
    const after = repaired(value)
    expect(rulesOf(after.value)).not.toContain('A13')
    expect(after.value).toMatchObject({
      messages: [
        {},
        ...turn('one'),
        { content: [{ id: 'a_2' }] },
        { content: [{ tool_use_id: 'a_2', content: 'two' }] },
      ],
    })
  })

  it('A06: an empty answer leaves', () => {
    const value = {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [] },
        { role: 'user', content: 'r' },
      ],
    }
    expect(rulesOf(value)).toEqual(['A06'])
    expect(rulesOf(repaired(value).value)).toEqual([])
  })
})
