/** What `npm run bench -- fit` prints of ours, held to its word; a peer beside it shows that the measure can fail. */
import { describe, expect, it } from 'vitest'
import { CHIMERA } from '../bench/fit/chimera.ts'
import { ours } from '../bench/fit/ours.ts'
import { trajectoryOf } from '../bench/fit/trajectory.ts'
import { growthOf, median, rowOf, SEED, WINDOW } from '../bench/fit.ts'

describe('fit on a run of 500 messages', () => {
  it.each([SEED, 1, 2])('keeps what it must and everything else within reach (seed %d)', async (seed) => {
    const row = await rowOf(ours(WINDOW), trajectoryOf(500, seed), 1)
    expect(row).toMatchObject({ illegal: 0, over: 0, recoverable: 1, kept: { task: 1, user: 1 } })
    expect(row.rewrites).toBeGreaterThan(0)
    expect(row.rewrites).toBeLessThan(row.calls / 10)
  })

  it('differs from a compactor that forgets', async () => {
    const row = await rowOf(CHIMERA, trajectoryOf(500, SEED), 1)
    expect(row.recoverable).toBeLessThan(0.5)
    expect(row.kept.user).toBeLessThan(1)
  })
})

describe('fit on 5,000 messages', () => {
  it('keeps everything within reach', async () => {
    const row = await rowOf(ours(WINDOW), trajectoryOf(5_000, SEED), 200)
    expect(row).toMatchObject({ illegal: 0, over: 0, recoverable: 1, kept: { task: 1, user: 1 } })
  })

  it('costs at most 0.3 of serialising them once, after the first call', async () => {
    for (const window of [WINDOW, 10_000_000]) {
      const { calls, serialising } = await growthOf(5_000, window)
      expect(median(calls) / serialising).toBeLessThan(0.3)
    }
  })
})
