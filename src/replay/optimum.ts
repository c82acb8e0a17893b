/**
 * The cheapest schedule in hindsight (planner.md section 2): when to rewrite, knowing all that is still to come.
 *
 * A rewrite takes out everything that may leave by then, so the state is the last rewrite; O(T^2) over the calls.
 * It is no strategy: nobody knows the future. Calls over the window are avoided first, then cost is least.
 */
import type { Candidate } from './candidates.ts'
import type { Recording } from './recording.ts'
import type { Terms } from './strategy.ts'
import { sums } from './sums.ts'

export interface Optimum {
  readonly cost: number
  readonly overWindow: number
  /** The calls before which it rewrites, in order. */
  readonly rewrites: readonly number[]
}

/** The cheapest way to a call, given the last rewrite. */
interface Way {
  readonly over: number
  readonly cost: number
  readonly rewrites: Rewrites | undefined
}

interface Rewrites {
  readonly call: number
  readonly before: Rewrites | undefined
}

interface Saving {
  readonly item: number
  readonly tokens: number
}

/** `candidates` ordered by the call from which they hold. */
export function optimumOf(recording: Recording, candidates: readonly Candidate[], terms: Terms): Optimum {
  const { calls, items, floor } = recording
  const sizes = sums(items.length)
  items.forEach((item, index) => {
    sizes.add(index, item.tokens)
  })
  const saved = sums(items.length)
  const fresh = savingsByCall(recording, candidates)
  const total: number[] = []
  // Index 0: never rewritten; index n: last rewritten before call n - 1.
  let ways: (Way | undefined)[] = [{ over: 0, cost: 0, rewrites: undefined }]
  calls.forEach(({ end, gap }, call) => {
    for (const { item, tokens } of fresh[call] ?? []) saved.add(item, tokens)
    const all = saved.before(items.length)
    total.push(all)
    const sent = calls[call - 1]?.end ?? 0
    const price = priceOf(terms, call === 0 || gap > terms.prices.ttl)
    ways = onward({ ways, call, fresh, total, price }, (already, first) => {
      const prompt = floor + sizes.before(end) - (first === undefined ? already : all)
      const cached = first === undefined || first >= sent ? floor + sizes.before(sent) - already : prefix(first)
      return { prompt, cached }
    })
    function prefix(first: number): number {
      return floor + sizes.before(first) - saved.before(first)
    }
  })
  return cheapest(ways)
}

interface Step {
  readonly ways: readonly (Way | undefined)[]
  readonly call: number
  readonly fresh: readonly (readonly Saving[])[]
  readonly total: readonly number[]
  readonly price: (way: Way, prompt: number, cached: number) => Way
}

/** `measure`: the prompt and its cached prefix after `already` tokens left, when the first change is at `first`. */
function onward(
  { ways, call, fresh, total, price }: Step,
  measure: (already: number, first: number | undefined) => { prompt: number; cached: number },
): (Way | undefined)[] {
  const next: (Way | undefined)[] = []
  let rewritten: Way | undefined
  let first = Number.POSITIVE_INFINITY
  for (let state = call; state >= 0; state--) {
    // What a rewrite now would change: all that became free to leave since the rewrite before call `state - 1`.
    for (const { item } of fresh[state] ?? []) first = Math.min(first, item)
    const way = ways[state]
    if (!way) continue
    const already = state === 0 ? 0 : (total[state - 1] ?? 0)
    const kept = measure(already, undefined)
    next[state] = price(way, kept.prompt, kept.cached)
    if (first === Number.POSITIVE_INFINITY) continue
    const cleared = measure(already, first)
    const option = price(way, cleared.prompt, cleared.cached)
    if (!rewritten || isCheaper(option, rewritten)) rewritten = { ...option, rewrites: { call, before: way.rewrites } }
  }
  next[call + 1] = rewritten
  return next
}

function priceOf({ prices, window }: Terms, cold: boolean): Step['price'] {
  return (way, prompt, cached) => {
    const held = cold ? 0 : cached
    return {
      over: way.over + (prompt > window ? 1 : 0),
      cost: way.cost + prices.read * held + prices.write * (prompt - held),
      rewrites: way.rewrites,
    }
  }
}

function isCheaper(a: Way, b: Way): boolean {
  return a.over < b.over || (a.over === b.over && a.cost < b.cost)
}

/** Tokens each candidate frees on top of those before it, by the call from which it holds. */
function savingsByCall(recording: Recording, candidates: readonly Candidate[]): Saving[][] {
  const sizes = recording.items.map((item) => item.tokens)
  const byCall: Saving[][] = recording.calls.map(() => [])
  for (const { item, tokens, from } of candidates) {
    const size = sizes[item] ?? 0
    if (tokens >= size || from >= byCall.length) continue
    sizes[item] = tokens
    byCall[from]?.push({ item, tokens: size - tokens })
  }
  return byCall
}

function cheapest(ways: readonly (Way | undefined)[]): Optimum {
  let best: Way | undefined
  for (const way of ways) if (way && (!best || isCheaper(way, best))) best = way
  const rewrites: number[] = []
  for (let step = best?.rewrites; step; step = step.before) rewrites.push(step.call)
  return { cost: best?.cost ?? 0, overWindow: best?.over ?? 0, rewrites: rewrites.reverse() }
}
