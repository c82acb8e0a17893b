/** What `fit` did and what the request needs, as data. Tokens are calibrated, of the whole request. */
import type { Outcome, Report } from '../core/economy.ts'
import type { Violation } from '../core/legality/index.ts'
import { thinkingRuleOf } from '../core/models.ts'
import type { Shortfall } from '../core/policy.ts'
import type { Budget, BudgetChoice, Floor, KnownWindow } from '../planning/budget/index.ts'
import type { Epoch } from './epoch.ts'
import type { Memory } from './fit-memory.ts'
import type { FitState } from './fit-state.ts'
import type { FitTerms } from './fit-terms.ts'

export interface FitReport {
  /** `unchanged` and `waiting` are no-ops: asking again with the same messages does not help. */
  readonly outcome: Outcome
  readonly window: KnownWindow
  readonly budget: Budget
  readonly tokens: { readonly before: number; readonly after: number }
  /** The provider's tokens for each that we estimate; 1 until usage was passed back. */
  readonly scale: number
  readonly floor: Floor
  /** System messages inside the array, the task and the user's words: what never leaves. */
  readonly pinned: number
  /** Where the outcome is `floor-too-large` or `cannot-fit`: what is needed, and what there is. */
  readonly shortfall?: Shortfall & { readonly says: string }
  /** Whole turns that left, in this call and so far. */
  readonly evicted: { readonly turns: number; readonly calls: number; readonly turnsSoFar: number }
  readonly byRule: Report['byRule']
  readonly repairs: Report['repairs']
  /** Headings of what was put back, and what was cut of it. */
  readonly putBack: { readonly headings: readonly string[]; readonly cuts: readonly string[] }
  /**
   * Indexes of returned messages behind whose last block a `cache_control` breakpoint belongs, oldest first, three at
   * most: just before the first edit of the next compaction (where turns leave, and where the last one ended), and the
   * newest. System prompt and tools deserve one of their own.
   */
  readonly breakpoints: readonly number[]
  /**
   * The request should say `thinking.block_binding.prefix_mismatch_behavior: "drop_block"` under this beta header: its
   * model binds thinking to its prefix, and this conversation has been edited.
   */
  readonly dropBlock?: { readonly beta: string }
  /** What the provider would still refuse and no repair of ours mends (a faulty tool, a forged id). */
  readonly violations: readonly Violation[]
  /** One line a decision, for people. */
  readonly explanation: readonly string[]
}

const NOTHING = {
  evicted: { turns: 0, calls: 0, turnsSoFar: 0 },
  byRule: {},
  repairs: [],
  putBack: { headings: [], cuts: [] },
  violations: [],
} as const

/** Of a conversation that has not begun: is the floor alone too large? */
export function emptyReport(terms: FitTerms, floor: Floor): FitReport {
  const needed = terms.scale * floor.total
  const isTooLarge = needed >= terms.budget.limit
  const shortfall = { reason: 'floor-too-large', needed: Math.ceil(needed), limit: terms.budget.limit } as const
  return {
    ...NOTHING,
    ...numbersOf(terms, floor),
    outcome: isTooLarge ? 'floor-too-large' : 'unchanged',
    tokens: { before: Math.round(needed), after: Math.round(needed) },
    pinned: 0,
    breakpoints: [],
    explanation: announced(terms),
    ...(isTooLarge ? { shortfall: { ...shortfall, says: saysOf(shortfall, floor, terms.scale, 0) } } : {}),
  }
}

/** Of a call that decided nothing. */
export function quietReport(terms: FitTerms, memory: Memory, state: FitState): FitReport {
  const prompt = Math.round(terms.scale * (memory.floor.total + memory.size))
  return {
    ...NOTHING,
    ...numbersOf(terms, memory.floor),
    evicted: { turns: 0, calls: 0, turnsSoFar: memory.turnsSoFar },
    outcome: memory.choice.state === 'waits' ? 'waiting' : 'unchanged',
    tokens: { before: prompt, after: prompt },
    pinned: Math.round(terms.scale * memory.pinned),
    ...requestNeeds(memory, state),
    explanation: announced(terms),
  }
}

export function epochReport(terms: FitTerms, epoch: Epoch, memory: Memory, state: FitState): FitReport {
  const { choice, economized, note } = epoch
  const { plan, evicted } = choice
  const { report } = economized
  const before = Math.round(terms.scale * (memory.floor.total + epoch.sizeBefore))
  const after = Math.round(terms.scale * (memory.floor.total + memory.size))
  const shortfall = plan.shortfall
  const says = shortfall && saysOf(shortfall, memory.floor, terms.scale, choice.pinned)
  return {
    ...numbersOf(terms, memory.floor),
    outcome: outcomeOf(choice, economized.outcome),
    tokens: { before, after },
    pinned: Math.round(terms.scale * memory.pinned),
    evicted: {
      turns: evicted.length,
      calls: evicted.reduce((sum, turn) => sum + turn.calls.length, 0),
      turnsSoFar: epoch.turnsSoFar,
    },
    byRule: report.byRule,
    repairs: report.repairs,
    putBack: { headings: note?.headings ?? [], cuts: note?.cuts ?? [] },
    violations: epoch.violations,
    ...(shortfall && says !== undefined ? { shortfall: { ...shortfall, says } } : {}),
    ...requestNeeds(memory, state),
    explanation: [...announced(terms), lineOf(terms, choice, before, after), ...(says === undefined ? [] : [says])],
  }
}

function outcomeOf({ state }: BudgetChoice, economized: Outcome): Outcome {
  if (economized !== 'unchanged' && economized !== 'waiting') return economized
  return state === 'waits' ? 'waiting' : 'unchanged'
}

function numbersOf({ window, budget, scale }: FitTerms, floor: Floor) {
  return { window, budget, scale, floor }
}

function announced({ window }: FitTerms): string[] {
  return window.source === 'assumed' ? [window.says] : []
}

function lineOf(
  { budget }: FitTerms,
  { state, evicted, eligible }: BudgetChoice,
  before: number,
  after: number,
): string {
  const of = `of ${budget.budget} (acts at ${budget.limit})`
  if (state === 'compacted' || state === 'cannot-fit') {
    return `${before} -> ${after} tokens ${of}; ${evicted.length} turns left`
  }
  if (state === 'waits') return `${before} tokens ${of}: waits, only ${Math.round(eligible)} could leave`
  return `${after} tokens ${of}`
}

function saysOf({ reason, needed, limit }: Shortfall, floor: Floor, scale: number, pinned: number): string {
  const of = (tokens: number): number => Math.round(scale * tokens)
  const parts = `system ${of(floor.system)}, tools ${of(floor.tools)}, pinned ${Math.round(pinned)}`
  if (reason === 'floor-too-large') {
    const advice =
      'no compaction can help: announce fewer tools, put them on a diet, shorten the prompt, or take a larger window'
    return `what is sent with every request takes ${needed} tokens (${parts}), and the history is compacted at ${limit}; ${advice}`
  }
  return `${needed} tokens remain whatever leaves (${parts}), and the budget is ${limit}`
}

const BETA = 'thinking-binding-controls-2026-08-01'

function requestNeeds(
  memory: Memory,
  { economy, settled = 0 }: FitState,
): Pick<FitReport, 'breakpoints' | 'dropBlock'> {
  const last = memory.output.length - 1
  const places = [...new Set([memory.opening - 1, settled - 1, last])].filter((index) => index >= 0)
  places.sort((one, other) => one - other)
  const isAnthropic = memory.shape === 'messages' || memory.shape.startsWith('ai-sdk')
  const isBound = memory.model !== undefined && thinkingRuleOf(memory.model) === 'bound'
  const needs = isAnthropic && isBound && economy.applied.length > 0
  return { breakpoints: places, ...(needs ? { dropBlock: { beta: BETA } } : {}) }
}
