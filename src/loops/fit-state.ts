/** What a conversation's `fit` must remember, as plain JSON that the caller keeps. */
import { SpillwayError } from '../core/errors.ts'
import { type EconomyState, EMPTY_STATE } from '../core/state.ts'
import { fieldsOf } from '../formats/fields.ts'
import type { LearnedWindow } from '../planning/budget/index.ts'

export const FIT_STATE_VERSION = 1

/** A prefix of messages: how many, and a digest of them. */
export interface PrefixMark {
  readonly count: number
  readonly digest: string
}

export interface FitState {
  readonly version: typeof FIT_STATE_VERSION
  /** Decisions that were made, replayed byte for byte. */
  readonly economy: EconomyState
  /** What the decisions were made about, and what they made of it: tells whether the caller keeps the one or the other. */
  readonly decided?: { readonly input: PrefixMark; readonly output: PrefixMark }
  readonly learned: LearnedWindow
  /** The newest ratios of the provider's count to our estimate, oldest first. */
  readonly ratios: readonly number[]
  /** The newest count that was found on an answer, where the caller keeps usage there. */
  readonly found?: number
  /** Our uncalibrated estimate of the request that was returned last. */
  readonly sent?: number
  /** Returned messages that the last compaction has settled: the next one changes what comes behind them. */
  readonly settled?: number
  readonly compactions: number
}

export const EMPTY_FIT_STATE: FitState = {
  version: FIT_STATE_VERSION,
  economy: EMPTY_STATE,
  learned: {},
  ratios: [],
  compactions: 0,
}

/** @throws SpillwayError `newer-version`, `unreadable` */
export function checkedState(state: FitState | undefined): FitState {
  if (state === undefined) return EMPTY_FIT_STATE
  const version: unknown = (state as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version > FIT_STATE_VERSION) {
    throw new SpillwayError('newer-version', `state: version ${version} was written by a newer Spillway`)
  }
  if (version !== FIT_STATE_VERSION || !isState(state)) {
    throw new SpillwayError('unreadable', 'state: expected what an earlier call of fit returned')
  }
  return state
}

/** It was plain JSON in between: what is read of it without a further look must be what it was. */
function isState({ economy, decided, learned, ratios, sent, settled, compactions }: FitState): boolean {
  const { applied, pending } = fieldsOf(economy) ?? {}
  const marks = decided === undefined ? [] : [fieldsOf(decided)?.input, fieldsOf(decided)?.output]
  const numbers = fieldsOf(learned)
  return (
    Array.isArray(applied) &&
    applied.every(isStoredEdit) &&
    Array.isArray(pending) &&
    marks.every((mark) => isCount(fieldsOf(mark)?.count) && typeof fieldsOf(mark)?.digest === 'string') &&
    numbers !== undefined &&
    [numbers.limit, numbers.refused, numbers.accepted].every((each) => each === undefined || isCount(each)) &&
    Array.isArray(ratios) &&
    ratios.every((ratio) => isCount(ratio) && ratio > 0) &&
    [sent, settled].every((each) => each === undefined || isCount(each)) &&
    isCount(compactions)
  )
}

/** Entries that were inserted have ordinals below zero. */
function isStoredEdit(stored: unknown): boolean {
  const { edit, keys } = fieldsOf(stored) ?? {}
  const { at, kind, entries } = fieldsOf(edit) ?? {}
  return (
    fieldsOf(keys) !== undefined &&
    Number.isInteger(fieldsOf(at)?.entry) &&
    typeof kind === 'string' &&
    (kind !== 'drop-message' || (Array.isArray(entries) && entries.every(Number.isInteger)))
  )
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
}
