/** Spillway itself: the rules of a preset, timed by the plan. */
import { decide, RESERVE_TOKENS } from '../../planning/decide.ts'
import {
  CUT_SHARE,
  coldRules,
  FOLD_KEEPS_TURNS,
  FOLD_SHARE,
  FORCED_LEDGER,
  FORCED_TASKS,
  PROTECTIONS,
  type Preset,
  withKeep,
} from '../../planning/presets.ts'
import { type Candidate, candidatesOf, foldsOf } from '../candidates.ts'
import type { Prompt } from '../prompt.ts'
import type { Recording } from '../recording.ts'
import type { Player, Strategy, Terms } from '../strategy.ts'
import { besideTasks } from '../task-candidates.ts'

export function ours(preset: Preset): Strategy {
  return { name: preset.name, recoverable: true, player: (recording, terms) => player(preset, recording, terms) }
}

function player(preset: Preset, recording: Recording, terms: Terms): Player {
  const usual = queue(candidatesOf(recording, preset.rules))
  const whenCold = queue(preset.coldKeep === undefined ? [] : candidatesOf(recording, coldRules(preset)))
  const pending = pendingItems()
  const limit = terms.window - RESERVE_TOKENS
  const cutDeep = deepCuts(preset, recording, terms)
  return ({ call, cold }, prompt) => {
    for (const candidate of usual(call)) pending.add(candidate, prompt)
    if (cold) for (const candidate of whenCold(call)) pending.add(candidate, prompt)
    const rewritten = pending.first < prompt.sent ? prompt.sentAfter(pending.first) - pending.saves : 0
    const decision = decide(
      { cold, prompt: prompt.total(), limit, saves: pending.saves, rewritten, waited: pending.waited },
      terms.prices,
      preset.patience,
    )
    if (decision.rewrite) pending.apply(prompt)
    else pending.waited = decision.waiting
    if (prompt.total() > limit) cutDeep(call, prompt)
  }
}

/** Each candidate once, as soon as its call has come. */
function queue(candidates: readonly Candidate[]): (call: number) => Iterable<Candidate> {
  let next = 0
  return function* take(call) {
    for (let candidate = candidates[next]; candidate && candidate.from <= call; candidate = candidates[++next]) {
      yield candidate
    }
  }
}

interface Pending {
  /** The first item that may change; infinite when none may. */
  readonly first: number
  /** Tokens that all of them free. */
  readonly saves: number
  waited: number
  add(candidate: Candidate, prompt: Prompt): void
  apply(prompt: Prompt): void
}

function pendingItems(): Pending {
  const targets = new Map<number, Candidate>()
  const pending = {
    first: Number.POSITIVE_INFINITY,
    saves: 0,
    waited: 0,
    add(candidate: Candidate, prompt: Prompt) {
      const { item, tokens } = candidate
      const now = targets.get(item)?.tokens ?? prompt.size(item)
      if (tokens >= now) return
      if (item >= prompt.sent) {
        // Never sent: changing it is free.
        prompt.replace(item, tokens)
        return
      }
      targets.set(item, candidate)
      pending.saves += now - tokens
      pending.first = Math.min(pending.first, item)
    },
    apply(prompt: Prompt) {
      for (const { item, tokens } of targets.values()) prompt.replace(item, tokens)
      targets.clear()
      pending.first = Number.POSITIVE_INFINITY
      pending.saves = 0
      pending.waited = 0
    },
  }
  return pending
}

/**
 * Once forced, cut deep: protections shrink until half the window is free, then finished tasks and the oldest turns fold. What an
 * earlier cut has done is not looked at again.
 */
function deepCuts(preset: Preset, recording: Recording, { window }: Terms): (call: number, prompt: Prompt) => void {
  const limit = window - RESERVE_TOKENS
  const cut = Math.min(limit, CUT_SHARE * window)
  const tighter = PROTECTIONS.map((keep) =>
    shrinker(() => candidatesOf(recording, withKeep(preset.rules, keep, keep)), Number.NEGATIVE_INFINITY),
  )
  const beside = (others: readonly Candidate[]) => besideTasks(recording, FORCED_TASKS, others)
  const tasks = shrinker(() => candidatesOf(recording, { tasks: FORCED_TASKS }), Number.NEGATIVE_INFINITY)
  const turns = shrinker(() => beside(foldsOf(recording, FOLD_KEEPS_TURNS)), Math.min(limit, FOLD_SHARE * window))
  const fold = (call: number, prompt: Prompt): void => {
    tasks(call, prompt)
    turns(call, prompt)
  }
  const mover = shrinker(() => beside(candidatesOf(recording, { ledger: FORCED_LEDGER })), Number.NEGATIVE_INFINITY)
  return (call, prompt) => {
    for (const shrinkTo of [...tighter, fold]) {
      if (prompt.total() <= cut) return
      shrinkTo(call, prompt)
    }
    if (prompt.total() > limit) mover(call, prompt)
  }
}

/** Applies candidates in order until the prompt has come down to the target; goes on there the next time. */
function shrinker(list: () => readonly Candidate[], target: number): (call: number, prompt: Prompt) => void {
  let candidates: readonly Candidate[] | undefined
  let next = 0
  return (call, prompt) => {
    candidates ??= list()
    for (; next < candidates.length && prompt.total() > target; next++) {
      const { item, tokens, from } = candidates[next] ?? { item: 0, tokens: 0, from: 0 }
      if (from > call) return
      if (tokens < prompt.size(item)) prompt.replace(item, tokens)
    }
  }
}
