/** Several strategies over several recordings: one row a strategy, the sums over all recordings. */
import { PRESETS } from '../planning/presets.ts'
import { candidatesOf } from './candidates.ts'
import { type Growth, growthOf } from './growth.ts'
import { type Optimum, optimumOf } from './optimum.ts'
import type { Recording } from './recording.ts'
import { type Run, runStrategy } from './run.ts'
import { RAW } from './strategies/index.ts'
import type { Strategy, Terms } from './strategy.ts'

/** The JSON contract of one row of `replay`; shares are of raw, 0 to 1 (visible and recoverable: of all needles). */
export interface Row {
  readonly name: string
  readonly tokensShare: number
  readonly costShare: number
  /** With what looking again for every needle that was not visible would cost. */
  readonly costWithRestoresShare: number
  /** Tokens of the largest prompt. */
  readonly peak: number
  readonly overWindow: number
  readonly breaksPer100: number
  readonly visible: number
  readonly recoverable: number
  readonly restores: number
  /** Cost against the hindsight optimum of masking results alone; null where it was not asked for. */
  readonly vsOptimum: number | null
  /** The same for the recording where it is largest. */
  readonly worstVsOptimum: number | null
  /** Recordings that cost more than raw. */
  readonly dearerThanRaw: number
  /** Largest cost share of one recording. */
  readonly worstShare: number
  /** Of the first recording, for chains. */
  readonly growth: Growth
}

export interface Comparison {
  readonly rows: readonly Row[]
  /** By strategy, then by recording. */
  readonly runs: readonly (readonly Run[])[]
}

/** Beyond this many calls the optimum is left out: it takes time in the square of them. */
const MOST_OPTIMUM_CALLS = 2000
/** A difference of less than a token is rounding. */
const EQUAL_COST = 1

export function compare(recordings: readonly Recording[], strategies: readonly Strategy[], terms: Terms): Comparison {
  const raw = recordings.map((recording) => runStrategy(recording, RAW, terms))
  const optima = recordings.every(({ calls }) => calls.length <= MOST_OPTIMUM_CALLS)
    ? recordings.map((recording) => resultsOptimum(recording, terms))
    : undefined
  const runs = strategies.map((strategy) =>
    strategy === RAW ? raw : recordings.map((recording) => runStrategy(recording, strategy, terms)),
  )
  const rows = strategies.map((strategy, index) => rowOf(strategy, runs[index] ?? [], raw, optima, recordings))
  return { rows, runs }
}

/** Masking all but the newest 10 results, reads too: the class whose best schedule can be told exactly. */
export function resultsOptimum(recording: Recording, terms: Terms): Optimum {
  return optimumOf(recording, candidatesOf(recording, RESULTS_ONLY.rules), terms)
}

const { results } = PRESETS.careful.rules
export const RESULTS_ONLY = {
  name: 'results-only',
  rules: results ? { results: { ...results, keepReads: results.keep } } : {},
  patience: PRESETS.careful.patience,
} as const

function rowOf(
  strategy: Strategy,
  runs: readonly Run[],
  raw: readonly Run[],
  optima: readonly Optimum[] | undefined,
  recordings: readonly Recording[],
): Row {
  const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)
  const cost = sum(runs, (run) => run.cost)
  const ofRaw = runs.map((run, index) => share(run.cost, raw[index]?.cost ?? 0))
  const ofOptimum = optima && runs.map((run, index) => share(run.cost, optima[index]?.cost ?? 0))
  const needles = sum(runs, (run) => run.needles)
  const first = runs[0]
  return {
    name: strategy.name,
    tokensShare: share(
      sum(runs, (run) => run.tokens),
      sum(raw, (run) => run.tokens),
    ),
    costShare: share(
      cost,
      sum(raw, (run) => run.cost),
    ),
    costWithRestoresShare: share(
      sum(runs, (run) => run.cost + run.restoreCost),
      sum(raw, (run) => run.cost),
    ),
    peak: Math.round(Math.max(0, ...runs.map((run) => run.peak))),
    overWindow: sum(runs, (run) => run.overWindow),
    breaksPer100:
      100 *
      share(
        sum(runs, (run) => run.breaks),
        sum(runs, (run) => run.calls),
      ),
    visible: share(
      sum(runs, (run) => run.visible),
      needles,
    ),
    recoverable: share(
      sum(runs, (run) => run.recoverable),
      needles,
    ),
    restores: sum(runs, (run) => run.restores),
    vsOptimum: optima
      ? share(
          cost,
          optima.reduce((total, optimum) => total + optimum.cost, 0),
        )
      : null,
    worstVsOptimum: ofOptimum ? Math.max(0, ...ofOptimum) : null,
    dearerThanRaw: runs.filter((run, index) => run.cost > (raw[index]?.cost ?? 0) + EQUAL_COST).length,
    worstShare: Math.max(0, ...ofRaw),
    growth: first ? growthOf(first, recordings[0]?.floor ?? 0) : { size: 0, cost: 0 },
  }
}

function sum(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.reduce((total, run) => total + of(run), 0)
}
