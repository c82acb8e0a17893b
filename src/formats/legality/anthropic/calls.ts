/** Single call and result blocks, and the tools they name: A14, A17-A21, A55, A65. */
import { WIRES } from '../../../core/models.ts'
import { fieldsOf } from '../../fields.ts'
import { arrayOf, contentOf, idText, type Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { isServerResult, type MessagesReading } from './reading.ts'

const CALL_ID = WIRES['anthropic-messages'].callId
const SERVER_CALL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/
const RESULT_PARTS = ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state']
const ONLY_ASSISTANT = new Set([
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_result',
  'thinking',
  'redacted_thinking',
])

export const CALL_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A14',
    severity: 'reject',
    evidence: 'code',
    statement: 'Results stand in user messages; calls, thinking and results of server tools in assistant messages.',
    check: ({ messages }) =>
      messages.flatMap(({ role, index, blocks }) =>
        blocks.flatMap((block) => {
          const only = onlyIn(block)
          if (only === undefined || only === role) return []
          const message = `messages.${index}: \`${block.type}\` blocks can only be in \`${only}\` messages`
          return [{ at: block.at, message }]
        }),
      ),
  },
  {
    id: 'A17',
    severity: 'reject',
    evidence: 'code',
    statement: 'Call ids consist of letters, digits, _ and -.',
    check: (reading) => [
      ...badIds(reading, 'tool_use', 'id', CALL_ID),
      ...badIds(reading, 'tool_result', 'tool_use_id', CALL_ID),
    ],
  },
  {
    id: 'A18',
    severity: 'reject',
    evidence: 'code',
    statement: 'Ids of server tool calls begin with srvtoolu_.',
    check: (reading) => badIds(reading, 'server_tool_use', 'id', SERVER_CALL_ID),
  },
  {
    id: 'A19',
    severity: 'reject',
    evidence: 'code',
    statement: 'The input of a call is a JSON object.',
    check: (reading) =>
      blocksOf(reading, 'tool_use')
        .filter(({ fields }) => !fieldsOf(fields.input))
        .map(({ at }) => ({ at, message: `${at}.tool_use.input: Input should be a valid dictionary` })),
  },
  {
    id: 'A20',
    severity: 'reject',
    evidence: 'code',
    statement: 'Tool names are well formed and unique; an input schema is of type object.',
    check: checkTools,
  },
  {
    id: 'A21',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'A history with calls carries the tools.',
    check: (reading) => {
      const used = [...blocksOf(reading, 'tool_use'), ...blocksOf(reading, 'tool_result')][0]
      if (used === undefined || arrayOf(reading.request.tools).length > 0) return []
      return [{ at: used.at, message: 'Requests which include `tool_use` or `tool_result` blocks must define tools' }]
    },
  },
  {
    id: 'A55',
    severity: 'reject',
    evidence: 'code',
    statement: 'A failed result holds text only; a result holds text, images, documents and a few other kinds.',
    check: (reading) => blocksOf(reading, 'tool_result').flatMap(checkResultParts),
  },
  {
    id: 'A65',
    severity: 'warn',
    evidence: 'types',
    statement: 'A result names the toolset that its call names (the field is optional in the types: not confirmed).',
    check: checkToolsets,
  },
]

function blocksOf({ messages }: MessagesReading, type: string): Placed[] {
  return messages.flatMap((message) => message.blocks.filter((block) => block.type === type))
}

function onlyIn(block: Placed): 'user' | 'assistant' | undefined {
  if (block.type === 'tool_result') return 'user'
  return ONLY_ASSISTANT.has(block.type) || isServerResult(block) ? 'assistant' : undefined
}

function badIds(reading: MessagesReading, type: string, field: string, pattern: RegExp): Found[] {
  return blocksOf(reading, type).flatMap(({ fields, at }) => {
    const id = fields[field]
    if (typeof id === 'string' && pattern.test(id)) return []
    const message = `${at}.${type}.${field}: String should match pattern '${pattern.source}'`
    return [{ at, id: idText(id), message }]
  })
}

/** Tools of the provider have a `type` of their own and no schema; only the client's are `custom`. */
function checkTools({ tools }: MessagesReading): Found[] {
  const found: Found[] = []
  const names = new Set<unknown>()
  for (const { fields, type, at } of tools) {
    const { name } = fields
    if (typeof name === 'string' && names.has(name))
      found.push({ at, id: name, message: 'tools: Tool names must be unique.' })
    names.add(name)
    if (type !== '' && type !== 'custom') continue
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
      found.push({
        at,
        id: idText(name),
        message: `${at}.custom.name: String should match pattern '${TOOL_NAME.source}'`,
      })
    }
    const schema = fieldsOf(fields.input_schema)
    if (schema?.type !== 'object') {
      const missing =
        schema === undefined ? 'input_schema: Field required' : "input_schema.type: Input should be 'object'"
      found.push({ at, message: `${at}.custom.${missing}` })
    }
  }
  return found
}

function checkResultParts({ fields, at }: Placed): Found[] {
  const parts = contentOf(fields.content, `${at}.content`)
  if (fields.is_error === true && parts.some(({ type }) => type !== 'text')) {
    return [{ at, message: `${at}.tool_result: all content must be type \`text\` if \`is_error\` is true` }]
  }
  return parts
    .filter(({ type }) => !RESULT_PARTS.includes(type))
    .map((part) => ({
      at: part.at,
      message: `${part.at}: Input tag '${part.type}' does not match any of the expected tags: ${RESULT_PARTS.join(', ')}`,
    }))
}

function checkToolsets(reading: MessagesReading): Found[] {
  const named = new Map(blocksOf(reading, 'tool_use').map(({ fields }) => [fields.id, fields.toolset_name]))
  return blocksOf(reading, 'tool_result').flatMap(({ fields, at }) => {
    if (!named.has(fields.tool_use_id) || named.get(fields.tool_use_id) === fields.toolset_name) return []
    const message = `${at}.tool_result.toolset_name: does not match the toolset of its \`tool_use\` block`
    return [{ at, id: idText(fields.tool_use_id), message }]
  })
}
