/** The loopback server: keeps every request, asks the script, answers as the Messages API does. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buildMessage, requestId } from './answers.ts'
import { type PromptCache, promptTokens } from './prompt-cache.ts'
import type { AnswerBlock, Failure, Reply, Script } from './script.ts'
import { openStream, type StreamedMessage, wholeMessage, writeEnd, writeStart } from './sse.ts'
import type { StrictRules } from './strict/index.ts'
import type { WireError, WireRequest, WireUsage } from './wire.ts'

/** One request as it came in, and how it was answered. */
export interface ReceivedRequest {
  /** 0 for the first request of this server. */
  readonly index: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, verbatim. */
  readonly text: string
  readonly body: WireRequest
  /** HTTP status of the answer; undefined while there is none, and for a dropped connection. */
  status?: number
  /** Why it was refused. */
  refusal?: WireError
  usage?: WireUsage
}

export interface ServerParts {
  readonly script: Script
  readonly rules: StrictRules | undefined
  readonly cache: PromptCache
  readonly clock: () => number
  readonly requests: ReceivedRequest[]
}

export function createLoopbackServer(parts: ServerParts): Server {
  return createServer((incoming, response) => {
    serve(parts, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      refuse(response, { status: 500, type: 'api_error', message: `scripted model: ${message}` }, requestId(0))
    })
  })
}

async function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(incoming)
  const path = incoming.url ?? '/'
  const route = `${incoming.method} ${path.split('?')[0]}`
  const id = requestId(parts.requests.length)
  if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens') {
    return refuse(response, { status: 404, type: 'not_found_error', message: `Not found: ${route}` }, id)
  }
  const body = parse(text)
  if (isError(body)) return refuse(response, body, id)
  const request: ReceivedRequest = { index: parts.requests.length, path, headers: incoming.headers, text, body }
  parts.requests.push(request)
  const refused = parts.rules?.check(body)
  if (refused) {
    request.refusal = refused
    request.status = refused.status
    return refuse(response, refused, id)
  }
  if (route.endsWith('count_tokens')) {
    request.status = 200
    return writeJson(response, 200, { input_tokens: promptTokens(body) }, id)
  }
  await reply(parts, request, response, id)
}

async function reply(
  parts: ServerParts,
  request: ReceivedRequest,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const scripted = await nextReply(parts, request)
  if ('errorType' in scripted) {
    request.status = scripted.status
    return refuse(response, asError(scripted), id)
  }
  if ('drop' in scripted && scripted.drop === 'before-answer') {
    response.destroy()
    return
  }
  request.usage = parts.cache.serve(request.body, parts.clock())
  const content: readonly AnswerBlock[] =
    'drop' in scripted ? [{ type: 'text', text: 'The connection bre' }] : scripted.content
  const stopReason = 'stopReason' in scripted ? scripted.stopReason : undefined
  const message = buildMessage(content, request.body, request.usage, request.index, stopReason)
  if ('drop' in scripted || 'stall' in scripted) return breakOff(response, message, 'drop' in scripted, id)
  request.status = 200
  parts.rules?.remember(request.body, message.content)
  if (request.body.stream !== true) return writeJson(response, 200, wholeMessage(message), id)
  openStream(response, id)
  writeStart(response, message)
  writeEnd(response, message)
}

async function nextReply(parts: ServerParts, request: ReceivedRequest): Promise<Reply> {
  const { script } = parts
  const answered = parts.requests.filter((other) => other.index < request.index && !other.refusal && !isCount(other))
  const scripted = typeof script === 'function' ? await script(request) : script[answered.length]
  if (scripted) return scripted
  return { status: 400, errorType: 'invalid_request_error', message: 'scripted model: the script has no reply left' }
}

function isCount(request: ReceivedRequest): boolean {
  return request.path.includes('/count_tokens')
}

/** A begun stream that breaks (drop) or waits until the client is gone (stall). */
function breakOff(response: ServerResponse, message: StreamedMessage, drop: boolean, id: string): void {
  openStream(response, id)
  writeStart(response, message)
  // Destroying at once could swallow what was just written; the break must come after the bytes.
  if (drop) response.write('', () => response.destroy())
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): WireRequest | WireError {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { status: 400, type: 'invalid_request_error', message: 'The request body is not valid JSON' }
  }
  return isRequest(body) ? body : { status: 400, type: 'invalid_request_error', message: 'messages: Field required' }
}

function isError(parsed: WireRequest | WireError): parsed is WireError {
  return !('messages' in parsed)
}

function isRequest(body: unknown): body is WireRequest {
  return typeof body === 'object' && body !== null && 'messages' in body && Array.isArray(body.messages)
}

function asError(failure: Failure): WireError {
  const { errorType: type, ...rest } = failure
  return { type, ...rest }
}

function refuse(response: ServerResponse, error: WireError, id: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds))
  writeJson(
    response,
    error.status,
    { type: 'error', error: { type: error.type, message: error.message }, request_id: id },
    id,
  )
}

function writeJson(response: ServerResponse, status: number, body: unknown, id: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id })
  response.end(JSON.stringify(body))
}
