/** Messages of OpenAI Chat Completions by themselves: B05, B08-B12. */
import { windowOf } from '../../../core/models.ts'
import { fieldsOf } from '../../fields.ts'
import { type Found, nothing, type RequestRule } from '../rule.ts'
import type { ChatMessage, ChatReading } from './chat-reading.ts'

const LONGEST_NAME = 64
const PARTICIPANT = /^[^\s<|\\/>]+$/
const NEED_CONTENT = ['user', 'system', 'developer', 'tool']
const ONLY_IN_USER = ['image_url', 'input_audio', 'file']
/** Models that convert or refuse the system role. */
const REASONING = /^o\d|^gpt-5/

export const CHAT_MESSAGE_RULES: readonly RequestRule<ChatReading>[] = [
  {
    id: 'B05',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Only an assistant message with calls, a refusal or audio may be without content.',
    check: ({ messages }) => messages.filter(lacksContent).map(missingContent),
  },
  {
    id: 'B08',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'A participant’s name has no spaces, slashes or angle brackets.',
    check: ({ messages }) =>
      messages
        .filter(
          ({ fields: { name } }) =>
            typeof name === 'string' && !(PARTICIPANT.test(name) && name.length <= LONGEST_NAME),
        )
        .map(({ at }) => ({
          at,
          message: `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '${PARTICIPANT.source}'.`,
        })),
  },
  {
    id: 'B09',
    severity: 'warn',
    evidence: 'types',
    statement: 'Instructions come first, and in one kind: system, or developer for reasoning models.',
    check: checkInstructions,
  },
  {
    id: 'B10',
    severity: 'reject',
    evidence: 'types',
    statement: 'Images, files and audio stand in user messages only.',
    check: ({ messages }) => messages.flatMap(checkParts),
  },
  {
    id: 'B11',
    severity: 'reject',
    evidence: 'code',
    statement: 'The input fits the window.',
    check: ({ model }, { inputTokens }) => {
      const window = windowOf(model)
      if (inputTokens === undefined || inputTokens <= window) return []
      const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`
      return [{ at: 'messages', message }]
    },
  },
  {
    id: 'B12',
    severity: 'accept',
    evidence: 'types',
    statement: 'Roles need not alternate; the conversation may begin and end with anyone.',
    check: nothing,
  },
]

function lacksContent({ role, fields, calls }: ChatMessage): boolean {
  if (fields.content !== null && fields.content !== undefined) return false
  if (NEED_CONTENT.includes(role)) return true
  if (role !== 'assistant') return false
  return calls.length === 0 && !fieldsOf(fields.function_call) && !fields.refusal && !fieldsOf(fields.audio)
}

function missingContent({ at, fields }: ChatMessage): Found {
  return {
    at,
    message: `Invalid value for 'content': expected a string, got ${fields.content === null ? 'null' : 'undefined'}.`,
  }
}

function checkInstructions({ messages, model }: ChatReading): Found[] {
  const found: Found[] = []
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const kinds = new Set(messages.map(({ role }) => role))
  messages.forEach(({ role, at }, index) => {
    if (role === 'system' && first >= 0 && index > first) {
      found.push({ at, message: `System message must be at the beginning. ('${at}.role')` })
    } else if (role === 'system' && model !== undefined && REASONING.test(model)) {
      found.push({ at, message: `Unsupported value: '${at}.role' does not support 'system' with this model.` })
    } else if (role === 'developer' && kinds.has('system')) {
      found.push({ at, message: `'${at}.role': 'developer' and 'system' messages do not go together` })
    }
  })
  return found
}

function checkParts({ role, parts, at }: ChatMessage): Found[] {
  if (role === 'user') return []
  return parts
    .filter(({ type }) => ONLY_IN_USER.includes(type))
    .map(({ type }) => ({
      at,
      message:
        type === 'image_url'
          ? `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`
          : `Invalid '${at}'. Parts of type '${type}' are only allowed for messages with role 'user'.`,
    }))
}
