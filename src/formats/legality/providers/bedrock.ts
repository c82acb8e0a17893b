/** Bedrock Converse: F20-F23. Nothing is merged: messages are judged one by one. */
import { WIRES } from '../../../core/models.ts'
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { fieldsUnder, idText, type Placed, placedIn } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'

interface ConverseMessage {
  readonly role: string
  readonly blocks: readonly Placed[]
  readonly uses: readonly Fields[]
  readonly results: readonly Fields[]
  readonly at: string
}

export interface BedrockReading {
  readonly request: Fields
  readonly messages: readonly ConverseMessage[]
}

const { callId: CALL_ID } = WIRES['bedrock-converse']

export function readBedrock(value: unknown): BedrockReading {
  const request = fieldsOf(value) ?? {}
  const messages = placedIn(request.messages, 'messages').map(({ fields, at }) => {
    const blocks = placedIn(fields.content, `${at}.content`)
    return {
      role: textOf(fields.role) ?? '',
      blocks,
      uses: fieldsUnder(blocks, 'toolUse'),
      results: fieldsUnder(blocks, 'toolResult'),
      at,
    }
  })
  return { request, messages }
}

export const BEDROCK_RULES: readonly RequestRule<BedrockReading>[] = [
  {
    id: 'F20',
    severity: 'reject',
    evidence: 'issue',
    statement: 'The user begins, and roles alternate.',
    check: checkRoles,
  },
  {
    id: 'F21',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A history with calls or results comes with the tool configuration.',
    check: ({ request, messages }) => {
      const used = messages.find(({ uses, results }) => uses.length + results.length > 0)
      if (!used || fieldsOf(request.toolConfig)) return []
      const message = 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
      return [{ at: used.at, message }]
    },
  },
  {
    id: 'F22',
    severity: 'reject',
    evidence: 'code',
    statement: 'The next message answers all calls and no more; ids are well formed and unique in a message.',
    check: ({ messages }) =>
      messages.flatMap((message, index) => checkPairs(message, messages[index + 1], messages[index - 1])),
  },
  {
    id: 'F23',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A failed result says something; no text is blank.',
    check: ({ messages }) => messages.flatMap(({ blocks }) => blocks.flatMap(checkEmpty)),
  },
]

function checkRoles({ messages }: BedrockReading): Found[] {
  const [first] = messages
  const found: Found[] = []
  if (first && first.role !== 'user') {
    const message =
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.'
    found.push({ at: first.at, message })
  }
  messages.forEach(({ role, at }, index) => {
    if (index === 0 || role !== messages[index - 1]?.role) return
    const message =
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
    found.push({ at, message })
  })
  return found
}

function checkPairs(
  message: ConverseMessage,
  next: ConverseMessage | undefined,
  before: ConverseMessage | undefined,
): Found[] {
  const { at, uses, results } = message
  const found: Found[] = []
  const ids = uses.map(({ toolUseId }) => idText(toolUseId))
  const answered = new Set((next?.results ?? []).map(({ toolUseId }) => idText(toolUseId)))
  const missing = ids.filter((id) => !answered.has(id))
  if (missing.length > 0) {
    const place = `messages.${Number(at.split('.')[1]) + 1}.content`
    const message = `Expected toolResult blocks at ${place} for the following Ids: ${missing.join(', ')}`
    found.push({ at, id: missing[0] ?? '', message })
  }
  if (results.length > (before?.uses.length ?? 0)) {
    const message = `The number of toolResult blocks at ${at}.content exceeds the number of toolUse blocks of previous turn.`
    found.push({ at, message })
  }
  const seen = new Set<string>()
  const repeated = ids.filter((id) => seen.has(id) || !seen.add(id))
  if (repeated.length > 0) {
    found.push({ at, message: `The toolUse blocks at ${at}.content contain duplicate Ids: ${repeated.join(', ')}` })
  }
  for (const id of [...ids, ...results.map(({ toolUseId }) => idText(toolUseId))].filter((id) => !CALL_ID.test(id))) {
    found.push({ at, id, message: `${at}.content: toolUseId '${id}' must match ${CALL_ID.source}` })
  }
  return found
}

function checkEmpty({ fields, at }: Placed): Found[] {
  const result = fieldsOf(fields.toolResult)
  if (result?.status === 'error' && Array.isArray(result.content) && result.content.length === 0) {
    const message = `The content field at ${at}.toolResult cannot be empty when status value is error.`
    return [{ at, message }]
  }
  const inside = placedIn(result?.content, `${at}.toolResult.content`)
  return [{ fields, at }, ...inside]
    .filter((block) => typeof block.fields.text === 'string' && block.fields.text.trim() === '')
    .map((block) => ({ at: block.at, message: `The text field in the ContentBlock object at ${block.at} is blank.` }))
}
