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
