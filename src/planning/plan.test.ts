import { describe, expect, it } from 'vitest'
import { exchange, long, spokenBy, transcriptOf, user } from '../../test/support/transcripts.ts'
import { type Economized, economize } from '../core/economy.ts'
import type { EconomyContext } from '../core/policy.ts'
import { EMPTY_STATE } from '../core/state.ts'
import { RESERVE_TOKENS } from './decide.ts'
import { plannedPolicy } from './plan.ts'
import { PRESETS } from './presets.ts'
import { pricesFor } from './prices.ts'

const { prices } = pricesFor('anthropic-5m')
const policy = plannedPolicy(PRESETS.default, prices)
const context: EconomyContext = { now: 1_000_000, lastCallAt: 999_000, limit: 184_000 }
const history = (turns: number, chars = 4000) => [
  user('task'),
  ...Array.from({ length: turns }, (_, index) => exchange(`c${index}`, long(`result ${index}`, chars))).flat(),
]
const run = (turns: number, extra: Partial<EconomyContext> = {}, state = EMPTY_STATE, chars = 4000): Economized =>
  economize(transcriptOf(history(turns, chars)), policy, { ...context, ...extra }, state)

describe('plan', () => {
  it('waits while rewriting costs more, remembers what waiting cost, and then does all at once', () => {
    let out = run(12)
    expect(out.outcome).toBe('waiting')
    const outcomes: string[] = []
    const waits: number[] = []
    for (let turns = 13; turns < 60 && out.outcome === 'waiting'; turns++) {
      out = run(turns, {}, out.state)
      outcomes.push(out.outcome)
      waits.push(out.state.pending.reduce((sum, { waited }) => sum + waited, 0))
    }
    expect(outcomes.at(-1)).toBe('rewritten')
    expect(out.plan.explanation?.[0]).toMatch(/FLUSH \d+ edits.*waiting had cost/)
    expect(out.plan.waiting).toEqual([])
    const before = waits.slice(0, -1)
    expect(before.length).toBeGreaterThan(2)
    expect(before.every((waited, index) => index === 0 || waited > (before[index - 1] ?? 0))).toBe(true)
  })

  it('asking twice before the same call counts waiting once', () => {
    const once = run(14, {}, run(13).state)
    const twice = run(14, {}, once.state)
    expect(twice.state.pending.map(({ waited }) => waited)).toEqual(once.state.pending.map(({ waited }) => waited))
    expect(once.state.pending.some(({ waited }) => waited > 0)).toBe(true)
  })

  it('rewrites at once when the cache is cold, and then keeps fewer results', () => {
    const cold = run(13, { lastCallAt: context.now - prices.ttl - 1 })
    expect(cold.outcome).toBe('rewritten')
    expect(cold.report.byRule.results?.edits).toBe(8)
    expect(run(13).outcome).toBe('waiting')
  })

  it('a person who asks is not kept waiting, and gets the sum', () => {
    const out = run(13, { epoch: 'asked' })
    expect(out.outcome).toBe('rewritten')
    expect(out.plan.explanation?.[0]).toMatch(/asked for; rewrites .* pays back in \d+ calls/)
  })

  it('repairs never wait', () => {
    const sketches = [...history(12), user('go on')]
    sketches.splice(3, 0, ...[{ role: 'assistant' as const, blocks: [{ call: 'open' }] }, user('what now')])
    const out = economize(transcriptOf(sketches), policy, context)
    expect(out.report.repairs.length + (out.report.byRule.dangling?.edits ?? 0)).toBeGreaterThan(0)
    expect(out.plan.waiting.every((edit) => edit.purpose === 'economy')).toBe(true)
  })

  it('a prompt that would not fit is cut to half the window, by folding where shortening is not enough', () => {
    const limit = 13_000
    const out = run(150, { limit }, EMPTY_STATE, 400)
    expect(out.outcome).toBe('rewritten')
    expect(out.report.tokens.after).toBeLessThanOrEqual(0.5 * (limit + RESERVE_TOKENS))
    const tighter = run(150, { limit: 5000 }, EMPTY_STATE, 400)
    expect(tighter.report.byRule['call-lines']?.edits).toBeGreaterThan(0)
    expect(tighter.report.tokens.after).toBeLessThanOrEqual(5000)
    const tightest = run(150, { limit: 2000 }, EMPTY_STATE, 400)
    expect(tightest.report.byRule.ledger?.edits).toBeGreaterThan(0)
  })

  it('says with numbers when the floor alone is too large, and changes nothing', () => {
    const out = run(30, { measure: { floor: 190_000, scale: 1 } })
    expect(out.outcome).toBe('floor-too-large')
    expect(out.plan.shortfall).toMatchObject({ reason: 'floor-too-large', limit: 184_000 })
    expect(out.plan.shortfall?.needed).toBeGreaterThan(190_000)
    expect(out.edits).toEqual([])
  })

  it('says cannot-fit when even the deepest cut is too large', () => {
    const sketches = [user('task'), ...Array.from({ length: 9 }, (_, index) => user(long(`wish ${index}`, 40_000)))]
    const told = [...sketches, ...exchange('a', 'x'), ...exchange('b', 'y')]
    const out = economize(transcriptOf(told), policy, { ...context, limit: 5000, epoch: 'asked' })
    expect(out.outcome).toBe('cannot-fit')
    expect(out.plan.shortfall?.needed).toBeGreaterThan(5000)
  })

  it('on models that bind thinking to its prefix, the thinking that must leave counts as saved', () => {
    const thoughtful = history(13).flatMap((sketch) =>
      sketch.role === 'assistant'
        ? [{ ...sketch, blocks: [{ thinking: long('deep', 8000) }, ...sketch.blocks] }]
        : [sketch],
    )
    const savedBy = (model: string): number => {
      const transcript = transcriptOf(thoughtful, { model })
      const out = economize(transcript, policy, { ...context, epoch: 'asked' })
      return Number(/-([\d.]+)k tokens/.exec(out.plan.explanation?.[0] ?? '')?.[1])
    }
    expect(savedBy('claude-opus-5-5')).toBeGreaterThan(savedBy('claude-sonnet-4-5') + 10)
  })

  it('what became a pointer in one epoch folds in a later one, and both are replayed', () => {
    const outgrowing = plannedPolicy(PRESETS.long, prices)
    const asked = { ...context, epoch: 'asked' as const }
    const first = economize(transcriptOf(history(60)), outgrowing, asked)
    expect(first.report.byRule.results?.edits).toBeGreaterThan(0)
    const second = economize(transcriptOf(history(120)), outgrowing, asked, first.state)
    expect(second.report.byRule['call-lines']?.edits).toBeGreaterThan(20)
    const third = economize(transcriptOf(history(120)), outgrowing, asked, second.state)
    expect(third.outcome).toBe('unchanged')
    expect(spokenBy(third.transcript)).toEqual(spokenBy(second.transcript))
    expect(spokenBy(second.transcript)[1]).toMatch(/^assistant: text \[call /)
  })
})
