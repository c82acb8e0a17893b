/** What a step has come to, over all its queries. */
import type { MessageReader } from '../events/message-reader.ts'
import type { StepError, StepResult } from './options.ts'

export interface Tally {
  /** Of the whole step. */
  readonly turns: number
  readonly cost: number
  readonly context: number
  /** Of this attempt; `sessionCost` is USD of the session from its beginning, as the binary last said. */
  readonly attempt: { readonly turns: number; readonly cost: number; readonly sessionCost: number }
  beginAttempt(): void
  /** A query has ended. */
  add(figures: MessageReader): void
  addError(error: StepError): void
  result(fields: Pick<StepResult, 'sessionId' | 'error' | 'attempts' | 'resumed'>): StepResult
}

/** @param costBefore USD that the session which goes on has cost before */
export function createTally(costBefore: number): Tally {
  const texts: string[] = []
  const errors: StepError[] = []
  let turns = 0
  let cost = 0
  let context = 0
  let sessionCost = costBefore
  let answer = ''
  let begun = { turns: 0, cost: 0 }
  return {
    get turns() {
      return turns
    },
    get cost() {
      return cost
    },
    get context() {
      return context
    },
    get attempt() {
      return { turns: turns - begun.turns, cost: cost - begun.cost, sessionCost }
    },
    beginAttempt() {
      begun = { turns, cost }
    },
    add(figures) {
      turns += figures.turns
      texts.push(...figures.texts)
      if (figures.turns > 0) answer = figures.answer
      if (figures.context > 0) context = figures.context
      // The binary's total goes on over a resume; a process that died has said nothing.
      const total = figures.result?.total_cost_usd
      if (total === undefined || total <= sessionCost) return
      cost += total - sessionCost
      sessionCost = total
    },
    addError: (error) => errors.push(error),
    result: (fields) => ({
      ...fields,
      ok: fields.error === undefined,
      cost,
      turns,
      text: texts.join('\n\n'),
      answer,
      errors: [...errors],
      retired: [],
      context,
    }),
  }
}
