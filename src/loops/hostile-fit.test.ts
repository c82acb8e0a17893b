import { describe, expect, it } from 'vitest'
import { fit } from './fit.ts'
import type { FitState } from './fit-state.ts'

const WINDOW = { window: 20_000 }

function conversation(input: unknown = {}): unknown[] {
  const turns = Array.from({ length: 120 }, (_, index) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'Bash', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: `${index} word`.repeat(99) }] },
  ])
  return [{ role: 'user', content: 'task' }, ...turns.flat()]
}

describe('messages that are no JSON', () => {
  it('are refused with their place in one line', async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    await expect(fit(conversation(circle), WINDOW)).rejects.toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^messages\[1\]: no JSON \(.*\)$/) }),
    )
    await expect(fit(conversation({ big: 1n }), WINDOW)).rejects.toThrow(/^messages\[1\]: no JSON \(.*BigInt.*\)$/)
  })

  it('what a callback throws stays what it is', async () => {
    const mine = new Error('mine')
    const putBack = {
      task: (): never => {
        throw mine
      },
    }
    await expect(fit(conversation(), { ...WINDOW, putBack })).rejects.toBe(mine)
  })
})

describe('a state that came back from disk', () => {
  it('is taken as it was, and refused where any part of it is something else', async () => {
    const { state, messages } = await fit(conversation(), WINDOW)
    expect(state.economy.applied.length).toBeGreaterThan(0)
    const kept = JSON.parse(JSON.stringify(state)) as FitState
    expect((await fit(messages, { ...WINDOW, state: kept })).messages).toEqual(messages)
    const [first] = kept.economy.applied
    const damaged: Record<string, unknown>[] = [
      { economy: null },
      { economy: {} },
      { economy: { ...kept.economy, applied: 'x' } },
      ...[null, {}, { edit: {}, keys: {} }, { ...first, keys: null }].map((applied) => ({
        economy: { ...kept.economy, applied: [applied] },
      })),
      { ratios: 'x' },
      { ratios: [0] },
      { ratios: ['1'] },
      { learned: null },
      { learned: { refused: -5 } },
      { sent: 'x' },
      { settled: -1 },
      { compactions: null },
      { decided: 5 },
      { decided: { input: null, output: null } },
    ]
    for (const part of damaged) {
      const state = { ...kept, ...part } as unknown as FitState
      await expect(fit(messages, { ...WINDOW, state }), JSON.stringify(part)).rejects.toThrow(
        expect.objectContaining({ code: 'unreadable' }),
      )
    }
  })
})
