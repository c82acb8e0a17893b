import { describe, expect, it } from 'vitest'
import type { RecordedRequest } from '../formats/format.ts'
import { cacheUse, contextGrowth } from './usage.ts'

function request(prompt: number, segment = 0): RecordedRequest {
  return { entry: 0, segment, usage: { input: 10, cacheRead: prompt - 10, cacheWrite: 0, output: 5 } }
}

describe('contextGrowth', () => {
  it('fits the slope within the last compaction segment only', () => {
    const growth = contextGrowth(
      [request(150_000), request(160_000), request(20_000, 1), request(21_000, 1), request(22_000, 1)],
      100_000,
    )
    expect(growth).toMatchObject({ peak: 160_000, last: 22_000, slopePerTurn: 1000, projectedWallTurn: 5 + 78 })
    expect(growth.prompts).toEqual([150_000, 160_000, 20_000, 21_000, 22_000])
    expect(growth.compactedBefore).toEqual([2])
  })

  it('projects no wall where nothing grows', () => {
    expect(contextGrowth([request(30_000), request(20_000)], 100_000).projectedWallTurn).toBeNull()
    expect(contextGrowth([request(30_000)], 100_000).slopePerTurn).toBeNull()
    expect(contextGrowth([], 100_000)).toMatchObject({ peak: 0, last: 0, slopePerTurn: null, projectedWallTurn: null })
  })

  it('does not take a request without recorded prompt for an empty context', () => {
    const aborted: RecordedRequest = {
      entry: 0,
      segment: 0,
      usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    }
    expect(contextGrowth([request(30_000), aborted], 100_000).last).toBe(30_000)
  })
})

describe('cacheUse', () => {
  it('sums tokens and gives the share that was read', () => {
    expect(cacheUse([request(1000), request(3000)])).toEqual({ read: 3980, write: 0, uncached: 20, hitRate: 0.995 })
    expect(cacheUse([]).hitRate).toBe(0)
  })
})
