/** The shared shapes of the request rules (reference message-rules). */
import type { Severity } from '../../core/legality/violation.ts'
import type { PrefixMemory } from './anthropic/memory/prefix-memory.ts'

/**
 * How sure a rule is: `doc` official page, `types` official types or package source, `issue` a real error in a public
 * report, `code` an error quoted in public code, `ran` executed, `inferred` reasoned. None was tried on a live provider.
 */
export type Evidence = 'doc' | 'types' | 'issue' | 'code' | 'ran' | 'inferred'

export interface RuleFacts {
  readonly id: string
  /** `accept`: must not be refused, so it has no finding of its own. */
  readonly severity: Severity | 'accept'
  readonly evidence: Evidence
  readonly statement: string
  /** HTTP status of the refusal (default 400). */
  readonly status?: number
}

/** What a rule found: the provider's words, where, and which id it is about. */
export interface Found {
  /** As the provider would say it, path included where the provider names one. */
  readonly message: string
  /** Path in the request (`messages.1.content.0`). */
  readonly at?: string
  readonly id?: string
  /** This case of a `reject` rule is not confirmed: it only warns. */
  readonly unsure?: boolean
}

/** `Reading` is the request as its format reads it once for all rules: places, turns, facts of the model. */
export interface RequestRule<Reading> extends RuleFacts {
  /** Pure, never throws, whatever the request is; linear in its size. */
  check(reading: Reading, context: RequestContext): readonly Found[]
}

export interface Finding {
  readonly rule: string
  readonly severity: Severity
  /** HTTP status of the refusal. */
  readonly status: number
  readonly message: string
  readonly at?: string
  readonly id?: string
}

/** What a request does not say itself. Everything is optional: a rule that lacks what it needs stays silent. */
export interface RequestContext {
  /** Values of the `anthropic-beta` header, besides `betas` in the request. */
  readonly betas?: readonly string[]
  /** What was answered before (A28-A30, A33, A34, A36, A41, A48, A50, A52, A61): every block it does not know is foreign. */
  readonly memory?: PrefixMemory
  /** Counted input tokens of the request (A62, B11). */
  readonly inputTokens?: number
  /** Bytes of the request's body, where known; else it is measured (A63). */
  readonly bodyBytes?: number
}

export const NO_CONTEXT: RequestContext = {}

/** A rule that only states what must be accepted. */
export const nothing = (): readonly Found[] => []
