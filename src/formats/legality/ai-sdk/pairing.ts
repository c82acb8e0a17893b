/** Calls, results and approvals of the AI SDK: C01, C02, C05-C07, C10. */
import { idText, type Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { type AiSdkReading, callIdOf, isProviderExecuted, type ModelMessage } from './reading.ts'

/** States of a UI tool part that become a call without a result. */
const UNFINISHED_STATES = ['input-available', 'approval-requested']

export const AI_SDK_PAIRING_RULES: readonly RequestRule<AiSdkReading>[] = [
  {
    id: 'C01',
    severity: 'reject',
    evidence: 'ran',
    statement: 'A call has its result before the next user or system message and before the end.',
    check: ({ messages }) => unansweredCalls(messages).map(({ at, id }) => ({ at, id, message: missingResult(id) })),
  },
  {
    id: 'C02',
    severity: 'warn',
    evidence: 'ran',
    statement: 'A result without call, or a second one, passes the SDK and fails at the provider.',
    check: ({ messages }) => orphanResults(messages),
  },
  {
    id: 'C05',
    severity: 'reject',
    evidence: 'ran',
    statement: 'An approval answers a request for approval, and that one names a call.',
    check: checkApprovals,
  },
  {
    id: 'C06',
    severity: 'reject',
    evidence: 'ran',
    statement: 'A call whose approval is open, or approved and not run, is not followed by the user.',
    check: checkOpenApprovals,
  },
  {
    id: 'C07',
    severity: 'reject',
    evidence: 'types',
    statement: 'Call and result of a tool that the provider runs stand in one assistant message.',
    check: ({ messages }) => {
      const own = new Set(partsOf(messages, 'tool-call').filter(isProviderExecuted).map(callIdOf))
      return messages
        .filter(({ role }) => role === 'tool')
        .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result' && own.has(callIdOf(part))))
        .map((part) => ({
          at: part.at,
          id: callIdOf(part),
          message: `${part.at}: the result of the provider-executed call ${callIdOf(part)} belongs into its assistant message`,
        }))
    },
  },
  {
    id: 'C10',
    severity: 'warn',
    evidence: 'ran',
    statement: 'A UI tool part without output becomes a call without result.',
    check: ({ uiMessages }) =>
      uiMessages
        .flatMap(({ parts }) => parts)
        .filter(({ type, fields }) => isToolPart(type) && UNFINISHED_STATES.includes(textState(fields.state)))
        .map((part) => ({ at: part.at, id: callIdOf(part), message: missingResult(callIdOf(part)) })),
  },
]

function textState(state: unknown): string {
  return typeof state === 'string' ? state : ''
}

function isToolPart(type: string): boolean {
  return type.startsWith('tool-') || type === 'dynamic-tool'
}

function missingResult(id: string): string {
  return `AI_MissingToolResultsError: Tool result is missing for tool call ${id}.`
}

function partsOf(messages: readonly ModelMessage[], type: string): Placed[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === type))
}

/** As the SDK counts: a call whose approval was answered is not missing anything yet. */
function unansweredCalls(messages: readonly ModelMessage[]): { at: string; id: string }[] {
  const approvals = new Map(
    partsOf(messages, 'tool-approval-request').map(({ fields }) => [fields.approvalId, idText(fields.toolCallId)]),
  )
  const answered = new Set(
    partsOf(messages, 'tool-approval-response').map(({ fields }) => approvals.get(fields.approvalId)),
  )
  const missing: { at: string; id: string }[] = []
  let open = new Map<string, string>()
  const settle = (): void => {
    for (const [id, at] of open) if (!answered.has(id)) missing.push({ at, id })
    open = new Map()
  }
  for (const { role, parts } of messages) {
    if (role === 'user' || role === 'system') settle()
    for (const part of parts) {
      const id = callIdOf(part)
      if (part.type === 'tool-call' && role === 'assistant' && !isProviderExecuted(part)) open.set(id, part.at)
      if (part.type === 'tool-result') open.delete(id)
    }
  }
  settle()
  return missing
}

function orphanResults(messages: readonly ModelMessage[]): Found[] {
  const calls = new Set<string>()
  const answered = new Set<string>()
  const found: Found[] = []
  for (const part of messages.flatMap(({ parts }) => parts)) {
    const id = callIdOf(part)
    if (part.type === 'tool-call') {
      if (calls.has(id)) found.push({ at: part.at, id, message: `${part.at}: tool call id ${id} is not unique` })
      calls.add(id)
    } else if (part.type === 'tool-result') {
      if (!calls.has(id))
        found.push({ at: part.at, id, message: `${part.at}: no tool call found for tool result ${id}` })
      else if (answered.has(id)) found.push({ at: part.at, id, message: `${part.at}: second tool result for ${id}` })
      answered.add(id)
    }
  }
  return found
}

/** The SDK looks at the last message alone, if it is a tool message. */
function checkApprovals({ messages }: AiSdkReading): Found[] {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return []
  const calls = new Set(partsOf(messages, 'tool-call').map(callIdOf))
  const requests = new Map(
    partsOf(messages, 'tool-approval-request').map((part) => [part.fields.approvalId, callIdOf(part)]),
  )
  return last.parts
    .filter(({ type }) => type === 'tool-approval-response')
    .flatMap(({ fields, at }) => {
      const id = idText(fields.approvalId)
      const call = requests.get(fields.approvalId)
      if (call === undefined) {
        return [{ at, id, message: `AI_InvalidToolApprovalError: no approval request with id ${id}` }]
      }
      if (calls.has(call)) return []
      return [{ at, id, message: `AI_ToolCallNotFoundForApprovalError: no tool call ${call} for approval ${id}` }]
    })
}

function checkOpenApprovals({ messages }: AiSdkReading): Found[] {
  const results = new Set(partsOf(messages, 'tool-result').map(callIdOf))
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  return partsOf(messages.slice(0, Math.max(0, lastUser)), 'tool-approval-request')
    .filter((part) => !results.has(callIdOf(part)))
    .map((part) => ({ at: part.at, id: callIdOf(part), message: missingResult(callIdOf(part)) }))
}
