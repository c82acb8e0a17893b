import type { Effect } from './inquiry.ts'

/** Why something is refused; with the effect when it is not `act`. */
export type Why = string | readonly [why: string, effect: Effect]

/**
 * The options of one verb. A spelling is a letter (`n`) or a long name (`--lines`); several are separated by blanks.
 * What is in no list is refused, unless `harmless`.
 */
export interface OptionTable {
  /** Every option that is not in `refused` only changes what is shown, so a word that may become one does no harm. */
  readonly harmless?: true
  /** Options without a value. */
  readonly flags?: string
  /** Options with a value, in the same word or the next. */
  readonly values?: string
  /** Long options whose value only ever follows `=`; short ones whose value only ever follows in the same word. */
  readonly optional?: string
  /** Options with a value in the same word, or in the next when that begins with no `-` or `+`. */
  readonly loose?: string
  /** Options with two values. */
  readonly pairs?: string
  /** `-5` is an option. */
  readonly numbers?: true
  readonly refused?: Readonly<Record<string, Why>>
  /** What follows the first operand is no option. */
  readonly stopsAtOperand?: true
  /** Long options begin with one dash (`-version`) and letters are never bundled. */
  readonly singleDash?: true
}

export interface OperandRule {
  /** Most operands. */
  readonly most?: number
  /** Every operand must match; unknown stretches read as NUL. */
  readonly matching?: RegExp
  /** What a further or non-matching operand does. */
  readonly why: Why
  /** One of these options lifts the rule. */
  readonly unless?: readonly string[]
  /** The rule is about the operand at this place only. */
  readonly at?: number
}

/** The verb reads standard input unless it has this many operands, or one of these options. */
export interface InputRule {
  readonly operands: number
  readonly unless?: readonly string[]
  /** These options take the place of one operand each (`grep -e`, `sed -e`). */
  readonly replacing?: readonly string[]
}

/** Checks that no table can state; each has its own module in `rules/`. */
export type RuleName =
  | 'sed'
  | 'awk'
  | 'jq'
  | 'test'
  | 'find'
  | 'xargs'
  | 'env'
  | 'timeout'
  | 'ps'
  | 'seq'
  | 'printf'
  | 'git config'
  | 'gh api'
  | 'export'
  | 'read'
  | 'set'
  | 'tar'
  | 'cd'

export interface Verb {
  readonly names: readonly string[]
  readonly options: OptionTable
  /** What the verb may do, for the docs. */
  readonly note?: string
  /** Its operands are files whose content is shown: no secrets, no devices. */
  readonly shows?: true
  /** The first operand is a program or a pattern, unless an option of `input.replacing` gave it. */
  readonly textFirst?: true
  /** It walks directories and reads the files in them. Options that make it do so, or `always`. */
  readonly walks?: 'always' | readonly string[]
  readonly operands?: readonly OperandRule[]
  readonly input?: InputRule
  /** One of these options must be there. */
  readonly requires?: { readonly options: readonly string[]; readonly why: Why }
  /** Values that options may have. The name is the option's first spelling. */
  readonly optionValues?: Readonly<Record<string, { readonly matching: RegExp; readonly why: Why }>>
  readonly rules?: readonly RuleName[]
  /** The first operand names one of these. */
  readonly verbs?: readonly Verb[]
  /** Verbs that are refused with a reason of their own. */
  readonly refusedVerbs?: Readonly<Record<string, Why>>
  /** What the verb is when it has no sub-verb: itself (`git reflog -5`), or refused. */
  readonly bare?: 'itself' | Why
  /** Only one of these words, alone, is a glance (`node --version`). */
  readonly exactly?: readonly string[]
  /** A first word of these letters is read as if it began with a dash. */
  readonly oldLetters?: RegExp
  /** It is part of the shell and has no path. */
  readonly builtin?: true
  /** It reads configuration named by environment variables: only well-known harmless names may be exported to it. */
  readonly strictEnvironment?: true
}

/** One family of verbs: one file, one table of the docs. */
export interface Family {
  readonly title: string
  readonly verbs: readonly Verb[]
}
