/** Compaction by the provider, and editing on its side: A47-A50, A52. */
import { textOf } from '../../fields.ts'
import type { Placed } from '../places.ts'
import type { Found, RequestContext, RequestRule } from '../rule.ts'
import { memoryFaults } from './memory/judge.ts'
import type { MessagesReading } from './reading.ts'

export const COMPACTION_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A47',
    severity: 'reject',
    evidence: 'doc',
    statement: 'A signed compaction block opens the conversation, alone, in place of what it covers.',
    check: checkPlace,
  },
  {
    id: 'A48',
    severity: 'reject',
    evidence: 'types',
    statement: 'A compaction block comes back verbatim, and never empty.',
    check: (reading, { memory }) => [
      ...compactionsOf(reading)
        .filter(({ fields }) => fields.content === '')
        .map(({ at }) => ({ at, message: `${at}: compaction_content_mismatch: \`content\` cannot be empty` })),
      ...memoryFaults(reading, memory, 'A48'),
    ],
  },
  {
    id: 'A49',
    severity: 'reject',
    evidence: 'types',
    statement: 'Compaction on demand: not with context_management, not in an unfinished turn, not of nothing.',
    check: checkParameter,
  },
  {
    id: 'A50',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Turns kept behind a compaction keep their thinking only if the cut fits and nothing else changed.',
    check: (reading, { memory }: RequestContext) => memoryFaults(reading, memory, 'A50'),
  },
  {
    id: 'A52',
    severity: 'warn',
    evidence: 'doc',
    statement: 'What the provider clears in its own copy stays as it was in the history.',
    check: (reading, { memory }: RequestContext) => memoryFaults(reading, memory, 'A52'),
  },
]

function compactionsOf({ messages }: MessagesReading): Placed[] {
  return messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'compaction'))
}

/** The blocks of the threshold variant have no signature and stay behind what they cover (A49). */
function checkPlace(reading: MessagesReading): Found[] {
  const signed = compactionsOf(reading).filter(
    ({ fields }) => typeof fields.signature === 'string' && typeof fields.content === 'string',
  )
  const opening = reading.messages[0]?.blocks[0]
  const isSystem = reading.messages[0]?.role === 'system'
  const found = signed
    .filter((block) => block !== opening || isSystem)
    .map(({ at }) => ({
      at,
      message: `${at}: \`compaction\` block must be sent first, in place of the messages it summarizes; remove those messages`,
    }))
  const [, second] = signed
  if (second)
    found.push({
      at: second.at,
      message: `${second.at}: compaction_block_ambiguous: only one \`compaction\` block is allowed`,
    })
  return found
}

function checkParameter({ request, turns, messages }: MessagesReading): Found[] {
  if (request.compaction === undefined || request.compaction === null) return []
  const at = 'compaction'
  const found: Found[] = []
  if (request.context_management !== undefined) {
    found.push({ at, message: 'compaction: cannot be combined with `context_management`' })
  }
  const last = turns.at(-1)
  const type = textOf(last?.blocks.at(-1)?.fields.type)
  if (last?.role === 'assistant' && (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use')) {
    found.push({ at, message: 'compaction_incomplete_turn: the conversation ends in an unfinished turn' })
  }
  const rest = messages.flatMap(({ blocks }) => blocks).filter((block) => block.type !== 'compaction')
  if (messages.length > 0 && rest.length === 0) {
    found.push({ at, message: 'compaction_nothing_to_summarize: there is nothing after the `compaction` block' })
  }
  return found
}
