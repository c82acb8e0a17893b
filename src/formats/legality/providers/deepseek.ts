/** DeepSeek, on top of the OpenAI wires it speaks: F10, F11. */
import { fieldsOf, textOf } from '../../fields.ts'
import {
  CHAT_RULES,
  type ChatReading,
  RESPONSES_RULES,
  type ResponsesReading,
  readChat,
  readResponses,
} from '../openai/index.ts'
import type { Found, RequestContext, RequestRule } from '../rule.ts'

export interface DeepseekReading {
  readonly chat: ChatReading
  readonly responses: ResponsesReading
}

export function readDeepseek(value: unknown): DeepseekReading {
  return { chat: readChat(value), responses: readResponses(value) }
}

/** The pairing rules of the base wires, which F11 says in DeepSeek's words. */
export const DEEPSEEK_PAIRING = new Set(['B01', 'B02', 'B20', 'B21'])

export const DEEPSEEK_RULES: readonly RequestRule<DeepseekReading>[] = [
  {
    id: 'F10',
    severity: 'reject',
    evidence: 'issue',
    statement: 'In thinking mode the calling messages of the running turn carry their reasoning back.',
    check: ({ chat }) => checkReasoning(chat),
  },
  {
    id: 'F11',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Calls and outputs pair as on the OpenAI wires.',
    check: ({ chat, responses }, context) => [
      ...pairingOf(CHAT_RULES, chat, context),
      ...pairingOf(RESPONSES_RULES, responses, context),
    ],
  },
]

function pairingOf<Reading>(
  rules: readonly RequestRule<Reading>[],
  reading: Reading,
  context: RequestContext,
): Found[] {
  const pairing = rules.filter(({ id }) => DEEPSEEK_PAIRING.has(id))
  return pairing
    .flatMap((rule) => rule.check(reading, context))
    .map((found) => ({
      ...found,
      message: found.message
        .replace(/No tool call found for .* with call_id/, 'No tool call found for tool output with call_id')
        .replace(/No tool output found for .* (\S+)\.$/, 'No tool output found for tool call $1.'),
    }))
}

/** The wire a request to DeepSeek is written in; its own rules come on top. */
export function deepseekWire({ chat }: DeepseekReading): 'openai-chat' | 'openai-responses' | 'anthropic-messages' {
  if (chat.request.input !== undefined) return 'openai-responses'
  const blocks = chat.messages.some(({ parts }) =>
    parts.some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  )
  return blocks || chat.request.system !== undefined ? 'anthropic-messages' : 'openai-chat'
}

/** `content[].thinking` on the endpoint that speaks Anthropic's wire, `reasoning_content` elsewhere. */
function checkReasoning({ request, messages, model }: ChatReading): Found[] {
  if (model === 'deepseek-chat' || fieldsOf(request.thinking)?.type === 'disabled') return []
  const running = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && !parts.some(({ type }) => type === 'tool_result'),
  )
  return messages
    .slice(running + 1)
    .filter(({ role, fields, calls, parts }) => {
      if (role !== 'assistant') return false
      if (parts.some(({ type }) => type === 'tool_use')) return !parts.some(({ type }) => type === 'thinking')
      return calls.length > 0 && textOf(fields.reasoning_content) === undefined
    })
    .map(({ at }) => ({
      at,
      message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    }))
}
