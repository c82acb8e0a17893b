/**
 * The rules in the order in which they propose (DESIGN section 4): structure first, then windows on its result.
 * The first proposal for an address wins.
 */
import type { Edit } from '../edits.ts'
import type { Transcript } from '../transcript.ts'
import { type ArgumentsOptions, callArguments, DEFAULT_ARGUMENTS } from './arguments.ts'
import { type CallLinesOptions, callLines } from './call-lines.ts'
import { dangling } from './dangling.ts'
import { debris } from './debris.ts'
import { DEFAULT_KEEP_DENIALS, type DenialsOptions, denials } from './denials.ts'
import { DEFAULT_GLANCE_CHARS, DEFAULT_KEEP_GLANCES, type GlancesOptions, glances } from './glances.ts'
import { DEFAULT_IMAGE_TURNS, type ImagesOptions, images } from './images.ts'
import { type LedgerOptions, ledger } from './ledger.ts'
import { DEFAULT_RESULTS, results } from './results.ts'
import type { RuleContext, WindowOptions } from './rule.ts'
import { type TasksOptions, tasks } from './tasks.ts'

/** Options of every rule a policy switches on; a rule that is absent is off. */
export interface RuleOptions {
  readonly debris?: object
  readonly denials?: DenialsOptions
  readonly dangling?: object
  readonly tasks?: TasksOptions
  readonly ledger?: LedgerOptions
  readonly 'call-lines'?: CallLinesOptions
  readonly glances?: GlancesOptions
  readonly images?: ImagesOptions
  readonly results?: WindowOptions
  readonly arguments?: ArgumentsOptions
}

export type RuleName = keyof RuleOptions

interface RegisteredRule {
  readonly name: RuleName
  readonly phase: 'structure' | 'window'
  /** Nothing where the policy leaves the rule out. */
  readonly propose: (transcript: Transcript, options: RuleOptions, context: RuleContext) => Edit[]
}

export const RULES: readonly RegisteredRule[] = [
  {
    name: 'debris',
    phase: 'structure',
    propose: (transcript, options, context) => (options.debris ? debris(transcript, options.debris, context) : []),
  },
  {
    name: 'denials',
    phase: 'structure',
    propose: (transcript, options, context) => (options.denials ? denials(transcript, options.denials, context) : []),
  },
  {
    name: 'dangling',
    phase: 'structure',
    propose: (transcript, options, context) =>
      options.dangling ? dangling(transcript, options.dangling, context) : [],
  },
  // What folds need not be shortened first: folding proposes before the rules for single blocks, and a whole task
  // before its turns.
  {
    name: 'tasks',
    phase: 'window',
    propose: (transcript, options, context) => (options.tasks ? tasks(transcript, options.tasks, context) : []),
  },
  {
    name: 'ledger',
    phase: 'window',
    propose: (transcript, options, context) => (options.ledger ? ledger(transcript, options.ledger, context) : []),
  },
  {
    name: 'call-lines',
    phase: 'window',
    propose: (transcript, options, context) =>
      options['call-lines'] ? callLines(transcript, options['call-lines'], context) : [],
  },
  {
    name: 'glances',
    phase: 'window',
    propose: (transcript, options, context) => (options.glances ? glances(transcript, options.glances, context) : []),
  },
  {
    name: 'images',
    phase: 'window',
    propose: (transcript, options, context) => (options.images ? images(transcript, options.images, context) : []),
  },
  {
    name: 'results',
    phase: 'window',
    propose: (transcript, options, context) => (options.results ? results(transcript, options.results, context) : []),
  },
  {
    name: 'arguments',
    phase: 'window',
    propose: (transcript, options, context) =>
      options.arguments ? callArguments(transcript, options.arguments, context) : [],
  },
]

/** Every rule with the numbers that were measured to be worth it (reference/planner.md section 7, preset default). */
export const DEFAULT_RULES: Required<Omit<RuleOptions, 'tasks' | 'ledger' | 'call-lines'>> = {
  debris: {},
  denials: { keep: DEFAULT_KEEP_DENIALS },
  dangling: {},
  glances: { keep: DEFAULT_KEEP_GLANCES, maxChars: DEFAULT_GLANCE_CHARS },
  images: { ...DEFAULT_RESULTS, afterTurns: DEFAULT_IMAGE_TURNS },
  results: DEFAULT_RESULTS,
  arguments: DEFAULT_ARGUMENTS,
}
