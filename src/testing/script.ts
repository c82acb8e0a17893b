/**
 * What a script says: the answers of the model, or what goes wrong instead. A script is a list (one reply a
 * request, in order) or a function of the request. It is the same for every API; each says it in its own shape.
 */
import type { ReceivedRequest } from './server.ts'

export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: Record<string, unknown>; readonly id?: string }

/** A normal answer. The stop reason follows from the content unless it is given, in Anthropic's words. */
export interface Answer {
  readonly content: readonly AnswerBlock[]
  readonly stopReason?: string
  /** Milliseconds before each event of the stream; before a whole answer, once. */
  readonly gapMs?: number
}

/** An HTTP error instead of an answer. */
export interface Failure {
  readonly status: number
  /** In Anthropic's words; known ones are translated for OpenAI's APIs, status included. */
  readonly errorType: string
  readonly message: string
  readonly retryAfterSeconds?: number
}

/** The prompt is longer than the window: the API's own refusal of that. */
export interface Overflow {
  readonly overflow: { readonly tokens: number; readonly limit: number }
}

/** The connection breaks: before a byte of the answer, or in the middle of it. */
export interface Drop {
  readonly drop: 'before-answer' | 'mid-answer'
}

/** The answer begins and never ends, until the client leaves (to interrupt a stream at a known point). */
export interface Stall {
  readonly stall: true
  readonly content: readonly AnswerBlock[]
}

/** Status 200 and this text in place of an answer; in a stream after the beginning of `content`, where that is given. */
export interface Garbage {
  readonly garbage: string
  readonly content?: readonly AnswerBlock[]
}

export type Reply = Answer | Failure | Overflow | Drop | Stall | Garbage

export type Script = readonly Reply[] | ((request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined>)

export function say(text: string): AnswerBlock {
  return { type: 'text', text }
}

export function think(thinking: string): AnswerBlock {
  return { type: 'thinking', thinking }
}

export function call(name: string, input: Record<string, unknown>, id?: string): AnswerBlock {
  return id === undefined ? { type: 'tool_use', name, input } : { type: 'tool_use', name, input, id }
}

/** A whole reply of the given blocks. */
export function answer(...content: AnswerBlock[]): Answer {
  return { content }
}

/** The same, one event every `gapMs` milliseconds. */
export function slowly(gapMs: number, ...content: AnswerBlock[]): Answer {
  return { content, gapMs }
}

/** What a broken proxy sends: no JSON, no event. */
export function garbage(text = '<html><body>502 Bad Gateway</body></html>', ...content: AnswerBlock[]): Garbage {
  return content.length > 0 ? { garbage: text, content } : { garbage: text }
}

export function overloaded(): Failure {
  return { status: 529, errorType: 'overloaded_error', message: 'Overloaded' }
}

export function rateLimited(retryAfterSeconds?: number): Failure {
  const failure = {
    status: 429,
    errorType: 'rate_limit_error',
    message: 'Number of requests has exceeded your rate limit',
  }
  return retryAfterSeconds === undefined ? failure : { ...failure, retryAfterSeconds }
}

export function serverError(): Failure {
  return { status: 500, errorType: 'api_error', message: 'Internal server error' }
}

/** The refusal on which Claude Code compacts and other loops give up. */
export function promptTooLong(tokens: number, limit: number): Overflow {
  return { overflow: { tokens, limit } }
}
