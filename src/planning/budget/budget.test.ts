import { describe, expect, it } from 'vitest'
import { budgetOf } from './budget.ts'

describe('budgetOf', () => {
  it.each([
    [200_000, 120_000, 96_000],
    [128_000, 76_800, 61_440],
    [1_000_000, 600_000, 480_000],
    [4_000, 2_400, 1_920],
    [4_096, 2_457, 1_965],
    [1, 0, 0],
  ])('of a window of %i: budget %i, acts at %i', (window, budget, limit) => {
    expect(budgetOf(window)).toMatchObject({ window, budget, limit, fraction: 0.6, trigger: 0.8 })
  })

  it('takes other shares', () => {
    expect(budgetOf(100_000, { fraction: 0.5, trigger: 1 })).toMatchObject({ budget: 50_000, limit: 50_000 })
  })

  it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a window of %s', (window) => {
    expect(() => budgetOf(window)).toThrow(/window: expected a positive number/)
  })

  it.each([{ fraction: 0 }, { fraction: 1.2 }, { trigger: Number.NaN }, { trigger: -1 }])('refuses %o', (options) => {
    expect(() => budgetOf(1000, options)).toThrow(/expected a number above 0 and at most 1/)
  })
})
