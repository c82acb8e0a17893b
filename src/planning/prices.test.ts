import { describe, expect, it } from 'vitest'
import { pricesFor, requestCost, SCHEME_NAMES } from './prices.ts'

describe('prices', () => {
  it('knows the models of the recordings, with cheaper reads where the provider has them', () => {
    expect(pricesFor('claude-opus-4-5-20251101').prices).toMatchObject({ read: 0.1, write: 1.25, dollars: 5 })
    expect(pricesFor('claude-opus-5-5').prices).toMatchObject({ read: 0.05, dollars: 4 })
    expect(pricesFor('claude-fable-5-1').prices.read).toBe(0.025)
    expect(pricesFor('gpt-5.4').prices.write).toBe(1)
  })

  it('says so when it assumes', () => {
    expect(pricesFor('glm-5')).toMatchObject({
      prices: { read: 0.1, write: 1.25 },
      basis: expect.stringMatching(/assumed/),
    })
    expect(pricesFor(undefined).basis).toMatch(/no model is recorded: assumed/)
    expect(pricesFor('claude-opus-4-6').basis).not.toMatch(/assumed/)
  })

  it('takes a scheme by name, and overrides', () => {
    expect(pricesFor('anthropic-1h').prices).toMatchObject({ write: 2, ttl: 3_600_000 })
    expect(pricesFor('claude-opus-4-6', { write: 2, ttl: 1 }).prices).toMatchObject({ read: 0.1, write: 2, ttl: 1 })
    for (const name of SCHEME_NAMES) expect(pricesFor(name).prices.read).toBeLessThanOrEqual(1)
  })

  it('a prompt under the shortest cached prefix is written whole', () => {
    const { prices } = pricesFor('anthropic-5m')
    expect(requestCost(prices, 2000, 1500)).toBeCloseTo(0.1 * 1500 + 1.25 * 500)
    expect(pricesFor('claude-opus-4-6').prices.minimum).toBe(4096)
    expect(requestCost(pricesFor('claude-opus-4-6').prices, 2000, 1500)).toBeCloseTo(1.25 * 2000)
  })
})
