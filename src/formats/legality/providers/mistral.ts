/** Mistral, on top of OpenAI Chat: F14-F16. */
import { WIRES } from '../../../core/models.ts'
import { type ChatReading, resultIdOf } from '../openai/chat-reading.ts'
import { idText } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'

const { callId: CALL_ID } = WIRES.mistral

export const MISTRAL_RULES: readonly RequestRule<ChatReading>[] = [
  {
    id: 'F14',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Call ids are exactly nine letters and digits.',
    check: ({ messages }) =>
      messages.flatMap((message) => {
        const ids = message.role === 'tool' ? [resultIdOf(message)] : message.calls.map(({ id }) => id)
        return ids
          .filter((id) => !CALL_ID.test(id))
          .map((id) => ({
            at: message.at,
            id,
            message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
          }))
      }),
  },
  {
    id: 'F15',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Behind a tool message stands an assistant message or another tool message.',
    check: ({ messages }) =>
      messages
        .filter(({ role }, index) => messages[index - 1]?.role === 'tool' && role !== 'tool' && role !== 'assistant')
        .map(({ role, at }) => ({ at, message: `Unexpected role '${role}' after role 'tool'` })),
  },
  {
    id: 'F16',
    severity: 'reject',
    evidence: 'code',
    statement: 'As many tool messages as calls; the user or a tool speaks last, or an assistant with a prefix.',
    check: ({ messages, exchanges }) => [
      ...exchanges
        .filter(({ asking, results }) => (asking?.calls.length ?? 0) !== results.length)
        .map(({ asking, results }) => ({
          at: asking?.at ?? results[0]?.at ?? '',
          message: 'Not the same number of function calls and responses',
        })),
      ...checkLast(messages.at(-1)),
    ],
  },
]

function checkLast(last: ChatReading['messages'][number] | undefined): Found[] {
  if (last === undefined || last.role === 'user' || last.role === 'tool') return []
  if (last.role === 'assistant' && last.fields.prefix === true) return []
  const message = `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${idText(last.role)}`
  return [{ at: last.at, message }]
}
