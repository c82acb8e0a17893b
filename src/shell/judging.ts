import type { Field } from './fields.ts'
import type { Guard } from './guards.ts'
import { type Effect, type Inquiry, refuse } from './inquiry.ts'
import type { Arguments } from './options.ts'
import type { Scope } from './scope.ts'
import type { Verb, Why } from './verb.ts'

/** One verb with its words while it is being looked at; what the rules work on. */
export interface Judging {
  readonly inquiry: Inquiry
  readonly scope: Scope
  readonly verb: Verb
  /** The verb with its sub-verbs: `git stash list`. */
  readonly path: string
  /** All words after the verb and its sub-verbs. */
  readonly fields: readonly Field[]
  readonly arguments: Arguments
  /** Standard input is a pipe, a file or a here-document. */
  readonly input: boolean
  /** The part as written. */
  readonly text: string
  readonly wrapped: WrappedLook
}

/** Looks at the words of a wrapped command (`timeout 5 ls`). */
export interface WrappedLook {
  look(fields: readonly Field[], manner: InnerManner): void
}

/**
 * How a wrapped command gets its words: `certain` words are as written, `data` adds words from input that may be
 * anything, so only verbs whose every option is harmless pass.
 */
export interface InnerManner {
  readonly words: 'certain' | 'data'
  readonly input: boolean
  /** The wrapper ends it. */
  readonly bounded?: boolean
}

export type Rule = (judging: Judging) => void

export function object(judging: Judging, guard: Guard, subject: string, why: Why): void {
  const [reason, effect]: readonly [string, Effect] = typeof why === 'string' ? [why, 'act'] : why
  refuse(judging.inquiry, guard, subject, reason, effect)
}

/** The verb and the word, as they are named together in a reason: `git branch x`. */
export function named(judging: Judging, field: Field): string {
  return `${judging.path} ${field.source}`
}
