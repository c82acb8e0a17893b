/** Thinking that is sent back: A28-A36, A41. Most of it needs the memory of what was answered (memory/judge). */
import { textOf } from '../../fields.ts'
import { idText, type Placed } from '../places.ts'
import { type Found, nothing, type RequestContext, type RequestRule } from '../rule.ts'
import { digestOf } from './memory/digest.ts'
import { type MemoryRule, memoryFaults } from './memory/judge.ts'
import { isThinking, type MessagesReading, type Turn } from './reading.ts'

const remembered =
  (rule: MemoryRule) =>
  (reading: MessagesReading, { memory }: RequestContext): readonly Found[] =>
    memoryFaults(reading, memory, rule)

export const THINKING_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A28',
    severity: 'reject',
    evidence: 'types',
    statement: 'Opaque fields (redacted thinking, encrypted contents) come back verbatim.',
    check: (reading, context) => [
      ...emptySignatures(reading, 'redacted_thinking', 'data'),
      ...remembered('A28')(reading, context),
    ],
  },
  {
    id: 'A29',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Thinking carries its original signature.',
    check: (reading, context) => [
      ...emptySignatures(reading, 'thinking', 'signature'),
      ...remembered('A29')(reading, context),
    ],
  },
  {
    id: 'A30',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Thinking of the latest answer is not edited, reordered or partly left out.',
    check: remembered('A30'),
  },
  {
    id: 'A31',
    severity: 'reject',
    evidence: 'issue',
    statement: 'With manual thinking, the answer that a running tool loop continues begins with thinking.',
    check: checkOpenLoop,
  },
  {
    id: 'A32',
    severity: 'reject',
    evidence: 'issue',
    statement: 'An assistant message with thinking begins with it.',
    check: ({ messages }) =>
      messages.filter(({ role }) => role === 'assistant').flatMap(({ blocks }) => checkFirst(blocks)),
  },
  {
    id: 'A33',
    severity: 'reject',
    evidence: 'doc',
    statement: 'On prefix-bound models thinking is valid only behind the system, tools and messages it was made with.',
    check: remembered('A33'),
  },
  {
    id: 'A34',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Kept thinking is an unbroken run of the original: no gap, no new order, nothing put back.',
    check: remembered('A34'),
  },
  {
    id: 'A35',
    severity: 'accept',
    evidence: 'doc',
    statement:
      'Cache marks, effort, limits, tool choice, display, picture addresses and unused deferred tools may change.',
    check: nothing,
  },
  {
    id: 'A36',
    severity: 'warn',
    evidence: 'doc',
    statement: 'For another model thinking is sent unchanged: it drops what it cannot read.',
    check: remembered('A36'),
  },
  {
    id: 'A41',
    severity: 'reject',
    evidence: 'types',
    statement: 'A fallback block stays between the thinking of the two models.',
    check: remembered('A41'),
  },
]

function emptySignatures({ messages }: MessagesReading, type: string, field: string): Found[] {
  return messages.flatMap(({ blocks }) =>
    blocks
      .filter((block) => block.type === type && !textOf(block.fields[field]))
      .map(({ at }) => ({ at, message: `${at}: Invalid \`${field}\` in \`${type}\` block` })),
  )
}

/** A compaction block may open the first message, and a fallback marks a place only. */
function checkFirst(blocks: readonly Placed[]): Found[] {
  const spoken = blocks.filter(({ type }) => type !== 'compaction' && type !== 'fallback')
  const [first] = spoken
  if (!first || isThinking(first) || !spoken.some(isThinking)) return []
  const message = `${first.at}: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${first.type}\`.`
  return [{ at: first.at, message }]
}

/**
 * Only a turn that was answered without thinking may be without it: memory knows; without memory it is believed when
 * the loop itself began with thinking (without interleaving a model thinks once).
 */
function checkOpenLoop(reading: MessagesReading, { memory }: RequestContext): Found[] {
  const { turns, thinking } = reading
  const running = turns.at(-1)
  const answer = turns.at(-2)
  if (thinking.type !== 'enabled' || running?.role !== 'user' || !answer) return []
  if (!running.blocks.some(({ type }) => type === 'tool_result')) return []
  const [first] = answer.blocks
  if (!first || isThinking(first)) return []
  const calls = answer.blocks.filter(({ type }) => type === 'tool_use')
  const wasBare = memory
    ? calls.some(({ fields }) => memory.bareCalls[digestOf(idText(fields.id))])
    : beganWithThinking(turns, answer)
  if (wasBare) return []
  const message = `${first.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
  return [{ at: first.at, message }]
}

function beganWithThinking(turns: readonly Turn[], answer: Turn): boolean {
  const loop = turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'),
  )
  const opening = turns[loop + 1]
  return opening !== undefined && opening !== answer && opening.blocks[0] !== undefined && isThinking(opening.blocks[0])
}
