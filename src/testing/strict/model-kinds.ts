/**
 * What the API's rules make depend on the model (reference/message-rules A04, A31, A33, A43). Names are read by
 * family and version, so that dated and suffixed names (`claude-sonnet-4-5-20250929`) are recognised too.
 */
export interface ModelKind {
  /** A33: thinking is bound to the exact conversation before it. */
  readonly bindsThinking: boolean
  /** A04: the conversation may end with the beginning of the model's own answer. */
  readonly takesPrefill: boolean
  /** A43: `role: "system"` inside `messages`. */
  readonly takesSystemMessages: boolean
}

/** First version of each family that binds thinking. */
const BINDS_FROM: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 }
/** Sonnet 5 is contested in the rules; Claude Code sends them there, so they are taken. */
const SYSTEM_MESSAGES_FROM: Readonly<Record<string, number>> = { opus: 4.8, sonnet: 5, haiku: 5, fable: 5, mythos: 5 }
const NO_PREFILL_FROM = 4.6

/** A model of unknown name counts as the newest: what it refuses, an edit must survive. */
export function kindOf(model: string): ModelKind {
  const found = /(opus|sonnet|haiku|fable|mythos)-(\d+)(?:-(\d)(?!\d))?/.exec(model)
  const old = /claude-(?:[12]|3)(?:[.-]|$)/.test(model)
  const family = found?.[1] ?? ''
  const version = old ? 3 : found ? Number(`${found[2]}.${found[3] ?? 0}`) : Number.POSITIVE_INFINITY
  return {
    bindsThinking: version >= (BINDS_FROM[family] ?? 5.5),
    takesPrefill: version < NO_PREFILL_FROM,
    takesSystemMessages: version >= (SYSTEM_MESSAGES_FROM[family] ?? 5),
  }
}
