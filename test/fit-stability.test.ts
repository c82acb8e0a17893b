/**
 * What makes `fit` cheap to live with (issue 8, DESIGN append-only first): bytes already sent change only at a
 * compaction, compactions keep a distance, the memory changes nothing but the time, and thinking that a model binds to
 * its prefix is never sent behind another one.
 */
import './support/seed.ts'
import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkRequest, prefixMemory, remember } from '../src/formats/legality/index.ts'
import { type FitReport, type FitState, fit } from '../src/index.ts'
import { type Item, LOOP_SHAPES, type LoopShape, spoken, step, words } from './support/loop-shapes.ts'

const TASK = 'Mend the parser.'

interface Turn {
  readonly results: readonly number[]
  readonly says: string
  readonly user: string
}

const turn: fc.Arbitrary<Turn> = fc.record({
  results: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 4 }),
  says: fc.constantFrom('', 'look', 'then'),
  user: fc.constantFrom('', '', '', '', 'and one more thing'),
})

function itemsOf(shape: LoopShape, { results, says, user }: Turn, index: number): Item[] {
  const calls = results.map((_, part) => ({
    id: `call_${index}_${part}`,
    tool: 'Bash',
    input: { command: `make ${index}` },
  }))
  return [
    ...shape.calls(says, calls),
    ...shape.results(calls.map((call, part) => ({ call, text: words(`r${index}`, results[part] ?? 1) }))),
    ...(user === '' ? [] : shape.user(user)),
  ]
}

const WINDOW = 8000
const isCompacted = ({ outcome, byRule, evicted }: FitReport): boolean =>
  outcome === 'rewritten' &&
  (evicted.turns > 0 || Object.keys(byRule).some((rule) => rule !== 'spill' && rule !== 'thinking'))

describe.each(LOOP_SHAPES.map((shape) => [shape.name, shape] as const))('fit, %s', (_, shape) => {
  it.each(['own', 'fitted'] as const)(
    'the same bytes with and without memory; what was sent changes only at a compaction (keeps its %s messages)',
    async (keeps) => {
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 40 }), async (turns) => {
          const options = { shape: shape.name, model: shape.model, window: WINDOW }
          let items: Item[] = shape.user(TASK)
          let state: FitState | undefined
          let before: readonly Item[] = []
          let compactions = 0
          let added = 0
          let last = 0
          for (const [index, given] of turns.entries()) {
            items.push(...itemsOf(shape, given, index))
            const out = await fit(items, { ...options, ...(state ? { state } : {}) })
            const copy = structuredClone({ items, state })
            const again = await fit(copy.items, { ...options, ...(copy.state ? { state: copy.state } : {}) })
            expect(spoken(again.messages)).toBe(spoken(out.messages))
            expect(again.report.outcome).toBe(out.report.outcome)
            added += Math.max(0, out.report.tokens.before - last)
            last = out.report.tokens.after
            if (isCompacted(out.report)) compactions++
            else expect(spoken(out.messages.slice(0, before.length))).toBe(spoken(before))
            before = out.messages
            state = out.state
            if (keeps === 'fitted') items = [...out.messages]
          }
          // One compaction for each tenth of the budget that was added, and one to begin with.
          expect(compactions).toBeLessThanOrEqual(1 + added / (0.1 * 0.6 * WINDOW))
        }),
        { numRuns: 15, interruptAfterTimeLimit: 30_000 },
      )
    },
    60_000,
  )
})

describe('thinking that is bound to its prefix', () => {
  it.each(['own', 'fitted'] as const)('is never sent behind another one (keeps its %s messages)', async (keeps) => {
    const [shape] = LOOP_SHAPES as [LoopShape]
    const model = 'claude-opus-5-5'
    const memory = prefixMemory()
    const beta = new Set<string>()
    let items: Item[] = shape.user(TASK)
    let state: FitState | undefined
    let compactions = 0
    for (let index = 0; index < 80; index++) {
      const out = await fit(items, { model, window: WINDOW, shape: 'messages', ...(state ? { state } : {}) })
      const request = { model, max_tokens: 100, messages: out.messages, tools: [] }
      const found = checkRequest('anthropic-messages', request, { memory }).filter(
        ({ severity }) => severity === 'reject',
      )
      expect(found).toEqual([])
      const [said, ...results] = step(shape, index, words(`r${index}`, 200))
      const thinking = { type: 'thinking', thinking: `hm ${index}`, signature: `signature-${index}` }
      const answer = { role: 'assistant', content: [thinking, ...((said as Item).content as unknown[])] }
      remember(memory, request, answer.content)
      if (isCompacted(out.report)) compactions++
      if (out.report.dropBlock) beta.add(out.report.dropBlock.beta)
      state = out.state
      items = [...(keeps === 'own' ? items : out.messages), answer, ...results]
    }
    expect(compactions).toBeGreaterThan(3)
    expect([...beta]).toEqual(['thinking-binding-controls-2026-08-01'])
  })
})

describe('the memory', () => {
  const [shape] = LOOP_SHAPES as [LoopShape]
  const options = { model: shape.model, window: WINDOW, shape: 'messages' } as const

  it('foresees a result too large for the room, as without it', async () => {
    const items = [...shape.user(TASK), ...step(shape, 0, 'ok')]
    const { state } = await fit(items, options)
    const next = [...items, ...step(shape, 1, words('big', 2500))]
    for (const given of [{ ...options, state }, options]) {
      const { report, messages } = await fit(next, given)
      expect(report.byRule.spill?.edits).toBe(1)
      expect(spoken(messages)).toContain('[spillway ')
    }
  })

  it('measures a newest message anew that grew in place', async () => {
    const growing = { role: 'user', content: [{ type: 'text', text: TASK }] }
    const items = [growing]
    const first = await fit(items, options)
    growing.content.push({ type: 'text', text: words('more', 500) })
    const second = await fit(items, { ...options, state: first.state })
    expect(second.report.tokens.after).toBeGreaterThan(first.report.tokens.after + 400)
  })

  it('repairs what is appended, as without it', async () => {
    const items = [...shape.user(TASK), ...step(shape, 0, 'ok')]
    const { state } = await fit(items, options)
    const [open] = step(shape, 1, '')
    const next = [...items, open as Item, ...shape.user('never mind')]
    const { report, messages } = await fit(next, { ...options, state })
    expect(report.outcome).toBe('repaired')
    expect(spoken(messages)).toContain('no result recorded')
  })
})

describe('breakpoints', () => {
  it('stand before the next edit: a compaction keeps what is before them', async () => {
    const [shape] = LOOP_SHAPES as [LoopShape]
    let items: Item[] = shape.user(TASK)
    let state: FitState | undefined
    let before: { sent: readonly Item[]; breakpoints: readonly number[] } | undefined
    let held = 0
    for (let index = 0; index < 120; index++) {
      items = [...items, ...step(shape, index, words(`r${index}`, 150))]
      const out = await fit(items, {
        model: shape.model,
        window: WINDOW,
        shape: 'messages',
        ...(state ? { state } : {}),
      })
      state = out.state
      const { breakpoints } = out.report
      expect(breakpoints.length).toBeLessThanOrEqual(3)
      expect(breakpoints.at(-1)).toBe(out.messages.length - 1)
      expect([...breakpoints].sort((one, other) => one - other)).toEqual(breakpoints)
      if (before && isCompacted(out.report)) {
        const { sent } = before
        const same = sent.findIndex((item, place) => spoken([item]) !== spoken([out.messages[place]]))
        // The furthest breakpoint whose prefix still stands is within one message of the first edit, or nothing stood.
        const best = Math.max(-1, ...before.breakpoints.filter((place) => place < same))
        if (best >= 0 && same - 1 - best <= 1) held++
      }
      before = { sent: out.messages, breakpoints }
    }
    expect(held).toBeGreaterThan(3)
  })
})

describe('time', () => {
  it('after the first call, 5,000 messages cost at most 0.3 of serialising them once', async () => {
    for (const shape of LOOP_SHAPES) {
      const items: Item[] = shape.user(TASK)
      for (let index = 0; items.length < 5000; index++) items.push(...step(shape, index, words(`r${index}`, 120)))
      const options = { shape: shape.name, model: shape.model, window: 200_000 }
      let { state } = await fit(items, options)
      const times: number[] = []
      for (let index = 0; index < 21; index++) {
        items.push(...step(shape, 10_000 + index, words('new', 120)))
        const start = performance.now()
        ;({ state } = await fit(items, { ...options, state }))
        times.push(performance.now() - start)
      }
      const serialised = Array.from({ length: 5 }, () => {
        const start = performance.now()
        JSON.stringify(items)
        return performance.now() - start
      })
      const median = (numbers: number[]) =>
        numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
      expect(median(times)).toBeLessThan(0.3 * median(serialised))
    }
  }, 60_000)
})
