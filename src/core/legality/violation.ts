import type { Address } from '../transcript.ts'

/** `reject`: the provider or loader refuses or loses data. `warn`: accepted but harmful, or not confirmed. */
export type Severity = 'reject' | 'warn'

/** One broken rule of reference/message-rules (A09, D01, …). */
export interface Violation {
  readonly rule: string
  readonly severity: Severity
  readonly message: string
  readonly at?: Address
  /** 1-based line in the source, where there is one. */
  readonly line?: number
  /** The id the rule is about: a call id, a uuid. */
  readonly id?: string
}
