/** What the API's rules make depend on the model; the facts are the core's (A33), prefill and system messages follow. */
import { thinkingRuleOf } from '../../core/models.ts'

export interface ModelKind {
  /** A33: thinking is bound to the exact conversation before it. */
  readonly bindsThinking: boolean
  /** A04: the conversation may end with the beginning of the model's own answer (4.5 and older). */
  readonly takesPrefill: boolean
  /** A43: `role: "system"` inside `messages`; contested for Sonnet 5, where Claude Code sends them. */
  readonly takesSystemMessages: boolean
}

const TAKES_SYSTEM_MESSAGES = /opus-4-8|(opus|sonnet|haiku|fable|mythos)-5/

export function kindOf(model: string): ModelKind {
  const rule = thinkingRuleOf(model)
  return {
    bindsThinking: rule === 'bound',
    takesPrefill: rule === 'manual',
    takesSystemMessages: rule === 'bound' || TAKES_SYSTEM_MESSAGES.test(model),
  }
}
