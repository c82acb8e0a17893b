/**
 * Runs one strategy over one recording, call by call, at the price of the prompt cache (reference/planner.md
 * section 1). No model is asked: the recorded one would have acted differently on another prompt.
 */

import { requestCost } from '../planning/prices.ts'
import { promptOf } from './prompt.ts'
import type { Recording } from './recording.ts'
import type { Strategy, Terms } from './strategy.ts'

export interface Run {
  readonly strategy: string
  readonly calls: number
  /** Sum over all prompts. */
  readonly tokens: number
  /** In tokens at the full input price. */
  readonly cost: number
  /** What looking again for every needle that was not visible would add. */
  readonly restoreCost: number
  readonly restores: number
  readonly peak: number
  /** Calls whose prompt was larger than the window. */
  readonly overWindow: number
  /** Warm calls that wrote again what was cached. */
  readonly breaks: number
  readonly summaries: number
  readonly needles: number
  readonly visible: number
  readonly recoverable: number
  /** Tokens of each prompt, in order. */
  readonly prompts: Float64Array
  /** Cost of each call. */
  readonly costs: Float64Array
}

/** A needle that is not visible makes the model look again, at most once in so many calls for one result. */
const CALLS_BETWEEN_RESTORES = 10
/** Output tokens of the extra call that looks again. */
const RESTORE_OUTPUT = 60

export function runStrategy(recording: Recording, strategy: Strategy, terms: Terms): Run {
  const { prices, window } = terms
  const { calls, needles } = recording
  const prompt = promptOf(recording.floor, recording.items)
  const play = strategy.player(recording, terms)
  const prompts = new Float64Array(calls.length)
  const costs = new Float64Array(calls.length)
  const restored = new Map<number, number>()
  const run = { tokens: 0, cost: 0, restoreCost: 0, restores: 0, peak: 0, overWindow: 0, breaks: 0, summaries: 0 }
  let visible = 0
  let needle = 0
  calls.forEach(({ end, gap }, call) => {
    prompt.append(end)
    const held = prompt.total()
    const cold = call === 0 || gap > prices.ttl
    play({ call, cold, gap }, prompt)
    const total = prompt.total()
    const cached = cold ? 0 : prompt.unchanged()
    const broken = !cold && prompt.unchanged() < prompt.sentTokens()
    let cost = requestCost(prices, total, cached)
    if (prompt.summaries.count > 0) {
      cost += prompt.summaries.count * prices.read * held + prices.output * prompt.summaries.tokens
      run.summaries += prompt.summaries.count
    }
    for (; needle < needles.length && (needles[needle]?.call ?? 0) <= call; needle++) {
      const sources = needles[needle]?.sources ?? []
      if (sources.some((item) => prompt.isWhole(item))) {
        visible++
        continue
      }
      const source = sources.at(-1) ?? 0
      if (call - (restored.get(source) ?? Number.NEGATIVE_INFINITY) < CALLS_BETWEEN_RESTORES) continue
      restored.set(source, call)
      const size = recording.items[source]?.tokens ?? 0
      run.restores++
      run.restoreCost +=
        prices.read * total +
        (prices.write + CALLS_BETWEEN_RESTORES * prices.read) * size +
        RESTORE_OUTPUT * prices.output
    }
    prompts[call] = total
    costs[call] = cost
    run.tokens += total
    run.cost += cost
    run.peak = Math.max(run.peak, total)
    if (total > window) run.overWindow++
    if (broken) run.breaks++
    prompt.close()
  })
  return {
    ...run,
    strategy: strategy.name,
    calls: calls.length,
    needles: needles.length,
    visible,
    recoverable: strategy.recoverable ? needles.length : visible,
    prompts,
    costs,
  }
}
