import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkRequest } from '../formats/legality/index.ts'
import { withCacheMarks } from './cache-marks.ts'

const user = (text: string, extra: object = {}) => ({ role: 'user', content: [{ type: 'text', text, ...extra }] })
const said = (...content: object[]) => ({ role: 'assistant', content })
const mark = { cache_control: { type: 'ephemeral' } }
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const base = { model: 'claude-opus-5-5', max_tokens: 10 }

/** Where marks are, as indexes of messages; -1 is the system prompt. */
function marked(request: object): number[] {
  const { system, messages } = request as { system?: unknown; messages: unknown[] }
  const has = (value: unknown): boolean => JSON.stringify(value ?? '').includes('"cache_control"')
  return [...(has(system) ? [-1] : []), ...messages.flatMap((message, index) => (has(message) ? [index] : []))]
}

describe('cache breakpoints', () => {
  it('stand behind the system prompt and the reported messages', () => {
    const request = {
      ...base,
      system: 'Be brief.',
      messages: [user('a'), said({ type: 'text', text: 'b' }), user('c')],
    }
    const out = withCacheMarks(request, [0, 2])
    expect(marked(out)).toEqual([-1, 0, 2])
    expect(out.system).toEqual([{ type: 'text', text: 'Be brief.', ...mark }])
    expect(marked(request)).toEqual([])
  })

  it('turn a text into a block, since a text can carry none', () => {
    const { messages } = withCacheMarks({ ...base, messages: [{ role: 'user', content: 'a' }] }, [0])
    expect(messages).toEqual([user('a', mark)])
  })

  it('are never more than four, the caller’s own first, then the newest', () => {
    const messages = Array.from({ length: 6 }, (_, index) => user(`${index}`, index < 3 ? mark : {}))
    expect(marked(withCacheMarks({ ...base, system: 'x', messages }, [3, 5]))).toEqual([0, 1, 2, 5])
  })

  it('live for an hour where the caller’s do, or a shorter one would stand before a longer', () => {
    const out = withCacheMarks({ ...base, messages: [user('a'), user('b', hour)] }, [0])
    expect(out.messages).toEqual([user('a', hour), user('b', hour)])
  })

  it('leave the newest message to a mark on the whole request', () => {
    expect(marked(withCacheMarks({ ...base, ...mark, messages: [user('a'), user('b')] }, [0, 1]))).toEqual([0])
  })

  it('stand on nothing that cannot carry one', () => {
    const thought = said({ type: 'thinking', thinking: 'x', signature: 's' })
    const messages = [user(''), thought, { role: 'user', content: [] }, { role: 'user' }, 'odd', user('a', mark)]
    expect(marked(withCacheMarks({ ...base, messages }, [0, 1, 2, 3, 4, 5, 99]))).toEqual([5])
    expect(withCacheMarks({ ...base, messages: 'none' }, [0]).messages).toEqual([])
  })

  it('keep any request as legal as it was', () => {
    const block = fc.constantFrom(
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', ...mark },
      { type: 'text', text: 'c', ...hour },
      { type: 'thinking', thinking: 't', signature: 's' },
    )
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.oneof(fc.constantFrom('words'), fc.array(block, { minLength: 1, maxLength: 3 })),
    })
    const rules = ['A57', 'A58', 'A59']
    const broken = (request: object): number =>
      checkRequest('anthropic-messages', request).filter(({ rule }) => rules.includes(rule)).length
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(8), { maxLength: 4 }),
        fc.constantFrom(undefined, 'system', [{ type: 'text', text: 'system', ...hour }]),
        (messages, breakpoints, system) => {
          const request = { ...base, messages, ...(system === undefined ? {} : { system }) }
          if (broken(request) === 0) expect(broken(withCacheMarks(request, breakpoints))).toBe(0)
        },
      ),
    )
  })
})
