/** What an API is to the server: how it reads requests, says answers and words refusals. */
import { createHash } from 'node:crypto'
import type { RequestFormat } from '../../formats/legality/index.ts'
import type { Prompt } from '../prompt-cache.ts'
import type { AnswerBlock, Failure } from '../script.ts'
import type { WireBlock, WireError, WireRequest, WireUsage } from '../wire.ts'

/** An answer to be said. */
export interface Saying {
  readonly request: WireRequest
  readonly content: readonly AnswerBlock[]
  readonly usage: WireUsage
  /** The script's own, in Anthropic's words. */
  readonly stopReason: string | undefined
  /** An id for each thing of this answer: the same in a re-run, another in each answer of a conversation. */
  identify(name: string): string
  /** Seconds since the epoch. */
  readonly at: number
}

/** An answer in an API's shape, both ways. */
export interface Said {
  /** Body of the answer without streaming. */
  readonly whole: unknown
  /** Events up to, and without, the end of the last block: what has arrived when a stream breaks off. */
  readonly begin: readonly string[]
  readonly end: readonly string[]
  /** What the model said, as the next request will hold it (for the rules that remember). */
  readonly blocks: readonly WireBlock[]
  readonly outputTokens: number
}

export interface Api {
  readonly format: RequestFormat
  /** Why this is no request of the API at all; undefined for one. */
  malformed(body: Readonly<Record<string, unknown>>): string | undefined
  promptOf(request: WireRequest): Prompt
  say(saying: Saying): Said
  fail(failure: Failure): WireError
  overflow(tokens: number, limit: number): WireError
  errorBody(error: WireError, requestId: string): unknown
}

/** Characters of one delta: small enough that a long text arrives in several events, as it does for real. */
const DELTA_CHARS = 400

export function pieces(text: string): string[] {
  const found: string[] = []
  for (let start = 0; start < text.length; start += DELTA_CHARS) found.push(text.slice(start, start + DELTA_CHARS))
  return found
}

/** One server-sent event with a name; its data repeats the name as `type`. */
export function namedEvent(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

/** One server-sent event without a name. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

export function identifier(of: string): string {
  return createHash('sha256').update(of).digest('hex').slice(0, 24)
}
