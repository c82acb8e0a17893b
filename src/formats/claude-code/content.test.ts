import { describe, expect, it } from 'vitest'
import { estimateTokens, thinkingTokens } from '../../core/tokens.ts'
import type { CallBlock } from '../../core/transcript.ts'
import { readContent } from './content.ts'

const context = {
  thread: 'main',
  entry: 0,
  sizesOnly: false,
  fields: {},
  derived: () => false,
  rawBody: () => undefined,
}
const PLAN = 'First this, then that. '.repeat(100)

function call(name: string, input: object): CallBlock {
  const [block] = readContent([{ type: 'tool_use', id: 'toolu_1', name, input }], context)
  if (block?.type !== 'call') throw new Error('no call')
  return block
}

describe('what a Claude Code block weighs', () => {
  it('leaves out the plan that the harness writes into the recorded call, but keeps it in the input', () => {
    const block = call('ExitPlanMode', { plan: PLAN, allowedPrompts: [] })
    expect(block.tokens).toBeLessThan(30)
    expect(block.longArguments).toEqual([])
    expect(block.input.plan).toBe(PLAN)
  })

  it('counts the plan of any other call', () => {
    const block = call('SavePlan', { plan: PLAN })
    expect(block.tokens).toBeGreaterThanOrEqual(estimateTokens(PLAN))
    expect(block.longArguments).toHaveLength(1)
  })

  it('measures thinking by its signature and redacted thinking by its data', () => {
    const sealed = 'A'.repeat(4_000)
    const blocks = readContent(
      [
        { type: 'thinking', thinking: '', signature: sealed },
        { type: 'redacted_thinking', data: sealed },
        { type: 'thinking', thinking: 'In words only.' },
      ],
      context,
    )
    expect(blocks.map((block) => block.tokens)).toEqual([
      thinkingTokens('', sealed.length),
      thinkingTokens('', sealed.length),
      estimateTokens('In words only.'),
    ])
    expect(blocks[0]?.tokens).toBeGreaterThan(700)
  })
})
