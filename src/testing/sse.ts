/** Writes an answer as the Messages API streams it: server-sent events, one content block after the other. */
import type { ServerResponse } from 'node:http'
import type { WireBlock } from './wire.ts'

/** Characters of one delta: small enough that a long text arrives in several events, as it does for real. */
const DELTA_CHARS = 400

export interface StreamedMessage {
  readonly id: string
  readonly model: string
  readonly content: readonly WireBlock[]
  readonly stop_reason: string
  readonly usage: Readonly<Record<string, unknown>>
}

export function openStream(response: ServerResponse, requestId: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  })
}

/** Everything up to (and without) the end of the last block: what has arrived when a stream breaks off. */
export function writeStart(response: ServerResponse, message: StreamedMessage): void {
  const empty = {
    ...head(message),
    content: [],
    stop_reason: null,
    usage: { ...message.usage, output_tokens: 1 },
  }
  event(response, 'message_start', { message: empty })
  message.content.forEach((block, index) => {
    if (index > 0) event(response, 'content_block_stop', { index: index - 1 })
    event(response, 'content_block_start', { index, content_block: emptied(block) })
    for (const delta of deltasOf(block)) event(response, 'content_block_delta', { index, delta })
  })
}

export function writeEnd(response: ServerResponse, message: StreamedMessage): void {
  if (message.content.length > 0) event(response, 'content_block_stop', { index: message.content.length - 1 })
  const delta = { stop_reason: message.stop_reason, stop_sequence: null }
  event(response, 'message_delta', { delta, usage: message.usage })
  event(response, 'message_stop', {})
  response.end()
}

/** The same answer for a request without `stream`. */
export function wholeMessage(message: StreamedMessage): Record<string, unknown> {
  return { ...head(message), content: message.content, stop_reason: message.stop_reason, usage: message.usage }
}

function head(message: StreamedMessage): Record<string, unknown> {
  return { id: message.id, type: 'message', role: 'assistant', model: message.model, stop_sequence: null }
}

function event(response: ServerResponse, type: string, data: Record<string, unknown>): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
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

function pieces(text: string): string[] {
  const found: string[] = []
  for (let start = 0; start < text.length; start += DELTA_CHARS) found.push(text.slice(start, start + DELTA_CHARS))
  return found
}
