/**
 * The one pipeline (DESIGN section 4): rules propose, the plan chooses, `apply` changes, `check` proves.
 * Pure: no I/O, no clock, no randomness; the caller archives `removed` before it writes anything.
 */
import { apply } from './apply.ts'
import { type Claims, claims } from './claims.ts'
import type { Edit, Removed } from './edits.ts'
import { repairTurns } from './legality/index.ts'
import type { EconomyContext, Plan, Policy, Propose } from './policy.ts'
import { RULES, type RuleOptions } from './rules/index.ts'
import type { RuleContext } from './rules/rule.ts'
import { DEFAULT_TASKS } from './rules/tasks.ts'
import { type EconomyState, EMPTY_STATE, replayed, storeEdits } from './state.ts'
import { fallenThinking, thinkingStep } from './thinking.ts'
import type { Transcript } from './transcript.ts'
import { turnsOf, viewTokens } from './transcript.ts'

export type Outcome = 'unchanged' | 'waiting' | 'repaired' | 'rewritten' | 'floor-too-large' | 'cannot-fit'

export interface Report {
  /** Estimated tokens of the view, before and after. */
  readonly tokens: { readonly before: number; readonly after: number }
  readonly byRule: Readonly<Record<string, { readonly edits: number; readonly tokens: number }>>
  readonly repairs: readonly { readonly rule: string; readonly what: string; readonly entry: number }[]
}

export interface Economized {
  readonly transcript: Transcript
  /** Every edit that leads from the input to `transcript`, replayed ones first. */
  readonly edits: readonly Edit[]
  readonly plan: Plan
  /** What this epoch took out (replayed edits took theirs out before). */
  readonly removed: readonly Removed[]
  readonly report: Report
  readonly outcome: Outcome
  readonly state: EconomyState
}

/** What was only shortened in an earlier epoch may fold in a later one; its rule knows its own work again. */
const SHORTENING: ReadonlySet<Edit['kind']> = new Set([
  'replace-result',
  'replace-arguments',
  'replace-text',
  'fold-exchange',
])

/** Repairs converge in a few rounds (pair, order, empties); more would be a fault of ours. */
const MOST_REPAIR_ROUNDS = 8
export const DEFAULT_NEWEST_TURNS = 1

/**
 * Economizes one thread. Never throws on any transcript; `unchanged` means that nothing helped, not "try again".
 */
export function economize(
  transcript: Transcript,
  policy: Policy,
  context: EconomyContext,
  state: EconomyState = EMPTY_STATE,
): Economized {
  const replay = replayed(transcript, state.applied)
  const start = apply(transcript, replay)
  const taken = claims(start, policy.newestTurns ?? DEFAULT_NEWEST_TURNS)
  for (const edit of replay) if (!SHORTENING.has(edit.kind)) taken.take(edit)

  const ruleContext: RuleContext = {
    answerLast: context.answerLast ?? false,
    ...(context.tasks ? { tasks: context.tasks } : {}),
    ...(context.summaries ? { summaries: context.summaries } : {}),
  }
  const structure = proposeStructure(start, policy, context, ruleContext, taken)
  const settled = apply(start, structure)
  // What is protected is judged anew: a repair may have made another message the task.
  const propose: Propose = (rules) => {
    const free = claims(settled, policy.newestTurns ?? DEFAULT_NEWEST_TURNS)
    for (const edit of replay) if (!SHORTENING.has(edit.kind)) free.take(edit)
    for (const edit of structure) free.take(edit)
    // A new generation begins with what is open; what is done comes to it as records.
    const asked = context.epoch === 'handoff' ? { tasks: DEFAULT_TASKS, ...rules } : rules
    return [...structure, ...proposeWindows(settled, asked, ruleContext, free)]
  }

  const plan = policy.choose(propose(policy.rules), start, context, state, propose)
  const strips = thinkingStep(start, plan.edits, context.model ?? transcript.model)
  const fresh = [...plan.edits, ...strips]
  const result = apply(start, fresh)
  const removed = fresh.flatMap((edit) => edit.removed)
  return {
    transcript: result,
    edits: [...replay, ...fresh],
    plan,
    removed: fresh.length === 0 ? removed : [...removed, ...fallenThinking(start, result, removed)],
    report: reportOf(start, result, fresh),
    outcome: outcomeOf(plan),
    state: {
      ...state,
      applied: [...state.applied, ...storeEdits(transcript, fresh)],
      pending: storeEdits(transcript, plan.waiting).map((edit, index) => ({ edit, waited: plan.waited?.[index] ?? 0 })),
      turns: turnsOf(start).length,
    },
  }
}

function proposeStructure(
  start: Transcript,
  policy: Policy,
  context: EconomyContext,
  ruleContext: RuleContext,
  taken: Claims,
): Edit[] {
  const chosen: Edit[] = []
  const repair = context.repair ?? true
  if (repair) for (const each of taken.admit(context.repairs ?? [])) chosen.push(each)
  let current = apply(start, chosen)
  for (const rule of RULES) {
    if (rule.phase !== 'structure') continue
    const admitted = taken.admit(rule.propose(current, policy.rules, ruleContext))
    for (const each of admitted) chosen.push(each)
    current = apply(current, admitted)
  }
  for (let round = 0; repair && round < MOST_REPAIR_ROUNDS; round++) {
    const admitted = taken.admit(repairTurns(current, ruleContext))
    if (admitted.length === 0) break
    for (const each of admitted) chosen.push(each)
    current = apply(current, admitted)
  }
  return chosen
}

function proposeWindows(settled: Transcript, rules: RuleOptions, ruleContext: RuleContext, taken: Claims): Edit[] {
  const chosen: Edit[] = []
  for (const rule of RULES) {
    if (rule.phase !== 'window') continue
    for (const each of taken.admit(rule.propose(settled, rules, { ...ruleContext, before: [...chosen] })))
      chosen.push(each)
  }
  return chosen
}

function outcomeOf(plan: Plan): Outcome {
  if (plan.shortfall) return plan.shortfall.reason
  if (plan.edits.some((edit) => edit.purpose === 'economy')) return 'rewritten'
  if (plan.edits.length > 0) return 'repaired'
  return plan.waiting.length > 0 ? 'waiting' : 'unchanged'
}

function reportOf(before: Transcript, after: Transcript, edits: readonly Edit[]): Report {
  const byRule: Record<string, { edits: number; tokens: number }> = {}
  for (const edit of edits) {
    if (isRepair(edit)) continue
    const entry = byRule[edit.rule] ?? { edits: 0, tokens: 0 }
    byRule[edit.rule] = { edits: entry.edits + 1, tokens: entry.tokens + edit.frees }
  }
  return {
    tokens: { before: viewTokens(before), after: viewTokens(after) },
    byRule,
    repairs: edits.filter(isRepair).map((edit) => ({ rule: edit.rule, what: edit.reason, entry: edit.at.entry })),
  }
}

/** A repair carries the id of a legality rule, everything else the name of one of ours. */
function isRepair(edit: Edit): boolean {
  return edit.purpose === 'legality' && !RULES.some((rule) => rule.name === edit.rule)
}
