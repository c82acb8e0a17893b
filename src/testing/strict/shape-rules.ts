/** What each message must be by itself: A01, A04, A06, A07, A08, A14, A17, A19, A43. */
import { factsOf } from '../../core/models.ts'
import { blocksOf, type WireBlock, type WireError, type WireMessage, type WireRequest } from '../wire.ts'
import { refusal } from './refusal.ts'

const MOST_MESSAGES = 100_000
const TOOL_ID = /^[a-zA-Z0-9_-]+$/

export function checkShape(request: WireRequest): WireError | undefined {
  const { messages } = request
  if (messages.length === 0) return refusal('A01', 'messages: at least one message is required')
  if (messages.length > MOST_MESSAGES) return refusal('A01', `messages: at most ${MOST_MESSAGES} messages`)
  const facts = factsOf(request.model)
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system' && facts?.systemMessages === false) {
      return refusal(
        'A43',
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      )
    }
    const problem = checkEmpty(message, index, index === messages.length - 1) ?? checkBlocks(message, index)
    if (problem) return problem
  }
  const last = messages.findLast((message) => message.role !== 'system')
  if (last?.role === 'assistant' && facts?.prefill === false && !isPaused(last)) {
    return refusal(
      'A04',
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  return undefined
}

function checkEmpty(message: WireMessage, index: number, isLast: boolean): WireError | undefined {
  const empty = message.content.length === 0
  const onlyConfigures = message.role === 'system' && 'output_config' in message
  if (empty && !(isLast && message.role === 'assistant') && !onlyConfigures) {
    return refusal(
      'A06',
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  return undefined
}

function checkBlocks(message: WireMessage, index: number): WireError | undefined {
  for (const [position, block] of blocksOf(message.content).entries()) {
    const problem = checkText(block) ?? checkPlace(block, message.role, index) ?? checkCall(block, index, position)
    if (problem) return problem
  }
  return undefined
}

function checkText(block: WireBlock): WireError | undefined {
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    for (const part of block.content) {
      const problem = checkText(part)
      if (problem) return problem
    }
  }
  if (block.type !== 'text') return undefined
  if (block.text === '') return refusal('A07', 'messages: text content blocks must be non-empty')
  if (String(block.text).trim() === '') {
    return refusal('A08', 'messages: text content blocks must contain non-whitespace text')
  }
  return undefined
}

function checkPlace(block: WireBlock, role: string, index: number): WireError | undefined {
  const onlyIn =
    block.type === 'tool_result'
      ? 'user'
      : ['tool_use', 'server_tool_use', 'thinking', 'redacted_thinking'].includes(block.type)
        ? 'assistant'
        : role
  if (role === onlyIn) return undefined
  return refusal('A14', `messages.${index}: \`${block.type}\` blocks can only be in \`${onlyIn}\` messages`)
}

function checkCall(block: WireBlock, index: number, position: number): WireError | undefined {
  const at = `messages.${index}.content.${position}`
  const id = block.type === 'tool_use' ? block.id : block.type === 'tool_result' ? block.tool_use_id : undefined
  if (id !== undefined && !TOOL_ID.test(String(id))) {
    const field = block.type === 'tool_use' ? 'id' : 'tool_use_id'
    return refusal('A17', `${at}.${block.type}.${field}: String should match pattern '${TOOL_ID.source}'`)
  }
  const { input } = block
  if (block.type === 'tool_use' && (typeof input !== 'object' || input === null || Array.isArray(input))) {
    return refusal('A19', `${at}.tool_use.input: Input should be a valid dictionary`)
  }
  return undefined
}

/** A turn paused inside a server tool is sent again as it is; that is no prefill (A42). */
function isPaused(message: WireMessage): boolean {
  const type = blocksOf(message.content).at(-1)?.type ?? ''
  return type === 'server_tool_use' || (type.endsWith('_tool_result') && type !== 'tool_result')
}
