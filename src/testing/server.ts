/** The loopback server: keeps every request, asks the script, answers as the API does. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Api, identifier, type Said } from './apis/api.ts'
import { COUNT_TOKENS, ROUTES } from './apis/index.ts'
import { MESSAGES_API } from './apis/messages.ts'
import { type PromptCache, promptTokens } from './prompt-cache.ts'
import type { Answer, AnswerBlock, Drop, Garbage, Reply, Script, Stall } from './script.ts'
import type { StrictRules } from './strict.ts'
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
  /** Tokens above which every prompt is refused; undefined: only the rules refuse, at the model's own. */
  readonly window: number | undefined
  readonly cache: PromptCache
  readonly clock: () => number
  readonly requests: ReceivedRequest[]
}

/** A request on its way through the server. */
interface Exchange {
  readonly parts: ServerParts
  readonly api: Api
  readonly request: ReceivedRequest
  /** The body as parsed, nothing added. */
  readonly raw: unknown
  readonly response: ServerResponse
  readonly id: string
}

export function createLoopbackServer(parts: ServerParts): Server {
  return createServer((incoming, response) => {
    serve(parts, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      const failure = { status: 500, type: 'api_error', message: `scripted model: ${message}` }
      refuse(response, MESSAGES_API, failure, requestId(0))
    })
  })
}

async function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(incoming)
  const path = incoming.url ?? '/'
  const route = `${incoming.method} ${path.split('?')[0]}`
  const id = requestId(parts.requests.length)
  const api = ROUTES[route]
  if (!api) {
    const unknown = { status: 404, type: 'not_found_error', message: `Not found: ${route}` }
    return refuse(response, MESSAGES_API, unknown, id)
  }
  const parsed = parse(text, api)
  if ('status' in parsed) return refuse(response, api, parsed, id)
  const { raw, body } = parsed
  const request: ReceivedRequest = { index: parts.requests.length, path, headers: incoming.headers, text, body }
  parts.requests.push(request)
  const tokens = promptTokens(api.promptOf(body))
  const refused = judge(parts, api, raw, request, tokens)
  if (refused) {
    request.refusal = refused
    request.status = refused.status
    return refuse(response, api, refused, id)
  }
  if (route === COUNT_TOKENS) {
    request.status = 200
    return writeJson(response, 200, { input_tokens: tokens }, id)
  }
  await reply({ parts, api, request, raw, response, id })
}

function judge(
  parts: ServerParts,
  api: Api,
  raw: unknown,
  { headers, text }: ReceivedRequest,
  tokens: number,
): WireError | undefined {
  const { window } = parts
  const refused = parts.rules?.check(raw, {
    format: api.format,
    betas: String(headers['anthropic-beta'] ?? '').split(/\s*,\s*/),
    bodyBytes: Buffer.byteLength(text),
    ...(window === undefined ? { inputTokens: tokens } : {}),
  })
  return refused ?? (window !== undefined && tokens > window ? api.overflow(tokens, window) : undefined)
}

async function reply(exchange: Exchange): Promise<void> {
  const { parts, api, request, raw, response, id } = exchange
  const scripted = await nextReply(parts, request)
  if ('errorType' in scripted || 'overflow' in scripted) {
    const error =
      'overflow' in scripted ? api.overflow(scripted.overflow.tokens, scripted.overflow.limit) : api.fail(scripted)
    request.status = error.status
    return refuse(response, api, error, id)
  }
  if ('drop' in scripted && scripted.drop === 'before-answer') {
    response.destroy()
    return
  }
  const usage = parts.cache.serve(api.promptOf(request.body), parts.clock())
  const said = api.say({
    request: request.body,
    content: contentOf(scripted),
    usage,
    stopReason: 'stopReason' in scripted ? scripted.stopReason : undefined,
    identify: (name) => identifier(`${request.index}/${lengthOf(request.body)}/${name}`),
    at: Math.floor(parts.clock() / 1000),
  })
  request.usage = { ...usage, output_tokens: said.outputTokens }
  if ('garbage' in scripted) return writeGarbage(exchange, scripted, said)
  if ('drop' in scripted || 'stall' in scripted) return breakOff(exchange, said, 'drop' in scripted)
  request.status = 200
  if (api === MESSAGES_API) parts.rules?.remember(raw, said.blocks)
  await write(exchange, said, scripted.gapMs)
}

function contentOf(scripted: Answer | Drop | Stall | Garbage): readonly AnswerBlock[] {
  if ('drop' in scripted) return [{ type: 'text', text: 'The connection bre' }]
  return scripted.content ?? []
}

/** The next of a list counts what was asked of the script before: neither refusals nor token counts. */
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

/** Ids derive from it, so that a session continued on another server gets no id twice. */
function lengthOf({ messages, input }: WireRequest): number {
  return messages.length + (Array.isArray(input) ? input.length : 0)
}

async function write({ request, response, id }: Exchange, said: Said, gapMs = 0): Promise<void> {
  if (request.body.stream !== true) {
    await pause(gapMs)
    return writeJson(response, 200, said.whole, id)
  }
  openStream(response, id)
  for (const event of [...said.begin, ...said.end]) {
    await pause(gapMs)
    if (response.destroyed) return
    response.write(event)
  }
  response.end()
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds)
}

/** A begun stream that breaks (drop) or waits until the client is gone (stall). */
function breakOff({ response, id }: Exchange, said: Said, drop: boolean): void {
  openStream(response, id)
  for (const event of said.begin) response.write(event)
  // Destroying at once could swallow what was just written; the break must come after the bytes.
  if (drop) response.write('', () => response.destroy())
}

function writeGarbage({ request, response, id }: Exchange, { garbage, content }: Garbage, said: Said): void {
  request.status = 200
  if (request.body.stream === true) openStream(response, id)
  else response.writeHead(200, { 'content-type': 'application/json', 'request-id': id })
  if (request.body.stream === true && content) for (const event of said.begin) response.write(event)
  response.end(garbage)
}

function openStream(response: ServerResponse, id: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': id,
  })
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string, api: Api): { readonly raw: unknown; readonly body: WireRequest } | WireError {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return { status: 400, type: 'invalid_request_error', message: 'The request body is not valid JSON' }
  }
  const message = isRecord(raw) ? api.malformed(raw) : 'The request body is not a JSON object'
  if (message === undefined && isRecord(raw)) {
    return { raw, body: { messages: [], ...raw, model: String(raw.model ?? '') } }
  }
  return { status: 400, type: 'invalid_request_error', message: message ?? '' }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function requestId(serial: number): string {
  return `req_${identifier(`request${serial}`)}`
}

function refuse(response: ServerResponse, api: Api, error: WireError, id: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds))
  writeJson(response, error.status, api.errorBody(error, id), id)
}

function writeJson(response: ServerResponse, status: number, body: unknown, id: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id })
  response.end(JSON.stringify(body))
}
