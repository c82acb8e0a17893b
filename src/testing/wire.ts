/**
 * The Anthropic Messages wire, as far as the scripted model reads it. Blocks stay open records: the server keeps
 * requests verbatim and must not choke on a field it does not know.
 */

export interface WireBlock {
  readonly type: string
  readonly [field: string]: unknown
}

export interface WireMessage {
  /** `system` stands inside `messages` on the newer models (Claude Code sends its reminders that way). */
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly WireBlock[]
}

export interface WireRequest {
  readonly model: string
  readonly messages: readonly WireMessage[]
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
  /** The rule of reference/message-rules that was broken, when a rule refused the request. */
  readonly rule?: string
  readonly retryAfterSeconds?: number
}

/** Tokens of one answer, in the API's own field names. */
export interface WireUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number }
}

/** The string form of content is short for one text block; rules and hashes see one form only. */
export function blocksOf(content: string | readonly WireBlock[] | undefined): readonly WireBlock[] {
  if (content === undefined) return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

export function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** What identifies a thinking block: its signature, or the data of a redacted one. */
export function signatureOf(block: WireBlock): string {
  return String(block.type === 'thinking' ? (block.signature ?? '') : (block.data ?? ''))
}

/**
 * One spelling for what the API treats as equal (A35): without `cache_control`, strings of `content` as arrays,
 * keys sorted.
 */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control')
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === 'content' && typeof item === 'string' ? canonical(blocksOf(item)) : canonical(item),
    ]),
  )
}
