/** Repairs of a request until nothing is left to repair, and behind them what its end needs. */
import { economize } from '../core/economy.ts'
import type { Edit } from '../core/edits.ts'
import { windowOf } from '../core/models.ts'
import { REPAIR_ONLY } from '../core/policy.ts'
import type { JsonValue } from '../core/transcript.ts'
import type { ArrayFormat } from './array-format.ts'

/** What was repaired can be told more of (an answer that was put in has an id): two rounds, seldom three. */
const MOST_ROUNDS = 4

export interface RepairedRequest {
  readonly value: JsonValue
  /** In order; each round's are addressed to what the round before left. */
  readonly edits: readonly Edit[]
}

/**
 * @param at `request`: the value is to be sent as it is, so open calls are answered and the end made sendable (A04,
 * A05, B22); `rest`: a history that may end anywhere
 */
export function repairRequest(
  format: ArrayFormat,
  value: JsonValue,
  at: 'rest' | 'request',
  model?: string,
): RepairedRequest {
  const edits: Edit[] = []
  let current = value
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { transcript, native } = format.read(current)
    const reader = model ?? transcript.model
    const found = economize(transcript, REPAIR_ONLY, {
      now: 0,
      limit: windowOf(reader),
      epoch: 'asked',
      repairs: format.repairs(native),
      answerLast: at === 'request',
      ...(reader === undefined ? {} : { model: reader }),
    }).edits
    if (found.length === 0) break
    for (const each of found) edits.push(each)
    current = format.write(native, found)
  }
  if (at === 'rest') return { value: current, edits }
  const { native } = format.read(current)
  const endings = format.endings(native)
  return { value: format.write(native, endings), edits: [...edits, ...endings] }
}
