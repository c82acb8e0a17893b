/**
 * Calls that a machine refused leave with their refusals, all but the newest one (F7): they mislead more than they
 * cost. Recognised by the recording's own structure, never by wording; a person's refusal stays.
 */
import type { Edit } from '../edits.ts'
import { removedBody, removedInput } from '../removed.ts'
import { exchangesOf } from '../transcript.ts'
import type { Rule } from './rule.ts'
import { type AnsweredExchange, isAnswered } from './window.ts'

export interface DenialsOptions {
  /** This many of the newest machine denials stay: they stop the model from trying the same again. */
  readonly keep: number
}

export const DEFAULT_KEEP_DENIALS = 1

export const denials: Rule<DenialsOptions> = (transcript, options) => {
  const refused = exchangesOf(transcript)
    .filter(isAnswered)
    .filter(({ result }) => result.denied === 'machine')
  return refused.slice(0, Math.max(0, refused.length - options.keep)).map(dropped)
}

function dropped({ call, result }: AnsweredExchange): Edit {
  const facts = { rule: 'denials', class: 'worthless' as const, call }
  return {
    kind: 'drop-exchange',
    at: call.at,
    result: result.at,
    rule: 'denials',
    reason: `${call.tool} call was refused by a rule and never ran`,
    purpose: 'economy',
    class: 'worthless',
    frees: call.tokens + result.tokens,
    removed: [removedInput(call, facts), removedBody(result, facts)],
  }
}
