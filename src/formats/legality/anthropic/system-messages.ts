/** System messages inside the conversation: A43-A46. */
import { fieldsOf, textOf } from '../../fields.ts'
import { contentOf, idText, type Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { isPaused, type MessagesReading, type WireMessage } from './reading.ts'

const PARTS = ['text', 'tool_addition', 'tool_removal']
const UNTIL_NEXT_USER = 'next_user_message'

export const SYSTEM_MESSAGE_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A43',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Only newer models take system messages inside the conversation.',
    check: ({ facts, messages }) => {
      const first = messages.find(({ role }) => role === 'system')
      if (!first || facts?.systemMessages !== false) return []
      const message =
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      return [{ at: `messages.${first.index}`, message }]
    },
  },
  {
    id: 'A44',
    severity: 'reject',
    evidence: 'doc',
    statement: 'A system message stands behind a user turn or a server tool result, and before an answer or the end.',
    check: checkPlacement,
  },
  {
    id: 'A45',
    severity: 'reject',
    evidence: 'doc',
    statement: 'A system message holds text and tool changes only; one that is cleared holds nothing but text.',
    check: ({ messages }) =>
      messages.flatMap((message, position) =>
        message.role === 'system' ? checkContent(message, messages[position - 1]) : [],
      ),
  },
  {
    id: 'A46',
    severity: 'reject',
    evidence: 'types',
    statement: 'Tool changes and tool references name tools that are defined before them.',
    check: checkReferences,
  },
]

/** Neighbouring system messages are judged as one group; those that only configure may stand anywhere. */
function checkPlacement({ messages }: MessagesReading): Found[] {
  const found: Found[] = []
  let before: WireMessage | undefined
  let group: WireMessage | undefined
  const report = (message: WireMessage, problem: string): void => {
    const at = `messages.${message.index}`
    found.push({ at, message: `${at}: a system message ${problem}` })
  }
  for (const message of messages) {
    if (message.role !== 'system') {
      if (group && message.role === 'user')
        report(group, 'must be followed by an assistant message or end the conversation')
      group = undefined
      before = message
      continue
    }
    if (message.blocks.length === 0 || group) continue
    group = message
    if (!before) report(message, 'cannot come first')
    else if (before.role === 'assistant' && !isPaused(before)) {
      report(message, 'must follow a user turn or a server tool result')
    }
  }
  return found
}

function checkContent({ fields, blocks, index }: WireMessage, before: WireMessage | undefined): Found[] {
  const at = `messages.${index}`
  const cleared = fields.clear_at === UNTIL_NEXT_USER
  const allowed = cleared ? ['text'] : PARTS
  const found: Found[] = []
  for (const block of blocks) {
    const inside = `${block.at}: \`${block.type}\``
    if (!allowed.includes(block.type))
      found.push({ at: block.at, message: `${inside} is not allowed in a system message` })
    else if (Array.isArray(block.fields.citations)) {
      found.push({ at: block.at, message: `${inside} cannot have citations in a system message` })
    }
  }
  if (cleared && fieldsOf(fields.output_config)) {
    found.push({ at, message: `${at}.output_config: not allowed together with \`clear_at\`` })
  }
  const changes = blocks.find(({ type }) => type === 'tool_addition' || type === 'tool_removal')
  if (changes && before?.role === 'assistant' && isPaused(before)) {
    found.push({ at: changes.at, message: `${changes.at}: tools cannot change directly after a paused turn` })
  }
  return found
}

/** Tools of an MCP server cannot be seen in a request: with one, unknown names are left alone. */
function checkReferences(reading: MessagesReading): Found[] {
  const { request, tools, messages } = reading
  const known = new Set(tools.map(({ fields }) => fields.name))
  const open =
    request.mcp_servers !== undefined || tools.some(({ type }) => type === 'mcp_toolset' || type.includes('_toolset_'))
  const found: Found[] = []
  const resolve = (name: unknown, at: string): void => {
    if (open || known.has(name)) return
    const id = idText(name)
    found.push({ at, id, message: `${at}: Tool reference '${id}' not found in available tools` })
  }
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const tool = fieldsOf(block.fields.tool)
      if (block.type === 'tool_addition' && tool?.type === 'tool_definition')
        define(tool.definition, block, known, found)
      else if (block.type === 'tool_addition' || block.type === 'tool_removal') {
        if (textOf(tool?.type) === 'tool_reference') resolve(tool?.name, block.at)
      } else if (block.type === 'tool_result') {
        for (const part of contentOf(block.fields.content, `${block.at}.content`)) {
          if (part.type === 'tool_reference') resolve(part.fields.tool_name, part.at)
        }
      }
    }
  }
  return found
}

function define(definition: unknown, { at }: Placed, known: Set<unknown>, found: Found[]): void {
  const name = fieldsOf(definition)?.name
  if (known.has(name)) found.push({ at, id: idText(name), message: `${at}: tool_name_conflict: ${idText(name)}` })
  known.add(name)
}
