/**
 * The plan of one epoch, handed to the economy as `choose`: which of the proposed edits happen now and which wait
 * (reference/planner.md section 7). Pure; what it must remember is in the state the caller keeps.
 */
import { protectedEntries } from '../core/claims.ts'
import { DEFAULT_NEWEST_TURNS } from '../core/economy.ts'
import type { Edit } from '../core/edits.ts'
import type { EconomyContext, Plan, Policy, Propose, Shortfall } from '../core/policy.ts'
import type { EconomyState } from '../core/state.ts'
import type { Transcript } from '../core/transcript.ts'
import { turnsOf } from '../core/transcript.ts'
import { type Decision, decide } from './decide.ts'
import { explain } from './explain.ts'
import { fitDeep } from './fit.ts'
import { coldRules, type Preset } from './presets.ts'
import type { Prices } from './prices.ts'
import { measureEdits, promptTokens } from './sums.ts'
import { waitedFor } from './waiting.ts'

/** A policy of the preset's rules, timed by these prices. */
export function plannedPolicy(preset: Preset, prices: Prices): Policy {
  return {
    name: preset.name,
    rules: preset.rules,
    choose: (edits, transcript, context, state, propose) =>
      plan({ preset, prices, transcript, context, state, propose }, edits),
  }
}

interface Case {
  readonly preset: Preset
  readonly prices: Prices
  readonly transcript: Transcript
  readonly context: EconomyContext
  readonly state: EconomyState
  readonly propose: Propose
}

function plan(it: Case, proposed: readonly Edit[]): Plan {
  const { preset, prices, transcript, context, state } = it
  const asked = context.epoch === 'asked' || context.epoch === 'handoff'
  const idle = context.lastCallAt === undefined ? 0 : Math.max(0, context.now - context.lastCallAt)
  const cold = idle > prices.ttl
  // What a person asks for depends on the session alone, not on how long ago it was used.
  const edits = cold && !asked ? it.propose(coldRules(preset)) : proposed
  const urgent = edits.filter((edit) => edit.purpose !== 'economy')
  const economy = edits.filter((edit) => edit.purpose === 'economy')
  const sums = measureEdits(transcript, context, urgent, economy)
  const waited = waitedFor(transcript, state, economy, prices.read * (context.measure?.scale ?? 1))
  const decision = decide(
    {
      cold,
      prompt: promptTokens(transcript, context),
      limit: context.limit,
      saves: sums.saves,
      rewritten: sums.rewritten,
      waited: waited.reduce((sum, each) => sum + each, 0),
    },
    prices,
    preset.patience,
  )
  const shortfall = protectedShortfall(transcript, context)
  const full = decision.prompt > context.limit
  const rewrite = asked || ((decision.rewrite || full) && !shortfall)
  const lineOf = (count: number, after: number): string =>
    explain({ call: turnsOf(transcript).length, decision, edits: count, after, idle, readPrice: prices.read, asked })
  if (!rewrite) return waitingPlan(urgent, economy, waited, shortfall, lineOf(economy.length, decision.prompt))
  return flushPlan(it, urgent, economy, decision, shortfall, lineOf)
}

function waitingPlan(
  urgent: readonly Edit[],
  economy: readonly Edit[],
  waited: readonly number[],
  shortfall: Shortfall | undefined,
  line: string,
): Plan {
  return { edits: urgent, waiting: economy, waited, explanation: [line], ...(shortfall ? { shortfall } : {}) }
}

/** All together; where that does not fit the limit, deeper. */
function flushPlan(
  it: Case,
  urgent: readonly Edit[],
  economy: readonly Edit[],
  decision: Decision,
  protectedOver: Shortfall | undefined,
  lineOf: (edits: number, after: number) => string,
): Plan {
  const { transcript, context, preset, propose } = it
  const usual = measureEdits(transcript, context, urgent, economy)
  const fits = decision.prompt - usual.saves <= context.limit
  const deep = fits ? undefined : fitDeep({ transcript, context, rules: preset.rules, propose })
  const edits = deep?.edits ?? [...urgent, ...economy]
  const after = deep?.after ?? decision.prompt - usual.saves
  const cannot: Shortfall | undefined =
    after > context.limit ? { reason: 'cannot-fit', needed: Math.round(after), limit: context.limit } : undefined
  const shortfall = protectedOver ?? cannot
  const count = edits.length - urgent.length
  return { edits, waiting: [], explanation: [lineOf(count, after)], ...(shortfall ? { shortfall } : {}) }
}

/** The floor, the task and the newest turn may never leave: where they exceed the limit, nothing helps. */
function protectedShortfall(transcript: Transcript, context: EconomyContext): Shortfall | undefined {
  const entries = protectedEntries(transcript, DEFAULT_NEWEST_TURNS)
  const { floor, scale } = context.measure ?? { floor: 0, scale: 1 }
  let needed = floor
  for (const message of transcript.messages) {
    for (const block of message.blocks) if (entries.has(block.at.entry)) needed += scale * block.tokens
  }
  if (needed <= context.limit) return undefined
  return { reason: 'floor-too-large', needed: Math.round(needed), limit: context.limit }
}
