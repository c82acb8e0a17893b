/**
 * The plan of a budget (seed C5): nothing below the limit; above it reversible steps first, from mild to strict, then
 * whole old turns, down to half the room, so that it does not run at every step. Pure.
 */
import { apply } from '../../core/apply.ts'
import type { Edit } from '../../core/edits.ts'
import type { EconomyContext, Plan, Policy, Propose, Shortfall } from '../../core/policy.ts'
import type { RuleOptions } from '../../core/rules/index.ts'
import { DEFAULT_TASKS } from '../../core/rules/tasks.ts'
import { thinkingStep } from '../../core/thinking.ts'
import { type Message, type Transcript, turnsOf } from '../../core/transcript.ts'
import { PRESETS, PROTECTIONS, withKeep } from '../presets.ts'
import type { Budget } from './budget.ts'
import { type EvictableTurn, earlierNotes, evictableTurns, evictionEdits } from './evict.ts'
import { isPinned, pinnedSize } from './pinned.ts'
import { blockSize, transcriptSize } from './size.ts'
import { spillEdits } from './spill.ts'

/** Of the room above what never leaves, what may be full after a compaction. */
export const ROOM_SHARE = 0.5
/** Of the room, what the results of one turn may take together. */
export const BATCH_SHARE = 0.5
/** Of the budget, what they may take however little room there is: a run that sees no result cannot go on. */
export const LEAST_BATCH_SHARE = 0.1
/** Of the room, what is put back after an eviction may take. */
export const NOTE_SHARE = 0.25
/** Of the budget, what could at most leave before it is worth a compaction that is not forced. */
export const LEAST_GAIN_SHARE = 0.1

export interface BudgetTerms {
  readonly budget: Budget
  /** Estimated tokens that stand beside the transcript: system prompt and tools. */
  readonly floor: number
  /** The provider's tokens for each estimated one. */
  readonly scale: number
  /** Estimated tokens that the note about these turns takes where it may have `room`. */
  readonly noteSize: (room: number, turns: readonly EvictableTurn[]) => number
  /** Whether a message that only its provider can read needs nothing outside itself. */
  readonly standsAlone: (message: Message) => boolean
}

/** Tokens are calibrated. */
export interface BudgetChoice {
  readonly plan: Plan
  readonly state: 'fits' | 'waits' | 'compacted' | 'floor-too-large' | 'cannot-fit'
  readonly prompt: number
  /** Floor, system messages and the user's words. */
  readonly needed: number
  readonly pinned: number
  /** What could at most leave. */
  readonly eligible: number
  readonly evicted: readonly EvictableTurn[]
  /** Estimated tokens that the note may have. */
  readonly noteRoom: number
  /** Estimated tokens that results of one turn may have together. */
  readonly batchCap: number
  /** Text of the note that the new one takes the place of. */
  readonly earlierNote?: string
}

/** Every step that leaves something readable behind; folding turns into lines is left out, since they leave whole. */
const rules: RuleOptions = { ...PRESETS.default.rules, tasks: DEFAULT_TASKS }
const LEVELS: readonly RuleOptions[] = [rules, ...PROTECTIONS.map(tightened)]

/** Every window of the rules no longer than this many results or turns. */
function tightened(keep: number): RuleOptions {
  const tight = withKeep(rules, keep, keep)
  const turns = <Options extends { readonly afterTurns: number }>(options: Options): Options => ({
    ...options,
    afterTurns: Math.min(options.afterTurns, keep),
  })
  return {
    ...tight,
    ...(tight.images ? { images: turns(tight.images) } : {}),
    ...(tight.arguments ? { arguments: turns(tight.arguments) } : {}),
    ...(tight.glances ? { glances: { ...tight.glances, keep: Math.min(tight.glances.keep, keep) } } : {}),
  }
}

/** A policy that keeps the budget; `choice` tells what it chose once the economy has asked it. */
export function budgetPolicy(terms: BudgetTerms): { readonly policy: Policy; choice(): BudgetChoice | undefined } {
  let chosen: BudgetChoice | undefined
  const policy: Policy = {
    name: 'budget',
    rules,
    choose(edits, transcript, context, _, propose) {
      chosen = budgetChoice(terms, { edits, transcript, context, propose })
      return chosen.plan
    },
  }
  return { policy, choice: () => chosen }
}

interface Proposed {
  readonly edits: readonly Edit[]
  readonly transcript: Transcript
  readonly context: EconomyContext
  readonly propose: Propose
}

/** What would be sent, and what of it may leave. */
interface Case extends Proposed {
  readonly terms: BudgetTerms
  /** What happens whatever is decided: repairs, and results too large for the room. */
  readonly urgent: readonly Edit[]
  readonly prompt: number
  readonly needed: number
  readonly noteRoom: number
}

export function budgetChoice(terms: BudgetTerms, proposed: Proposed): BudgetChoice {
  const { budget, floor, scale } = terms
  const { edits, transcript } = proposed
  const repairs = edits.filter((edit) => edit.purpose !== 'economy')
  const pins = pinnedSize(transcript)
  const needed = scale * (floor + pins.system + pins.user)
  const room = Math.max(0, budget.limit - needed)
  const batchCap = Math.floor(Math.max(BATCH_SHARE * room, LEAST_BATCH_SHARE * budget.budget) / scale)
  const noteRoom = Math.floor((NOTE_SHARE * room) / scale)
  const isHopeless = needed >= budget.limit
  const spills = isHopeless ? [] : spillEdits(apply(transcript, repairs), batchCap)
  const urgent = [...repairs, ...spills]
  const settled = apply(transcript, urgent)
  const prompt = scale * (floor + transcriptSize(settled))
  const eligible = Math.max(0, prompt - needed - scale * newestSize(settled))
  const facts = { prompt, needed, pinned: scale * pins.user, eligible, evicted: [], noteRoom, batchCap }
  const plan = (shortfall?: Shortfall): Plan => ({ edits: urgent, waiting: [], ...(shortfall ? { shortfall } : {}) })
  if (isHopeless) {
    const reason = 'floor-too-large'
    return { ...facts, state: reason, plan: plan({ reason, needed: Math.ceil(needed), limit: budget.limit }) }
  }
  if (prompt < budget.limit) return { ...facts, state: 'fits', plan: plan() }
  if (prompt <= budget.budget && eligible < LEAST_GAIN_SHARE * budget.budget) {
    return { ...facts, state: 'waits', plan: plan() }
  }
  const cut = compacted({ ...proposed, terms, urgent, prompt, needed, noteRoom })
  const gain = prompt - (cut?.after ?? prompt)
  if (prompt <= budget.budget && gain < LEAST_GAIN_SHARE * budget.budget) {
    return { ...facts, eligible: gain, state: 'waits', plan: plan() }
  }
  const after = prompt - gain
  const reason = 'cannot-fit'
  const shortfall: Shortfall | undefined =
    after > budget.budget ? { reason, needed: Math.ceil(after), limit: budget.budget } : undefined
  if (!cut) return { ...facts, state: reason, plan: plan(shortfall) }
  return {
    ...facts,
    state: shortfall ? reason : 'compacted',
    evicted: cut.evicted,
    ...(cut.earlierNote === undefined ? {} : { earlierNote: cut.earlierNote }),
    plan: { edits: cut.edits, waiting: [], ...(shortfall ? { shortfall } : {}) },
  }
}

/** The newest turn without what a person says in it. */
function newestSize(transcript: Transcript): number {
  const start = turnsOf(transcript).at(-1)?.start ?? transcript.messages.length
  let size = 0
  for (const message of transcript.messages.slice(start)) {
    for (const block of message.blocks) if (!isPinned(message, block)) size += blockSize(block)
  }
  return size
}

interface Cut {
  readonly edits: readonly Edit[]
  readonly after: number
  readonly evicted: readonly EvictableTurn[]
  readonly earlierNote?: string
}

/** The mildest cut that reaches its aim, else the deepest; undefined when nothing makes the prompt smaller. */
function compacted(it: Case): Cut | undefined {
  const { terms, prompt, needed } = it
  const aim = needed + ROOM_SHARE * (terms.budget.limit - needed)
  for (const level of LEVELS) {
    const cut = shortenedTo(it, level)
    if (cut.after <= aim) return cut
  }
  let best: Cut | undefined
  for (const level of LEVELS.slice(1)) {
    const cut = evictedTo(it, level, aim)
    if (!best || cut.after < best.after) best = cut
    if (best.after <= aim) break
  }
  return best && best.after < prompt ? best : undefined
}

function economyOf(it: Case, level: RuleOptions): Edit[] {
  return it.propose(level).filter((edit) => edit.purpose === 'economy')
}

function sizeWith({ transcript, context, terms }: Case, edits: readonly Edit[]): number {
  const strips = thinkingStep(transcript, edits, context.model ?? transcript.model)
  return terms.scale * (terms.floor + transcriptSize(apply(transcript, [...edits, ...strips])))
}

function shortenedTo(it: Case, level: RuleOptions): Cut {
  const edits = [...it.urgent, ...economyOf(it, level)]
  return { edits, after: sizeWith(it, edits), evicted: [] }
}

/** As few of the oldest turns as the aim takes, on top of what the level shortens. */
function evictedTo(it: Case, level: RuleOptions, aim: number): Cut {
  const { transcript, terms, urgent, noteRoom } = it
  const economy = economyOf(it, level)
  const view = apply(transcript, [...urgent, ...economy])
  const notes = earlierNotes(view)
  const turns = evictableTurns(view, terms.standsAlone)
  const note = terms.noteSize(noteRoom, turns)
  let left = transcriptSize(view) - notes.size + note
  let count = 0
  while (count < turns.length && terms.scale * (terms.floor + left) > aim) left -= turns[count++]?.size ?? 0
  const evicted = turns.slice(0, count)
  const gone = new Set(evicted.flatMap(({ entries }) => entries))
  const blocks = new Set(evicted.flatMap(({ blocks }) => blocks.map(({ entry, block }) => `${entry}/${block}`)))
  const staying = economy.filter(({ at }) => !gone.has(at.entry) && !blocks.has(`${at.entry}/${at.block}`))
  const leaving = evicted.length > 0 ? [...evictionEdits(view, evicted), ...notes.edits] : []
  const edits = [...urgent, ...staying, ...leaving]
  const after = sizeWith(it, edits) + (evicted.length > 0 ? terms.scale * (note - notes.decided) : 0)
  return { edits, after, evicted, ...(notes.text === undefined ? {} : { earlierNote: notes.text }) }
}
