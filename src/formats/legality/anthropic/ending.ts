/** How a conversation may end: A04, A05, A42. */
import { type Found, nothing, type RequestRule } from '../rule.ts'
import { isPaused, type MessagesReading, type WireMessage } from './reading.ts'

export const ENDING_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A04',
    severity: 'reject',
    evidence: 'doc',
    statement: 'From Claude 4.6 on the conversation may not end with the beginning of an answer.',
    check: checkPrefill,
  },
  {
    id: 'A05',
    severity: 'reject',
    evidence: 'code',
    statement: 'A begun answer at the end may not end with white space.',
    check: checkTrailingSpace,
  },
  {
    id: 'A42',
    severity: 'accept',
    evidence: 'types',
    statement: 'A turn that was paused inside a server tool is sent again as it is.',
    check: nothing,
  },
]

function lastSpoken(reading: MessagesReading): WireMessage | undefined {
  return reading.messages.findLast((message) => message.role !== 'system')
}

/** Exceptions: a paused turn sent again (A42), the answer that a fallback continues, a compaction of the whole. */
function checkPrefill(reading: MessagesReading): Found[] {
  const last = lastSpoken(reading)
  const { request } = reading
  if (last?.role !== 'assistant' || reading.model === undefined || reading.facts?.prefill === true) return []
  if (reading.facts?.thinking === 'foreign' || isPaused(last)) return []
  if (request.fallback_credit_token !== undefined || request.compaction !== undefined) return []
  const message =
    'This model does not support assistant message prefill. The conversation must end with a user message.'
  return [{ at: `messages.${last.index}`, message }]
}

function checkTrailingSpace(reading: MessagesReading): Found[] {
  const last = lastSpoken(reading)
  const block = last?.blocks.at(-1)
  const text = block?.fields.text
  if (last?.role !== 'assistant' || reading.facts?.prefill !== true || typeof text !== 'string') return []
  if (block?.type !== 'text' || text === text.trimEnd()) return []
  return [{ at: block.at, message: 'messages: final assistant content cannot end with trailing whitespace' }]
}
