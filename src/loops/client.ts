/**
 * The official clients of Anthropic and OpenAI with `fit` before each call (seed C): the client's own class comes back,
 * so streams, helpers, abort signals and typed tools are the client's own.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { SpillwayError } from '../core/errors.ts'
import { type Fields, fieldsOf, textOf } from '../formats/fields.ts'
import { overflowOf } from '../planning/budget/index.ts'
import { withCacheMarks } from './cache-marks.ts'
import { type Conversation, conversations, type LoopOptions } from './conversations.ts'
import { countedResponse } from './counted-response.ts'
import type { Shape } from './fit-options.ts'
import type { FitReport } from './fit-report.ts'

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What Anthropic's and OpenAI's clients have in common. */
export interface ApiClient {
  withOptions(options: { fetch: Fetch }): ApiClient
  post(path: string, options?: unknown): unknown
}

interface Endpoint {
  readonly shape: Shape
  /** Where the request has its conversation, and its system prompt. */
  readonly key: 'messages' | 'input'
  readonly system?: 'system' | 'instructions'
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/v1/messages': { shape: 'messages', key: 'messages', system: 'system' },
  '/chat/completions': { shape: 'chat', key: 'messages' },
  '/responses': { shape: 'responses', key: 'input', system: 'instructions' },
}

/** A call under way: `fetch` knows it by the asynchronous context it runs in. */
interface Pending {
  readonly path: string
  readonly endpoint: Endpoint
  conversation?: Conversation
  /** The body as the caller gave it. */
  body?: Fields
  /** The body that is sent. */
  request?: Fields
  /** The beta under which the request says `drop_block`. */
  beta?: string | undefined
  /** The body was refused as too long, and has been compacted once more. */
  isAgain?: boolean
}

/**
 * The client with `fit` before `messages.create`, `messages.stream`, `chat.completions.create`, `responses.create` and
 * every helper built on them. A request that the provider refuses as too long is compacted and sent once more. Several
 * conversations at once are told apart. Requests whose history the provider keeps pass as they are.
 *
 * The calls throw SpillwayError `floor-too-large` or `cannot-fit` before anything is sent.
 */
export function fitClient<Client extends ApiClient>(client: Client, options: LoopOptions = {}): Client {
  const conversationOf = conversations(options)
  const calls = new AsyncLocalStorage<Pending>()
  const innerFetch = fetchOf(client)
  const fitting = client.withOptions({ fetch: (url, init) => sent(calls.getStore(), innerFetch, url, init) }) as Client
  const post = fitting.post.bind(fitting)
  fitting.post = (path, given) => {
    const [address = ''] = path.split('?')
    const endpoint = ENDPOINTS[address]
    if (!endpoint) return post(path, given)
    const pending: Pending = { path: address, endpoint }
    return calls.run(pending, () => post(path, preparedOptions(given, pending, conversationOf)))
  }
  return fitting
}

function fetchOf(client: ApiClient): Fetch {
  const own = (client as { fetch?: unknown }).fetch
  return typeof own === 'function' ? (own as Fetch) : fetch
}

async function preparedOptions(
  given: unknown,
  pending: Pending,
  conversationOf: (messages: readonly unknown[]) => Conversation,
): Promise<unknown> {
  const options = fieldsOf(await given)
  const body = fieldsOf(options?.body)
  if (!options || !body || isKeptByProvider(body)) return options
  const { key } = pending.endpoint
  const messages = body[key]
  if (!Array.isArray(messages)) return options
  pending.body = body
  pending.conversation = conversationOf(messages)
  await fitBody(pending, body, pending.conversation)
  return { ...options, body: pending.request }
}

/** The history is on the provider's side (Responses; Anthropic's threads): what is here is its end only. */
function isKeptByProvider({ previous_response_id: previous, conversation, thread }: Fields): boolean {
  return previous != null || conversation != null || fieldsOf(thread)?.previous_message_id != null
}

/** Makes the request that is sent of the caller's body. */
async function fitBody(
  pending: Pending,
  body: Fields,
  conversation: Conversation,
  error?: unknown,
): Promise<FitReport> {
  const { key, system, shape } = pending.endpoint
  const model = textOf(body.model)
  const { messages, tools, report } = await conversation.fitted(
    {
      messages: body[key] as readonly unknown[],
      shape,
      ...(model === undefined ? {} : { model }),
      ...(body.tools === undefined ? {} : { tools: body.tools }),
      ...(system === undefined || body[system] === undefined ? {} : { system: body[system] }),
    },
    error,
  )
  const request = { ...body, [key]: messages, ...(body.tools === undefined ? {} : { tools }) }
  pending.request = shape === 'messages' ? withCacheMarks(request, report.breakpoints) : request
  pending.beta = saysThinking(body) ? report.dropBlock?.beta : undefined
  return report
}

/** Without a word about thinking, none is asked for that would have to be dropped. */
function saysThinking({ thinking }: Fields): boolean {
  const type = fieldsOf(thinking)?.type
  return type !== undefined && type !== 'disabled'
}

async function sent(
  pending: Pending | undefined,
  inner: Fetch,
  url: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const { conversation, body } = pending ?? {}
  if (!pending || !conversation || !body || !isTo(url, pending.path)) return inner(url, init)
  const counted = (response: Response): Promise<Response> =>
    countedResponse(response, (usage) => conversation.counted(usage))
  const response = await inner(url, wireOf(pending, init))
  if (response.ok) return counted(response)
  const overflow = pending.isAgain ? undefined : await overflowText(response)
  if (overflow === undefined || !(await isShorter(pending, body, conversation, overflow))) return response
  pending.isAgain = true
  const second = await inner(url, wireOf(pending, init))
  return second.ok ? counted(second) : second
}

/** Does it help to compact once more? Where it does not, the provider's own refusal is the answer. */
async function isShorter(
  pending: Pending,
  body: Fields,
  conversation: Conversation,
  overflow: string,
): Promise<boolean> {
  try {
    const { outcome } = await fitBody(pending, body, conversation, overflow)
    return outcome === 'rewritten'
  } catch (error) {
    if (error instanceof SpillwayError) return false
    throw error
  }
}

function isTo(url: string | URL | Request, path: string): boolean {
  const address = new URL(url instanceof Request ? url.url : url)
  return address.pathname.endsWith(path)
}

/** Statuses with which providers refuse a prompt as too long. */
const REFUSALS = new Set([400, 413, 422])

async function overflowText(response: Response): Promise<string | undefined> {
  if (!REFUSALS.has(response.status)) return undefined
  const text = await response.clone().text()
  return overflowOf(text) === undefined ? undefined : text
}

/**
 * What the wire needs that the client does not know of. `drop_block` and its header go together: clouds that carry
 * Anthropic's requests in another way get neither, and need neither, since what `fit` returns is legal without.
 */
function wireOf({ beta, request, isAgain }: Pending, init: RequestInit | undefined): RequestInit {
  if (beta === undefined && !isAgain) return init ?? {}
  const headers = new Headers(init?.headers)
  headers.delete('content-length')
  const betas = headers.get('anthropic-beta')
  if (beta !== undefined && !betas?.split(/\s*,\s*/).includes(beta)) headers.append('anthropic-beta', beta)
  return { ...init, headers, body: JSON.stringify(beta === undefined ? request : withDropBlock(request ?? {})) }
}

function withDropBlock(request: Fields): Fields {
  const binding = { prefix_mismatch_behavior: 'drop_block' }
  return { ...request, thinking: { ...fieldsOf(request.thinking), block_binding: binding } }
}
