/** Does the provider's cache behave as the model says? What recorded usage shows of warm and cold requests. */
import type { Usage } from '../core/transcript.ts'
import type { Prices } from '../planning/prices.ts'

interface RecordedUse {
  readonly usage: Usage
  readonly time?: number
  /** Compactions before it: across one the prefix is another. */
  readonly segment: number
}

export interface Agreement {
  /** Requests within the cache's lifetime of the one before, and how many of them read at least 90 % of its prompt. */
  readonly warm: number
  readonly warmHeld: number
  /** Requests after it. */
  readonly cold: number
  readonly coldHeld: number
}

const HELD_SHARE = 0.9

export function agreementOf(requests: readonly RecordedUse[], prices: Pick<Prices, 'ttl'>): Agreement {
  const found = { warm: 0, warmHeld: 0, cold: 0, coldHeld: 0 }
  let before: RecordedUse | undefined
  for (const request of requests) {
    const prompt = promptOf(request)
    if (prompt === 0) continue
    const last = before
    before = request
    if (!last || last.segment !== request.segment || last.time === undefined || request.time === undefined) continue
    const held = request.usage.cacheRead >= HELD_SHARE * promptOf(last)
    if (request.time - last.time <= prices.ttl) {
      found.warm++
      if (held) found.warmHeld++
    } else {
      found.cold++
      if (held) found.coldHeld++
    }
  }
  return found
}

function promptOf({ usage }: RecordedUse): number {
  return usage.input + usage.cacheRead + usage.cacheWrite
}
