/** What a decision said the next call would read and write, held against what the provider counted. */
import type { Usage } from '../core/transcript.ts'
import type { Prices } from './prices.ts'

export interface Forecast {
  /** Tokens that come from the cache. */
  readonly read: number
  /** Tokens that are written to it, or sent without it. */
  readonly write: number
}

export interface ForecastCheck {
  /** Recorded less forecast, in tokens read from the cache; below 0 the cache held less than was thought. */
  readonly missed: number
  /** What that changes of the bill, in uncached input tokens. */
  readonly cost: number
  /** 0.9 and more of what was expected came from the cache. */
  readonly held: boolean
}

/** Share of the expected prefix that counts as a hit: providers keep whole blocks, not every token. */
const HELD_SHARE = 0.9

export function checkForecast(forecast: Forecast, usage: Usage, prices: Prices): ForecastCheck {
  const missed = usage.cacheRead - forecast.read
  return {
    missed,
    cost: missed === 0 ? 0 : (prices.read - prices.write) * missed,
    held: usage.cacheRead >= HELD_SHARE * forecast.read,
  }
}
