/**
 * Facts per model, as data. Prices and limits come with the planner; here is what legality needs: what a model does
 * with thinking that is sent back (reference message-rules A30-A36, claude-agent-sdk section 10, 2026-11-30).
 */

/**
 * - `bound`: each block is valid only behind the exact prefix it was made with (A33): an edit removes what follows
 * - `kept`: adaptive, sent back unchanged, not bound to its prefix (4.6, 4.8, Sonnet 5)
 * - `manual`: thinking with a budget (4.5 and older): never removed from an open tool loop (A31)
 * - `foreign`: not Anthropic's rules; what the provider pairs (reasoning items) must stay
 */
export type ThinkingRule = 'bound' | 'kept' | 'manual' | 'foreign'

interface ModelFacts {
  readonly pattern: RegExp
  readonly thinking: ThinkingRule
  /** Tokens. */
  readonly window: number
}

/** First match wins; names as recorded, with or without date and vendor prefix. */
const MODELS: readonly ModelFacts[] = [
  { pattern: /claude-(opus|sonnet|haiku)-5-5|claude-(fable|mythos)-5-[1-9]/, thinking: 'bound', window: 200_000 },
  { pattern: /claude-(opus|sonnet|haiku)-4-[6-8]|claude-(sonnet|fable)-5(?!-\d)/, thinking: 'kept', window: 200_000 },
  { pattern: /claude-(opus|sonnet|haiku)-4(-[0-5])?(?!\d)|claude-3/, thinking: 'manual', window: 200_000 },
  {
    pattern: /\b(gpt|o[134]|codex|gemini|grok|deepseek|qwen|glm|kimi|mistral|devstral|llama|minimax)/i,
    thinking: 'foreign',
    window: 128_000,
  },
]

/** The window assumed for a model that the table does not name. */
export const ASSUMED_WINDOW = 200_000

function factsOf(model: string | undefined): ModelFacts | undefined {
  return model === undefined ? undefined : MODELS.find((facts) => facts.pattern.test(model))
}

/** A model that is not in the table is taken for bound: removing thinking is legal everywhere, keeping it is not. */
export function thinkingRuleOf(model: string | undefined): ThinkingRule {
  return factsOf(model)?.thinking ?? 'bound'
}

/** The model's context window in tokens. */
export function windowOf(model: string | undefined): number {
  return factsOf(model)?.window ?? ASSUMED_WINDOW
}
