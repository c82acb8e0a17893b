import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beginningOf, recordingIn } from '../../test/support/recordings.ts'
import { EXAMPLES, sessionFiles } from '../../test/support/shared.ts'
import { pricesFor } from '../planning/prices.ts'
import { type Candidate, candidatesOf } from './candidates.ts'
import { optimumOf } from './optimum.ts'
import type { Recording } from './recording.ts'
import { runStrategy } from './run.ts'
import type { Terms } from './strategy.ts'

const CALLS = 12
const rules = { results: { keep: 2, keepReads: 2, minChars: 0 } }

/** A strategy that rewrites before these calls and no others. */
function scheduled(candidates: readonly Candidate[], isRewrite: (call: number) => boolean) {
  return {
    name: 'scheduled',
    recoverable: true,
    player: () => {
      let next = 0
      return ({ call }: { call: number }, prompt: { replace(item: number, tokens: number): void }) => {
        if (!isRewrite(call)) return
        for (; (candidates[next]?.from ?? Number.POSITIVE_INFINITY) <= call; next++) {
          const { item, tokens } = candidates[next] as Candidate
          prompt.replace(item, tokens)
        }
      }
    },
  }
}

function cheapestOfAll(recording: Recording, candidates: readonly Candidate[], terms: Terms): number {
  let best = { over: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY }
  for (let schedule = 0; schedule < 2 ** CALLS; schedule++) {
    const run = runStrategy(
      recording,
      scheduled(candidates, (call) => ((schedule >> call) & 1) === 1),
      terms,
    )
    const cheaper = run.overWindow === best.over && run.cost < best.cost
    if (run.overWindow < best.over || cheaper) best = { over: run.overWindow, cost: run.cost }
  }
  return best.cost
}

const files = [
  join(EXAMPLES, 'long.jsonl'),
  ...sessionFiles('claude-code').filter((file) => /erk-92|entire-63|erk-87/.test(file)),
]

describe('optimum', () => {
  it.each(files)('is the cheapest of all schedules of the first calls of %s', (file) => {
    const whole = recordingIn(file)
    for (const scheme of ['anthropic-5m', 'anthropic-1h', 'no-cache'] as const) {
      const terms = { prices: pricesFor(scheme).prices, window: whole.floor + 15_000 }
      const recording = beginningOf(whole, CALLS)
      const candidates = candidatesOf(recording, rules)
      const optimum = optimumOf(recording, candidates, terms)
      expect(optimum.cost).toBeCloseTo(cheapestOfAll(recording, candidates, terms), 4)
      const again = runStrategy(
        recording,
        scheduled(candidates, (call) => optimum.rewrites.includes(call)),
        terms,
      )
      expect(again.cost).toBeCloseTo(optimum.cost, 4)
      expect(again.overWindow).toBe(optimum.overWindow)
    }
  })
})
