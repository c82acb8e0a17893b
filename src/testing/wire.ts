/**
 * Requests and answers on the wire, as far as the scripted model reads them. Blocks stay open records: the server
 * keeps requests verbatim and must not choke on a field it does not know.
 */

export interface WireBlock {
  readonly type: string
  readonly [field: string]: unknown
}

export interface WireMessage {
  /**
   * `system` stands inside `messages` on the newer Claude models (Claude Code sends its reminders that way);
   * `developer` and `tool` on OpenAI Chat only.
   */
  readonly role: 'user' | 'assistant' | 'system' | 'developer' | 'tool'
  readonly content: string | readonly WireBlock[]
}

export interface WireRequest {
  readonly model: string
  /** Empty for a request to OpenAI Responses, whose conversation is `input`. */
  readonly messages: readonly WireMessage[]
  readonly input?: string | readonly Readonly<Record<string, unknown>>[]
  readonly system?: string | readonly WireBlock[]
  readonly tools?: readonly Record<string, unknown>[]
  readonly thinking?: { readonly type: string; readonly [field: string]: unknown }
  readonly stream?: boolean
  readonly [field: string]: unknown
}

/** A refusal as the API words it. */
export interface WireError {
  readonly status: number
  readonly type: string
  readonly message: string
  /** A short name beside the words, where the API gives one (`context_length_exceeded`). */
  readonly code?: string
  /** The rule of reference/message-rules that was broken, when a rule refused the request. */
  readonly rule?: string
  readonly retryAfterSeconds?: number
}

/** Tokens of one answer, in Anthropic's field names whatever the API; OpenAI writes to its cache free of charge. */
export interface WireUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number }
}

/** The string form of content is short for one text block; what is no block is left to the rules. */
export function blocksOf(content: unknown): readonly WireBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}
