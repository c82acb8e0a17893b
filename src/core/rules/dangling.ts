/**
 * An unanswered call gets an answer (F8, A09). The writer derives the answer's identity from the call, so the next
 * load derives the same and a run resumed on it never loses its history.
 */
import type { Edit } from '../edits.ts'
import { pairingFaults } from '../legality/pairing.ts'
import { settledAt } from '../legality/spoken.ts'
import { estimateTokens } from '../tokens.ts'
import type { Rule } from './rule.ts'

export const NO_RESULT_TEXT = '[no result recorded: the session was interrupted here; the call may have run in part]'

export const dangling: Rule<object> = (transcript, _options, context) => {
  const settled = settledAt(transcript, context.answerLast ? 'request' : 'rest')
  return pairingFaults(transcript, settled).unanswered.map(
    (call): Edit => ({
      kind: 'answer-call',
      at: call.at,
      rule: 'dangling',
      reason: `${call.tool} call ${call.id} has no result`,
      purpose: 'legality',
      class: 'worthless',
      frees: -estimateTokens(NO_RESULT_TEXT),
      removed: [],
      callId: call.id,
      text: NO_RESULT_TEXT,
      isError: false,
    }),
  )
}
