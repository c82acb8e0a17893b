import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { explain } from './explain.ts'
import { checkForecast } from './forecast.ts'
import { pricesFor } from './prices.ts'

const { prices } = pricesFor('anthropic-5m')
const situation = { cold: false, prompt: 90_800, limit: 184_000, saves: 34_700, rewritten: 27_300, waited: 0 }
const line = (decision: ReturnType<typeof decide>, edits: number, after: number, idle = 0) =>
  explain({ call: 28, decision, edits, after, idle, readPrice: prices.read })

describe('decide', () => {
  it('waits until waiting has cost what the rewrite costs', () => {
    const first = decide(situation, prices)
    expect(first).toMatchObject({ rewrite: false, cause: 'waits' })
    expect(first.price).toBeCloseTo(1.15 * 27_300)
    expect(first.waiting).toBeCloseTo(3470)
    expect(decide({ ...situation, waited: first.price - 3469 }, prices)).toMatchObject({ rewrite: true, cause: 'paid' })
    expect(decide({ ...situation, waited: first.price - 3469 }, prices, 2)).toMatchObject({ cause: 'waits' })
  })

  it('does not wait when the cache is cold, when nothing is cached, or when the prompt would not fit', () => {
    expect(decide({ ...situation, cold: true }, prices)).toMatchObject({ cause: 'cold', price: 0 })
    expect(decide(situation, pricesFor('no-cache').prices)).toMatchObject({ cause: 'paid', price: 0 })
    expect(decide({ ...situation, prompt: 184_001 }, prices)).toMatchObject({ cause: 'full', rewrite: true })
    expect(decide({ ...situation, saves: 0, prompt: 184_001, cold: true }, prices)).toMatchObject({ cause: 'nothing' })
  })
})

describe('explain', () => {
  it('says what waits and why', () => {
    const decision = decide({ ...situation, waited: 15_500 }, prices)
    expect(line(decision, 13, 0)).toBe(
      'call 28: WAIT 13 edits would save 34.7k tokens per call; rewrite of 27.3k costs 31.4k, waiting has cost 19.0k (60 %); prompt 90.8k',
    )
  })

  it('says what a rewrite costs and when it pays back', () => {
    const decision = decide({ ...situation, waited: 40_000 }, prices)
    expect(line(decision, 16, 56_100)).toBe(
      'call 28: FLUSH 16 edits, -34.7k tokens; rewrites 27.3k (cost 31.4k); waiting had cost 43.5k; pays back in 10 calls; prompt 90.8k -> 56.1k',
    )
    expect(line(decide({ ...situation, cold: true }, prices), 16, 56_100, 600_000)).toBe(
      'call 28: FLUSH 16 edits, -34.7k tokens; cache already cold (idle 10 min), no extra cost; prompt 90.8k -> 56.1k',
    )
    expect(line(decide({ ...situation, prompt: 190_000 }, prices), 16, 100)).toMatch(/the prompt would not fit/)
  })
})

describe('forecast', () => {
  it('a cache that held less than was thought is a miss with its price', () => {
    const usage = { input: 10, cacheRead: 40_000, cacheWrite: 60_000, output: 1 }
    const check = checkForecast({ read: 100_000, write: 0 }, usage, prices)
    expect(check).toMatchObject({ missed: -60_000, held: false })
    expect(check.cost).toBeCloseTo(1.15 * 60_000)
    expect(checkForecast({ read: 40_100, write: 1 }, usage, prices).held).toBe(true)
  })
})
