/**
 * Facts per model, as data. Prices come with the planner; here is what legality needs: what a model does with
 * thinking that is sent back (reference message-rules A30-A36, claude-agent-sdk section 10, 2026-11-30), and what
 * else its provider refuses.
 */

/**
 * - `bound`: each block is valid only behind the exact prefix it was made with (A33): an edit removes what follows
 * - `kept`: adaptive, sent back unchanged, not bound to its prefix (4.6, 4.8, Sonnet 5)
 * - `manual`: thinking with a budget (4.5 and older): never removed from an open tool loop (A31)
 * - `foreign`: not Anthropic's rules; what the provider pairs (reasoning items) must stay
 */
export type ThinkingRule = 'bound' | 'kept' | 'manual' | 'foreign'

/**
 * What the provider's checks make depend on the model. `undefined` = not read anywhere: then nothing is claimed.
 * Sources, read 2026-11-30: message-rules A33 (binding), A04 (prefill), A43 (system messages; Sonnet 5 is contested,
 * Claude Code sends them there), A38 (thinking kinds), A40 (forced tools), A60 (shortest cached prefix), A62 (output
 * counted against the window), A53 (images).
 */
export interface ModelFacts {
  readonly thinking: ThinkingRule
  /** Tokens. */
  readonly window: number
  /** The conversation may end with the beginning of the model's own answer. */
  readonly prefill?: boolean
  /** `role: "system"` inside `messages`. */
  readonly systemMessages?: boolean
  /** Values of `thinking.type` that the model refuses. */
  readonly refusedThinking?: readonly string[]
  /** `tool_choice` any and tool are refused altogether. */
  readonly refusesForcedTools?: boolean
  /** Tokens below which a prefix is not cached, without an error. */
  readonly cacheMinimum?: number
  /** Input plus `max_tokens` over the window is an error (newer models end early instead). */
  readonly countsOutput?: boolean
  /** Most image blocks in one request. */
  readonly mostImages?: number
}

const CLAUDE = { window: 200_000, mostImages: 100 } as const
const NEWEST = { ...CLAUDE, thinking: 'bound', prefill: false, systemMessages: true } as const
const ADAPTIVE = { ...CLAUDE, thinking: 'kept', prefill: false } as const
const MANUAL = { ...CLAUDE, thinking: 'manual', prefill: true, systemMessages: false } as const
const NO_MANUAL = ['enabled', 'between_tools']
const ALWAYS_THINKS = [...NO_MANUAL, 'disabled']
const ONLY_MANUAL = ['adaptive', 'between_tools']
const ONLY_TOGETHER = ['between_tools']

/** First match wins; names as recorded, with or without date and vendor prefix. */
const MODELS: readonly (readonly [RegExp, ModelFacts])[] = [
  [/claude-opus-5-5/, { ...NEWEST, refusedThinking: ALWAYS_THINKS, refusesForcedTools: true, cacheMinimum: 512 }],
  [/claude-sonnet-5-5/, { ...NEWEST, refusedThinking: ['enabled'] }],
  [/claude-haiku-5-5/, { ...NEWEST, refusedThinking: NO_MANUAL }],
  [
    /claude-(fable|mythos)-5-1(?!\d)/,
    { ...NEWEST, refusedThinking: ALWAYS_THINKS, refusesForcedTools: true, cacheMinimum: 512 },
  ],
  [/claude-(fable|mythos)-5-[2-9](?!\d)/, { ...NEWEST, refusedThinking: NO_MANUAL }],
  [/claude-(fable|mythos)-5/, { ...ADAPTIVE, systemMessages: true, refusedThinking: ALWAYS_THINKS, cacheMinimum: 512 }],
  [/claude-mythos/, { ...ADAPTIVE, refusedThinking: ALWAYS_THINKS, cacheMinimum: 2048 }],
  [/claude-opus-5/, { ...ADAPTIVE, systemMessages: true, refusedThinking: NO_MANUAL, cacheMinimum: 512 }],
  [/claude-sonnet-5/, { ...ADAPTIVE, refusedThinking: NO_MANUAL, cacheMinimum: 1024 }],
  [/claude-opus-4-8/, { ...ADAPTIVE, systemMessages: true, refusedThinking: NO_MANUAL, cacheMinimum: 1024 }],
  [/claude-opus-4-7/, { ...ADAPTIVE, systemMessages: false, refusedThinking: NO_MANUAL, cacheMinimum: 2048 }],
  [/claude-opus-4-6/, { ...ADAPTIVE, systemMessages: false, refusedThinking: ONLY_TOGETHER, cacheMinimum: 4096 }],
  [/claude-sonnet-4-6/, { ...ADAPTIVE, systemMessages: false, refusedThinking: ONLY_TOGETHER, cacheMinimum: 1024 }],
  [/claude-(sonnet|haiku)-4-[6-8]/, { ...ADAPTIVE, systemMessages: false }],
  [/claude-(opus|haiku)-4-5/, { ...MANUAL, refusedThinking: ONLY_MANUAL, cacheMinimum: 4096 }],
  [/claude-sonnet-4-5/, { ...MANUAL, refusedThinking: ONLY_MANUAL, cacheMinimum: 1024 }],
  [
    /claude-(opus|sonnet|haiku)-4(-[0-4])?(?!\d)/,
    { ...MANUAL, refusedThinking: ONLY_MANUAL, cacheMinimum: 1024, countsOutput: true },
  ],
  [/claude-3-5-haiku/, { ...MANUAL, refusedThinking: ONLY_MANUAL, cacheMinimum: 2048, countsOutput: true }],
  [/claude-3/, { ...MANUAL, refusedThinking: ONLY_MANUAL, countsOutput: true }],
  // Others' windows: the providers' own model pages and the models' cards, read 2026-11-30.
  [/\b(gpt-5|codex)/i, foreign(400_000)],
  [/\bgpt-4\.1/i, foreign(1_047_576)],
  [/\bo[134](?![a-z0-9])/i, foreign(200_000)],
  [/\bgpt-4(?!o|-turbo|-1106|-0125|\.)/i, foreign(8_192)],
  [/\bgpt-3\.5/i, foreign(16_385)],
  [/\bgemini/i, foreign(1_048_576)],
  [/\bgrok-4(\.\d|-fast)/i, foreign(2_000_000)],
  [/\bgrok-(4|code)/i, foreign(256_000)],
  [/\bkimi-k2/i, foreign(262_144)],
  [/\bqwen3-(coder|next|max)/i, foreign(262_144)],
  [/\b(qwen|llama-?3\.[1-9])/i, foreign(131_072)],
  [/\bllama-?3(?![.\d])/i, foreign(8_192)],
  [/\bllama-?2/i, foreign(4_096)],
  [/\b(gpt|o[134]|codex|grok|deepseek|glm|kimi|mistral|devstral|llama|minimax)/i, foreign(128_000)],
]

function foreign(window: number): ModelFacts {
  return { thinking: 'foreign', window }
}

/** The window assumed for a model that the table does not name. */
export const ASSUMED_WINDOW = 200_000

/** What is known about a model; `undefined` for one that the table does not name. */
export function factsOf(model: string | undefined): ModelFacts | undefined {
  return model === undefined ? undefined : MODELS.find(([pattern]) => pattern.test(model))?.[1]
}

/** A model that is not in the table is taken for bound: removing thinking is legal everywhere, keeping it is not. */
export function thinkingRuleOf(model: string | undefined): ThinkingRule {
  return factsOf(model)?.thinking ?? 'bound'
}

/** For a model whose limit is not known: what the newest take. */
const ASSUMED_MOST_IMAGES = 600

/** Most image blocks in one request (A53). */
export function mostImagesOf(model: string | undefined): number {
  return factsOf(model)?.mostImages ?? ASSUMED_MOST_IMAGES
}

/** The model's context window in tokens. */
export function windowOf(model: string | undefined): number {
  return knownWindow(model) ?? ASSUMED_WINDOW
}

/** Claude Code and gateways ask for the long window by a word in the name (`claude-opus-5[1m]`). */
const LONG_WINDOW = /(?<![a-z0-9])1m(?![a-z0-9])/i

/** The window that the name or the table tells, undefined for a model that neither does. */
export function knownWindow(model: string | undefined): number | undefined {
  return model !== undefined && LONG_WINDOW.test(model) ? 1_000_000 : factsOf(model)?.window
}

/** What a wire asks of every model behind it (message-rules A02, A17, B07, B12, F04, F14, F20, F22; 2026-11-30). */
export interface WireFacts {
  /** Ids of tool calls. */
  readonly callId: RegExp
  /** Neighbouring messages of one role are an error; elsewhere they are merged or taken as they are. */
  readonly alternates: boolean
}

export const WIRES = {
  'anthropic-messages': { callId: /^[a-zA-Z0-9_-]+$/, alternates: false },
  'openai-chat': { callId: /^[\s\S]{1,40}$/, alternates: false },
  mistral: { callId: /^[a-zA-Z0-9]{9}$/, alternates: false },
  'bedrock-converse': { callId: /^[a-zA-Z0-9_-]{1,64}$/, alternates: true },
} as const satisfies Readonly<Record<string, WireFacts>>
