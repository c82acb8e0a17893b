/** Calls of OpenAI Chat Completions and the messages that answer them: B01-B04, B06, B07. */
import { WIRES } from '../../../core/models.ts'
import { fieldsOf } from '../../fields.ts'
import type { Found, RequestRule } from '../rule.ts'
import { type ChatExchange, type ChatMessage, type ChatReading, resultIdOf } from './chat-reading.ts'

const LONGEST_CALL_ID = 40
const LONGEST_NAME = 64
const FUNCTION_NAME = /^[a-zA-Z0-9_-]+$/

export const CHAT_CALL_RULES: readonly RequestRule<ChatReading>[] = [
  {
    id: 'B01',
    severity: 'reject',
    evidence: 'issue',
    statement: 'The tool messages right behind an assistant message answer all of its calls.',
    check: ({ exchanges }) => exchanges.flatMap(checkAnswered),
  },
  {
    id: 'B02',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A tool message answers a call of the assistant message before it.',
    check: ({ exchanges }) => exchanges.flatMap(checkOrphans),
  },
  {
    id: 'B03',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'One tool message for each call; ids are unique in an assistant message.',
    check: ({ exchanges }) => exchanges.flatMap(checkDuplicates),
  },
  {
    id: 'B04',
    severity: 'reject',
    evidence: 'issue',
    statement: 'tool_calls is left out, never empty.',
    check: ({ messages }) =>
      messages
        .filter(({ fields }) => Array.isArray(fields.tool_calls) && fields.tool_calls.length === 0)
        .map(({ at }) => ({
          at,
          message: `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        })),
  },
  {
    id: 'B06',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A called function has a well-formed name; its arguments are a string.',
    check: ({ messages }) => messages.flatMap(checkFunctions),
  },
  {
    id: 'B07',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'Call ids have at most 40 characters.',
    check: ({ messages }) =>
      messages.flatMap(({ calls }) =>
        calls
          .filter(({ fields }) => typeof fields.id === 'string' && !WIRES['openai-chat'].callId.test(fields.id))
          .map(({ id, at }) => ({ at, id, message: tooLong(`${at}.id`, LONGEST_CALL_ID, id.length) })),
      ),
  },
]

function checkAnswered({ asking, results }: ChatExchange): Found[] {
  if (!asking) return []
  const answered = new Set(results.map(resultIdOf))
  const missing = asking.calls.map(({ id }) => id).filter((id) => !answered.has(id))
  if (missing.length === 0) return []
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`
  return [{ at: asking.at, id: missing[0] ?? '', message }]
}

function checkOrphans({ asking, results }: ChatExchange): Found[] {
  const asked = new Set(asking?.calls.map(({ id }) => id))
  return results
    .filter((result) => !asked.has(resultIdOf(result)))
    .map((result) => ({
      at: result.at,
      id: resultIdOf(result),
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    }))
}

function checkDuplicates({ asking, results }: ChatExchange): Found[] {
  return [
    ...repeated(asking?.calls ?? []),
    ...repeated(results.map((result) => ({ id: resultIdOf(result), at: result.at }))),
  ].map(({ id, at }) => ({ at, id, message: `${at}: duplicate tool_call_id: ${id}` }))
}

function repeated<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const seen = new Set<string>()
  return items.filter(({ id }) => seen.has(id) || !seen.add(id))
}

function checkFunctions({ calls }: ChatMessage): Found[] {
  return calls.flatMap(({ fields, at }) => {
    const called = fieldsOf(fields.function)
    if (fields.type === 'custom' || (fields.type !== undefined && fields.type !== 'function')) return []
    const name = called?.name
    const place = `${at}.function.name`
    const found: Found[] = []
    if (name === '') {
      found.push({
        at,
        message: `Invalid '${place}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
      })
    } else if (typeof name !== 'string') {
      found.push({ at, message: `Missing required parameter: '${place}'.` })
    } else if (name.length > LONGEST_NAME) found.push({ at, message: tooLong(place, LONGEST_NAME, name.length) })
    else if (!FUNCTION_NAME.test(name)) {
      found.push({
        at,
        message: `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '${FUNCTION_NAME.source}'.`,
      })
    }
    if (typeof called?.arguments !== 'string') {
      const got = kindOf(called?.arguments)
      found.push({
        at,
        message: `Invalid type for '${at}.function.arguments': expected a string, but got ${got} instead.`,
      })
    }
    return found
  })
}

function tooLong(place: string, most: number, length: number): string {
  return `Invalid '${place}': string too long. Expected a string with maximum length ${most}, but got a string with length ${length} instead.`
}

/** How the provider names what it got instead of a string. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
