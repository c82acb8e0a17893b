import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RULE_EXAMPLES } from '../../../test/support/rule-examples/index.ts'
import { checkRequest, prefixMemory, REQUEST_FORMATS, remember } from './index.ts'

const requests = RULE_EXAMPLES.flatMap(({ examples }) =>
  examples.flatMap(({ illegal, legal }) => [illegal?.request, legal.request]),
).filter((request) => JSON.stringify(request ?? null).length < 10_000)

/** A request with one value somewhere inside replaced: close enough to a request to reach every rule. */
const damaged = fc.tuple(fc.constantFrom(...requests), fc.nat(), fc.jsonValue()).map(([request, place, value]) => {
  let left = place % 60
  const replace = (item: unknown): unknown => {
    if (left-- === 0) return value
    if (Array.isArray(item)) return item.map(replace)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, replace(inner)]))
  }
  return replace(request)
})

function checkEverywhere(request: unknown): void {
  const memory = prefixMemory()
  remember(memory, request)
  for (const format of REQUEST_FORMATS) checkRequest(format, request, { memory, inputTokens: 1 })
}

/** A conversation with thinking, calls, images and system messages, of this many turns. */
function long(turns: number): Record<string, unknown> {
  const messages = Array.from({ length: turns }, (_, index) => [
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${index - 1}`, content: 'seen '.repeat(50) }],
    },
    { role: 'system', content: 'Be brief' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: `sig-${index}` },
        { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'code_execution', input: {} },
        {
          type: 'tool_use',
          id: `toolu_${index}`,
          name: 'look',
          input: {},
          caller: { type: 'code_execution_20260120', tool_id: `srvtoolu_${index}` },
        },
      ],
    },
  ]).flat()
  return { model: 'claude-opus-5-5', messages }
}

function milliseconds(turns: number): number {
  const request = long(turns)
  const start = performance.now()
  checkEverywhere(request)
  return performance.now() - start
}

describe('any request', () => {
  it('is judged without throwing when it is any JSON at all', () => {
    fc.assert(fc.property(fc.jsonValue(), checkEverywhere), { numRuns: 300 })
  })

  it('is judged without throwing when one value of a real one is something else', () => {
    fc.assert(fc.property(damaged, checkEverywhere), { numRuns: 1000 })
  })

  it('may be as deep as it likes, or full of names that objects already have', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const odd = JSON.parse('{"__proto__": {"toString": 1, "type": "tool_use"}, "toString": 1}')
    const content = [
      { type: 'tool_use', id: odd, name: odd, input: deep },
      { type: 'tool_result', tool_use_id: odd, content: deep },
      odd,
    ]
    checkEverywhere({
      messages: [{ role: 'assistant', content }, odd, { role: '__proto__', content }],
      contents: deep,
      input: [odd, deep],
    })
  })

  it('stays as it was', () => {
    const request = long(5)
    const before = structuredClone(request)
    checkEverywhere(request)
    expect(request).toEqual(before)
  })

  it('takes time in proportion to its length', () => {
    milliseconds(200)
    const one = Math.min(milliseconds(250), milliseconds(250), milliseconds(250))
    const eight = Math.min(milliseconds(2000), milliseconds(2000))
    expect(eight / one).toBeLessThan(24)
  })
})
