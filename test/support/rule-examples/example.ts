/** The shape of our own rule examples: an illegal request, and the same one made legal. */
import type { RequestContext, RequestFormat } from '../../../src/formats/legality/index.ts'

export interface RequestCase {
  readonly request: unknown
  /** What was sent and answered before, in order. */
  readonly after?: readonly { readonly request: unknown; readonly answer?: readonly unknown[] }[]
  readonly context?: Omit<RequestContext, 'memory'>
}

export interface RuleExample {
  readonly rule: string
  /** Which clause of the rule, where there are several examples of it. */
  readonly about?: string
  /** Missing for a rule that only says what must be accepted. */
  readonly illegal?: RequestCase
  readonly legal: RequestCase
  /** What the provider's words must hold. */
  readonly says?: RegExp
}

export interface FormatExamples {
  readonly format: RequestFormat
  readonly examples: readonly RuleExample[]
}
