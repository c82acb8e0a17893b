/** What the recorded usage of the main thread's requests says: how full the context is and how the cache does. */
import type { RecordedRequest } from '../formats/format.ts'

export interface ContextGrowth {
  /** Tokens of the largest and of the newest prompt; 0 where no usage is recorded. */
  readonly peak: number
  /** Tokens of each recorded prompt, in order. */
  readonly prompts: readonly number[]
  /** Indexes of the prompts that were the first behind a compaction. */
  readonly compactedBefore: readonly number[]
  readonly last: number
  /** Tokens a turn adds, fitted within the last compaction segment; null with fewer than two requests in it. */
  readonly slopePerTurn: number | null
  /** The turn (1 = first of the session) whose prompt would reach the limit; null where nothing grows. */
  readonly projectedWallTurn: number | null
}

export interface CacheUse {
  readonly read: number
  readonly write: number
  readonly uncached: number
  /** Share of all prompt tokens that came from the cache, 0 to 1. */
  readonly hitRate: number
}

export function promptTokens(request: RecordedRequest): number {
  return request.usage.input + request.usage.cacheRead + request.usage.cacheWrite
}

/** Requests that report no prompt at all (aborted ones) say nothing about its size. */
export function contextGrowth(recorded: readonly RecordedRequest[], limit: number): ContextGrowth {
  const requests = recorded.filter((request) => promptTokens(request) > 0)
  const last = requests.at(-1)
  if (!last) return { peak: 0, prompts: [], compactedBefore: [], last: 0, slopePerTurn: null, projectedWallTurn: null }
  let peak = 0
  for (const request of requests) peak = Math.max(peak, promptTokens(request))
  const segment = requests.filter((request) => request.segment === last.segment).map(promptTokens)
  const slope = slopeOf(segment)
  const left = limit - promptTokens(last)
  const grows = slope !== null && slope > 0
  return {
    peak,
    prompts: requests.map(promptTokens),
    compactedBefore: [...requests.keys()].filter(
      (index) => index > 0 && requests[index]?.segment !== requests[index - 1]?.segment,
    ),
    last: promptTokens(last),
    slopePerTurn: slope === null ? null : Math.round(slope * 10) / 10,
    projectedWallTurn: grows ? requests.length + Math.max(0, Math.ceil(left / slope)) : null,
  }
}

export function cacheUse(requests: readonly RecordedRequest[]): CacheUse {
  let [read, write, uncached] = [0, 0, 0]
  for (const { usage } of requests) {
    read += usage.cacheRead
    write += usage.cacheWrite
    uncached += usage.input
  }
  const all = read + write + uncached
  return { read, write, uncached, hitRate: all === 0 ? 0 : read / all }
}

/** Least squares over equally spaced values; null for fewer than two. */
function slopeOf(values: readonly number[]): number | null {
  if (values.length < 2) return null
  const middle = (values.length - 1) / 2
  let above = 0
  let below = 0
  values.forEach((value, index) => {
    above += (index - middle) * value
    below += (index - middle) ** 2
  })
  return above / below
}
