/**
 * A prompt that does not fit is cut deep, not just below its limit, else it is forced again and again
 * (planner.md section 5): protections shrink until half the window is free, then the oldest turns fold.
 */
import type { Edit } from '../core/edits.ts'
import type { EconomyContext, Propose } from '../core/policy.ts'
import type { RuleOptions } from '../core/rules/index.ts'
import type { Transcript } from '../core/transcript.ts'
import { turnsOf } from '../core/transcript.ts'
import { RESERVE_TOKENS } from './decide.ts'
import {
  CUT_SHARE,
  FOLD_KEEPS_TURNS,
  FOLD_SHARE,
  FORCED_LEDGER,
  FORCED_TASKS,
  PROTECTIONS,
  withKeep,
} from './presets.ts'
import { measureEdits, promptTokens } from './sums.ts'

export interface Fit {
  readonly edits: readonly Edit[]
  /** Tokens of the prompt with them. */
  readonly after: number
}

interface Tight {
  readonly transcript: Transcript
  readonly context: EconomyContext
  readonly rules: RuleOptions
  readonly propose: Propose
}

/** The mildest cut that reaches its aim; the deepest there is where none does. */
export function fitDeep(tight: Tight): Fit {
  const { limit } = tight.context
  const window = limit + RESERVE_TOKENS
  const cut = Math.min(limit, CUT_SHARE * window)
  let rules = tight.rules
  let fit = fitOf(tight, rules)
  for (const keep of PROTECTIONS) {
    if (fit.after <= cut) return fit
    rules = withKeep(tight.rules, keep, keep)
    fit = fitOf(tight, rules)
  }
  if (fit.after <= cut) return fit
  fit = mildestFold(tight, rules, Math.min(limit, FOLD_SHARE * window))
  if (fit.after <= limit) return fit
  const folds = { tasks: FORCED_TASKS, 'call-lines': { afterTurns: FOLD_KEEPS_TURNS }, ledger: FORCED_LEDGER }
  return fitOf(tight, { ...rules, ...folds })
}

/** Folds as few of the oldest turns as the aim takes. */
function mildestFold(tight: Tight, rules: RuleOptions, aim: number): Fit {
  const fold = (afterTurns: number): Fit =>
    fitOf(tight, { ...rules, tasks: FORCED_TASKS, 'call-lines': { afterTurns } })
  let low = FOLD_KEEPS_TURNS
  let high = Math.max(low, rules['call-lines']?.afterTurns ?? turnsOf(tight.transcript).length)
  let best = fold(low)
  if (best.after > aim) return best
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const tried = fold(middle)
    if (tried.after <= aim) {
      low = middle
      best = tried
    } else high = middle
  }
  return best
}

function fitOf({ transcript, context, propose }: Tight, rules: RuleOptions): Fit {
  const edits = propose(rules)
  const urgent = edits.filter((edit) => edit.purpose !== 'economy')
  const economy = edits.filter((edit) => edit.purpose === 'economy')
  const { saves } = measureEdits(transcript, context, urgent, economy)
  return { edits, after: promptTokens(transcript, context) - saves }
}
