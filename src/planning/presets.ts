/** What an economy may take out, as data: docs/presets.md has the measured effect of every number. */
import { DEFAULT_FOLD_TURNS } from '../core/rules/call-lines.ts'
import { DEFAULT_RULES, type RuleOptions } from '../core/rules/index.ts'
import { DEFAULT_LEDGER_TOKENS, DEFAULT_LEDGER_TURNS, type LedgerOptions } from '../core/rules/ledger.ts'
import { DEFAULT_TASKS, type TasksOptions } from '../core/rules/tasks.ts'
import { DEFAULT_PATIENCE } from './decide.ts'

export interface Preset {
  readonly name: string
  readonly rules: RuleOptions
  /** Waiting may cost this many times what the rewrite costs. */
  readonly patience: number
  /** Newest results that stay when the cache is cold anyway; default: as the rule says. */
  readonly coldKeep?: number
}

/** Newest results that stay in a forced fit, tried in order until the prompt is small enough. */
export const PROTECTIONS: readonly number[] = [5, 3, 1]
/** Once forced, a cut goes down to this share of the window: just below the limit it is forced again and again. */
export const CUT_SHARE = 0.5
/** Where shortening alone does not reach that, old turns fold down to this share. */
export const FOLD_SHARE = 0.4
/** Newest turns that no forced fit folds. */
export const FOLD_KEEPS_TURNS = 2

/** Where old turns must fold, finished tasks fold first: what is told of them elsewhere holds their turns back. */
export const FORCED_TASKS: TasksOptions = DEFAULT_TASKS

/** The last step of a forced fit, where folding was not enough. */
export const FORCED_LEDGER: LedgerOptions = { afterTurns: FOLD_KEEPS_TURNS, keepTokens: DEFAULT_LEDGER_TOKENS }

const { debris, denials, dangling, images, glances, results, arguments: callArguments } = DEFAULT_RULES
const ALWAYS = { debris, denials, dangling, images }
const COLD_KEEP = 5

const CAREFUL: Preset = { name: 'careful', rules: { ...ALWAYS, results }, patience: DEFAULT_PATIENCE }

const DEFAULT: Preset = {
  name: 'default',
  rules: { ...CAREFUL.rules, glances, arguments: callArguments },
  patience: DEFAULT_PATIENCE,
  coldKeep: COLD_KEEP,
}

const LONG: Preset = {
  ...DEFAULT,
  name: 'long',
  rules: {
    ...DEFAULT.rules,
    tasks: DEFAULT_TASKS,
    'call-lines': { afterTurns: DEFAULT_FOLD_TURNS },
    ledger: { afterTurns: DEFAULT_LEDGER_TURNS, keepTokens: DEFAULT_LEDGER_TOKENS },
  },
}

const LEAN_READS = 20
const LEAN_FOLD_TURNS = 40
const LEAN_LEDGER_TURNS = 120

const LEAN: Preset = {
  ...DEFAULT,
  name: 'lean',
  rules: {
    ...DEFAULT.rules,
    results: { ...results, keepReads: LEAN_READS },
    tasks: DEFAULT_TASKS,
    'call-lines': { afterTurns: LEAN_FOLD_TURNS },
    ledger: { afterTurns: LEAN_LEDGER_TURNS, keepTokens: DEFAULT_LEDGER_TOKENS },
  },
}

const SEED_KEEP = 20
const SEED_CHARS = 2000

/** The numbers of flower's own page (F5 to F8): trim beyond the newest 20 results of 2,000 characters and more. */
const SEED: Preset = {
  name: 'seed',
  rules: {
    debris,
    denials,
    dangling,
    glances,
    results: { keep: SEED_KEEP, keepReads: SEED_KEEP, minChars: SEED_CHARS },
  },
  patience: DEFAULT_PATIENCE,
}

export const PRESETS = { careful: CAREFUL, default: DEFAULT, long: LONG, lean: LEAN, seed: SEED } as const
export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]
export const DEFAULT_PRESET: PresetName = 'default'

/** The rules that hold when the cache is cold anyway. */
export function coldRules({ rules, coldKeep }: Preset): RuleOptions {
  return coldKeep === undefined ? rules : withKeep(rules, coldKeep)
}

/** The rules with a tighter window of results; reads are kept no longer than `keepReads`. */
export function withKeep(rules: RuleOptions, keep: number, keepReads: number = Number.POSITIVE_INFINITY): RuleOptions {
  if (!rules.results) return rules
  const tight = {
    ...rules.results,
    keep: Math.min(rules.results.keep, keep),
    keepReads: Math.min(rules.results.keepReads, keepReads),
  }
  return { ...rules, results: tight, ...(rules.images ? { images: { ...rules.images, ...tight } } : {}) }
}
