/** What a request and each of its messages must be by themselves: A01-A03, A06-A08. */
import { fieldsOf } from '../../fields.ts'
import { contentOf, type Placed } from '../places.ts'
import { type Found, nothing, type RequestRule } from '../rule.ts'
import { BLOCK_KEYS, KEYS_WITH_OWN_RULE, MESSAGE_KEYS, REQUEST_KEYS, SYSTEM_MESSAGE_KEYS } from './known-keys.ts'
import { allBlocks, type MessagesReading, type WireMessage } from './reading.ts'

const MOST_MESSAGES = 100_000
const ROLES = ['user', 'assistant', 'system']

export const SHAPE_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A01',
    severity: 'reject',
    evidence: 'code',
    statement: 'One to 100,000 messages, each with a role and content; no key that the API does not know.',
    check: ({ request, messages }) => [...requestShape(request), ...messages.flatMap(messageShape)],
  },
  {
    id: 'A02',
    severity: 'accept',
    evidence: 'types',
    statement: 'Neighbouring messages of one role are one turn, not an error.',
    check: nothing,
  },
  {
    id: 'A03',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'The first message comes from the user, unless it begins with a compaction block.',
    check: ({ messages: [first] }) =>
      first?.role === 'assistant' && first.blocks[0]?.type !== 'compaction'
        ? [{ at: 'messages.0', message: 'messages: first message must use the "user" role' }]
        : [],
  },
  {
    id: 'A06',
    severity: 'reject',
    evidence: 'issue',
    statement:
      'Every message says something, except a final assistant message and a system message that only configures.',
    check: ({ messages }) => messages.filter((message) => isEmpty(message, messages)).map(emptyMessage),
  },
  {
    id: 'A07',
    severity: 'reject',
    evidence: 'issue',
    statement: 'No empty text block, in tool results and system neither.',
    check: (reading) =>
      textsOf(reading)
        .filter(({ fields }) => fields.text === '')
        .map(({ at }) => ({ at, message: 'messages: text content blocks must be non-empty' })),
  },
  {
    id: 'A08',
    severity: 'reject',
    evidence: 'issue',
    statement: 'No text block of white space alone.',
    check: (reading) =>
      textsOf(reading)
        .filter(({ fields: { text } }) => typeof text === 'string' && text !== '' && text.trim() === '')
        .map(({ at }) => ({ at, message: 'messages: text content blocks must contain non-whitespace text' })),
  },
]

function requestShape(request: MessagesReading['request']): Found[] {
  const { messages } = request
  const found: Found[] = extraKeys(request, REQUEST_KEYS, '')
  if (messages === undefined) found.push({ at: 'messages', message: 'messages: Field required' })
  else if (!Array.isArray(messages)) found.push({ at: 'messages', message: 'messages: Input should be a valid list' })
  else if (messages.length === 0) found.push({ at: 'messages', message: 'messages: at least one message is required' })
  else if (messages.length > MOST_MESSAGES)
    found.push({ at: 'messages', message: `messages: at most ${MOST_MESSAGES} messages are allowed` })
  else {
    messages.forEach((item: unknown, index) => {
      const at = `messages.${index}`
      if (!fieldsOf(item)) found.push({ at, message: `${at}: Input should be a valid dictionary` })
    })
  }
  return found
}

function messageShape({ fields, role, index, blocks }: WireMessage): Found[] {
  const at = `messages.${index}`
  const found = extraKeys(fields, role === 'system' ? SYSTEM_MESSAGE_KEYS : MESSAGE_KEYS, at)
  if (!ROLES.includes(role)) {
    found.push({
      at,
      message: `${at}.role: ${fields.role === undefined ? 'Field required' : "Input should be 'user' or 'assistant'"}`,
    })
  }
  const { content } = fields
  if (content === undefined && role !== 'system') found.push({ at, message: `${at}.content: Field required` })
  else if (content !== undefined && typeof content !== 'string' && !Array.isArray(content))
    found.push({ at, message: `${at}.content: Input should be a valid list` })
  if (Array.isArray(content)) {
    content.forEach((item: unknown, position) => {
      const place = `${at}.content.${position}`
      const type = fieldsOf(item)?.type
      if (!fieldsOf(item)) found.push({ at: place, message: `${place}: Input should be a valid dictionary` })
      else if (typeof type !== 'string') found.push({ at: place, message: `${place}.type: Field required` })
    })
  }
  for (const block of blocks) {
    const known = BLOCK_KEYS.get(block.type)
    for (const extra of known ? extraKeys(block.fields, known, `${block.at}.${block.type}`) : []) found.push(extra)
  }
  return found
}

function extraKeys(fields: Placed['fields'], known: ReadonlySet<string>, path: string): Found[] {
  const extra = Object.keys(fields).filter((key) => !known.has(key) && !KEYS_WITH_OWN_RULE.has(key))
  return extra.map((key) => {
    const at = path === '' ? key : `${path}.${key}`
    return { at, message: `${at}: Extra inputs are not permitted` }
  })
}

function isEmpty(message: WireMessage, messages: readonly WireMessage[]): boolean {
  const { content } = message.fields
  const empty = content === '' || (Array.isArray(content) && content.length === 0)
  if (message.role === 'system') return (empty || content === undefined) && !fieldsOf(message.fields.output_config)
  return empty && !(message.role === 'assistant' && message === messages.at(-1))
}

function emptyMessage({ index }: WireMessage): Found {
  const at = `messages.${index}`
  const message = `${at}: all messages must have non-empty content except for the optional final assistant message`
  return { at, message }
}

function textsOf(reading: MessagesReading): Placed[] {
  const results = reading.messages.flatMap((message) => message.blocks).filter(({ type }) => type === 'mcp_tool_result')
  const inside = results.flatMap(({ fields, at }) => contentOf(fields.content, `${at}.content`))
  return [...reading.system, ...allBlocks(reading), ...inside].filter(({ type }) => type === 'text')
}
