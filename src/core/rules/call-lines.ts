/**
 * Old turns shrink to one line a call: call and result become the line, the model's own words beside them and its
 * thinking leave
 * (planner.md section 5: what is never removed fills the window of a long run). This removes the model's own words,
 * and what that does to its work is not measured: only `long`, `lean` and forced fits use it.
 */
import type { Edit } from '../edits.ts'
import { removedText } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { TextBlock, ThinkingBlock, Transcript } from '../transcript.ts'
import { type Foldable, foldableTurns, lineOf, oldThinking, takenOut } from './fold.ts'
import { classOf } from './results.ts'
import type { Rule } from './rule.ts'

export interface CallLinesOptions {
  /** Turns this many turns old fold. */
  readonly afterTurns: number
}

export const DEFAULT_FOLD_TURNS = 80

const RULE = 'call-lines'

export const callLines: Rule<CallLinesOptions> = (transcript, options, context) => [
  ...foldableTurns(transcript, options.afterTurns, context).flatMap(({ exchanges, words }) => [
    ...exchanges.map((exchange) => folded(exchange, transcript)),
    ...words.map(dropped),
  ]),
  ...oldThinking(transcript, options.afterTurns).map(dropped),
]

function folded(exchange: Foldable, transcript: Transcript): Edit {
  const { call, result } = exchange
  const text = lineOf(exchange)
  return {
    kind: 'fold-exchange',
    at: call.at,
    result: result.at,
    rule: RULE,
    reason: `${call.tool} call is old: one line stays of it`,
    purpose: 'economy',
    class: classOf(call.tool, transcript),
    frees: call.tokens + result.tokens - estimateTokens(text),
    removed: takenOut(exchange, RULE, classOf(call.tool, transcript)),
    text,
  }
}

function dropped(block: TextBlock | ThinkingBlock): Edit {
  return {
    kind: 'drop-block',
    at: block.at,
    rule: RULE,
    reason: `${block.type === 'text' ? 'words' : 'thinking'} beside calls that are old`,
    purpose: 'economy',
    class: 'restorable',
    frees: block.tokens,
    removed: block.text === '' ? [] : [removedText(block.text, { at: block.at, rule: RULE, class: 'restorable' })],
  }
}
