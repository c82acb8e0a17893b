import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ATTEMPTS, delayBefore } from './backoff.ts'
import { endpointOf, isReachable, waitForEndpoint } from './endpoint.ts'
import type { Timing } from './timing.ts'

function fakeTiming(): Timing & { readonly waits: number[] } {
  let time = 0
  const waits: number[] = []
  return {
    waits,
    now: () => time,
    random: () => 0.5,
    async wait(milliseconds) {
      waits.push(milliseconds)
      time += milliseconds
    },
  }
}

describe('backoff', () => {
  it('doubles from four seconds to two minutes', () => {
    const delays = [...Array(DEFAULT_ATTEMPTS).keys()].map((retry) => delayBefore(retry, 0.5))
    expect(delays).toEqual([4000, 8000, 16_000, 32_000, 64_000, 120_000])
  })
  it('varies by a quarter either way', () => {
    expect(delayBefore(0, 0)).toBe(3000)
    expect(delayBefore(0, 1)).toBe(5000)
  })
})

describe('the configured endpoint', () => {
  it.each([
    [{}, 'api.anthropic.com', 443],
    [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080/v1' }, '127.0.0.1', 8080],
    [{ ANTHROPIC_BASE_URL: 'http://[::1]:9000' }, '::1', 9000],
    [{ ANTHROPIC_BASE_URL: 'http://gateway.local' }, 'gateway.local', 80],
    [{ ANTHROPIC_BASE_URL: 'not a url' }, 'api.anthropic.com', 443],
    [{ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1' }, 'bedrock-runtime.eu-west-1.amazonaws.com', 443],
    [{ CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'us-east5' }, 'us-east5-aiplatform.googleapis.com', 443],
    [{ HTTPS_PROXY: 'http://proxy:3128' }, 'proxy', 3128],
    [{ https_proxy: 'http://proxy:3128', NO_PROXY: 'x, anthropic.com' }, 'api.anthropic.com', 443],
  ])('%j is %s:%d', (environment, host, port) => {
    expect(endpointOf(environment)).toEqual({ host, port })
  })

  it('is reachable while it listens, and not after', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(await isReachable({ host: 'localhost', port }, 2000)).toBe(true)
    await new Promise((resolve) => server.close(resolve))
    expect(await isReachable({ host: '127.0.0.1', port }, 2000)).toBe(false)
  })

  it('is asked every 15 seconds until it answers', async () => {
    const timing = fakeTiming()
    let asked = 0
    const found = await waitForEndpoint({ host: 'x', port: 1 }, undefined, { timing, probe: async () => ++asked === 4 })
    expect([found, timing.waits]).toEqual([true, [15_000, 15_000, 15_000]])
  })

  it('is given up after an hour', async () => {
    const timing = fakeTiming()
    expect(await waitForEndpoint({ host: 'x', port: 1 }, undefined, { timing, probe: async () => false })).toBe(false)
    expect(timing.waits.length).toBe(240)
  })

  it('is not asked any more once the run is aborted', async () => {
    const signal = AbortSignal.abort()
    expect(await waitForEndpoint({ host: 'x', port: 1 }, undefined, { signal, probe: async () => true })).toBe(false)
  })
})
