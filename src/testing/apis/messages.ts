/** Anthropic's Messages API. */

import type { Lifetime, Prompt, PromptPart } from '../prompt-cache.ts'
import { tokensIn } from '../tokens.ts'
import { blocksOf, type WireBlock, type WireRequest } from '../wire.ts'
import { type Api, namedEvent, pieces, type Said, type Saying } from './api.ts'

export const MESSAGES_API: Api = {
  format: 'anthropic-messages',
  malformed: (body) => malformedMessages(body, 'messages: Field required'),
  promptOf,
  say,
  fail: ({ errorType: type, ...rest }) => ({ type, ...rest }),
  overflow: (tokens, limit) => ({
    status: 400,
    type: 'invalid_request_error',
    message: `prompt is too long: ${tokens} tokens > ${limit} maximum`,
    rule: 'A62',
  }),
  errorBody: ({ type, message }, requestId) => ({ type: 'error', error: { type, message }, request_id: requestId }),
}

/** Both APIs with `messages` want an array of objects. */
export function malformedMessages({ messages }: Readonly<Record<string, unknown>>, absent: string): string | undefined {
  if (!Array.isArray(messages)) return absent
  const wrong = messages.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item))
  return wrong < 0 ? undefined : `messages.${wrong}: Input should be a valid dictionary`
}

/** The prompt in the order the cache sees it: tools, system, messages; one part a block. */
function promptOf(request: WireRequest): Prompt {
  const parts: PromptPart[] = []
  const add = (kind: string, { cache_control: control, ...block }: Readonly<Record<string, unknown>>): void => {
    const breakpoint = lifetimeOf(control)
    parts.push({ kind, json: JSON.stringify(block), tokens: tokensIn(block), ...(breakpoint && { breakpoint }) })
  }
  for (const tool of blocksOf(request.tools)) add('tool', tool)
  for (const block of blocksOf(request.system)) add('system', block)
  for (const message of request.messages) for (const block of blocksOf(message.content)) add(message.role, block)
  // Automatic caching: a mark on the request itself stands for one on its last block.
  const automatic = lifetimeOf(request.cache_control)
  const last = parts.pop()
  if (last) parts.push(automatic && !last.breakpoint ? { ...last, breakpoint: automatic } : last)
  return { model: request.model, parts }
}

function lifetimeOf(control: unknown): Lifetime | undefined {
  if (typeof control !== 'object' || control === null) return undefined
  return 'ttl' in control && control.ttl === '1h' ? '1h' : '5m'
}

function say({ request, content, usage, stopReason, identify }: Saying): Said {
  const blocks = content.map((block, index): WireBlock => {
    if (block.type === 'thinking') {
      return { ...block, signature: `sig-${identify(`thinking${index}`)}${identify(`more${index}`)}` }
    }
    return block.type === 'tool_use' ? { ...block, id: block.id ?? `toolu_${identify(`call${index}`)}` } : { ...block }
  })
  const calls = blocks.some((block) => block.type === 'tool_use')
  const stop = stopReason ?? (calls ? 'tool_use' : 'end_turn')
  const outputTokens = blocks.reduce((sum, block) => sum + tokensIn(block), 0)
  const spent = { ...usage, output_tokens: outputTokens, service_tier: 'standard' }
  const head = {
    id: `msg_${identify('message')}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
  }
  const started = { ...head, content: [], stop_reason: null, usage: { ...spent, output_tokens: 1 } }
  const last = blocks.length > 0 ? [namedEvent('content_block_stop', { index: blocks.length - 1 })] : []
  return {
    whole: { ...head, content: blocks, stop_reason: stop, usage: spent },
    begin: [namedEvent('message_start', { message: started }), ...blocks.flatMap(eventsOf)],
    end: [
      ...last,
      namedEvent('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: spent }),
      namedEvent('message_stop', {}),
    ],
    blocks,
    outputTokens,
  }
}

/** The events of one block, which first ends the block before it. */
function eventsOf(block: WireBlock, index: number): string[] {
  return [
    ...(index > 0 ? [namedEvent('content_block_stop', { index: index - 1 })] : []),
    namedEvent('content_block_start', { index, content_block: emptied(block) }),
    ...deltasOf(block).map((delta) => namedEvent('content_block_delta', { index, delta })),
  ]
}

function emptied(block: WireBlock): WireBlock {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block
}

function deltasOf(block: WireBlock): Record<string, unknown>[] {
  if (block.type === 'text') return pieces(String(block.text)).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'tool_use') {
    return pieces(JSON.stringify(block.input)).map((json) => ({ type: 'input_json_delta', partial_json: json }))
  }
  if (block.type !== 'thinking') return []
  const thoughts = pieces(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking }))
  return [...thoughts, { type: 'signature_delta', signature: block.signature }]
}
