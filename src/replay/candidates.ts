/**
 * When each rule of a policy would take out what, for a whole recording at once: the rules propose everything they
 * ever could (their windows set to nothing), and each proposal gets the call from which its window allows it. That
 * the two agree with the rules on every prefix is a test.
 */
import { callArguments } from '../core/rules/arguments.ts'
import { callLines } from '../core/rules/call-lines.ts'
import { glances, isGlance } from '../core/rules/glances.ts'
import { images } from '../core/rules/images.ts'
import type { RuleOptions } from '../core/rules/index.ts'
import { ledger } from '../core/rules/ledger.ts'
import { results } from '../core/rules/results.ts'
import { isAnswered } from '../core/rules/window.ts'
import type { Exchange } from '../core/transcript.ts'
import { addressKey, exchangesOf } from '../core/transcript.ts'
import { type Proposal, proposals } from './proposals.ts'
import type { Recording } from './recording.ts'
import { besideTasks, taskCandidates } from './task-candidates.ts'

/** An item may shrink to `tokens` from this call on. */
export interface Candidate {
  readonly item: number
  readonly tokens: number
  readonly from: number
}

/** No economy edit touches the newest turn. */
const NEWEST_TURNS = 1

/** Every candidate, ordered by the call from which it holds. */
export function candidatesOf(recording: Recording, rules: RuleOptions): Candidate[] {
  const { transcript } = recording
  const exchanges = exchangesOf(transcript)
  const others = [
    ...windowCandidates(recording, exchanges, rules),
    ...denialCandidates(recording, exchanges, rules),
    ...glanceCandidates(recording, exchanges, rules),
    ...argumentCandidates(recording, rules),
    ...foldCandidates(recording, rules),
    ...ledgerCandidates(recording, rules),
  ]
  const candidates = [
    ...besideTasks(recording, rules.tasks, others),
    ...(rules.tasks ? taskCandidates(recording, rules.tasks) : []),
  ]
  return candidates.sort((a, b) => a.from - b.from)
}

/** What an edit of one block leaves of its item. */
function shrunk(recording: Recording, { item, frees }: Proposal, from: number): Candidate[] {
  if (item === undefined) return []
  const { tokens, turn } = recording.items[item] ?? { tokens: 0, turn: 0 }
  return [
    { item, tokens: Math.max(0, tokens - recording.scale * frees), from: Math.max(from, turn + 1 + NEWEST_TURNS) },
  ]
}

/** The call before which so many newer exchanges of the list exist; beyond the last call when never. */
function whenNewer(exchanges: readonly Exchange[], index: number, keep: number): number {
  const newer = exchanges[index + keep]
  return newer === undefined ? Number.POSITIVE_INFINITY : newer.turn + 1
}

const EVERYTHING = { keep: 0, keepReads: 0 }
const CONTEXT = { answerLast: false }

function windowCandidates(recording: Recording, exchanges: readonly Exchange[], rules: RuleOptions): Candidate[] {
  const { transcript } = recording
  const counted = exchanges.filter(({ result }) => result !== undefined && !result.invented)
  const rank = ranks(counted)
  const from = ({ key }: Proposal, { keep, keepReads }: { keep: number; keepReads: number }): number => {
    const index = rank.get(key) ?? Number.POSITIVE_INFINITY
    const isRead = transcript.tools.reads.has(counted[index]?.call.tool ?? '')
    return whenNewer(counted, index, isRead ? keepReads : keep)
  }
  const candidates: Candidate[] = []
  const { images: media, results: bodies } = rules
  if (media) {
    const all = { ...media, ...EVERYTHING, afterTurns: 1 }
    for (const proposal of proposals(recording, `images ${media.minChars}`, () => images(transcript, all, CONTEXT))) {
      const old = turnOf(recording, proposal) + 1 + media.afterTurns
      candidates.push(...shrunk(recording, proposal, proposal.kind === 'replace-media' ? old : from(proposal, media)))
    }
  }
  if (bodies) {
    const all = { ...bodies, ...EVERYTHING }
    for (const proposal of proposals(recording, `results ${all.minChars}`, () => results(transcript, all, CONTEXT))) {
      candidates.push(...shrunk(recording, proposal, from(proposal, bodies)))
    }
  }
  return candidates
}

function ranks(exchanges: readonly Exchange[]): Map<string, number> {
  return new Map(exchanges.flatMap(({ result }, index) => (result ? [[addressKey(result.at), index] as const] : [])))
}

function turnOf(recording: Recording, { item }: Proposal): number {
  return recording.items[item ?? -1]?.turn ?? 0
}

function denialCandidates(recording: Recording, exchanges: readonly Exchange[], { denials }: RuleOptions): Candidate[] {
  if (!denials) return []
  const refused = exchanges.filter(({ result }) => result?.denied === 'machine')
  return refused.flatMap(({ call, result }, index) => {
    const from = Math.max(whenNewer(refused, index, denials.keep), (refused[index]?.turn ?? 0) + 1 + NEWEST_TURNS)
    return [call.at, ...(result ? [result.at] : [])].flatMap((at) => {
      const item = recording.itemOf.get(addressKey(at))
      return item === undefined ? [] : [{ item, tokens: 0, from }]
    })
  })
}

function glanceCandidates(recording: Recording, exchanges: readonly Exchange[], rules: RuleOptions): Candidate[] {
  const { transcript } = recording
  if (!rules.glances) return []
  const looked = exchanges.filter((exchange) => isAnswered(exchange) && isGlance(exchange, transcript.tools))
  const rank = ranks(looked)
  const { keep, maxChars } = rules.glances
  return proposals(recording, `glances ${maxChars}`, () => glances(transcript, { keep: 0, maxChars }, CONTEXT)).flatMap(
    (proposal) =>
      shrunk(recording, proposal, whenNewer(looked, rank.get(proposal.key) ?? Number.POSITIVE_INFINITY, keep)),
  )
}

function argumentCandidates(recording: Recording, { arguments: options }: RuleOptions): Candidate[] {
  if (!options) return []
  const all = { ...options, afterTurns: 0 }
  return proposals(recording, `arguments ${all.minTokens}`, () =>
    callArguments(recording.transcript, all, CONTEXT),
  ).flatMap((proposal) => shrunk(recording, proposal, turnOf(recording, proposal) + 1 + options.afterTurns))
}

function foldCandidates(recording: Recording, rules: RuleOptions): Candidate[] {
  const options = rules['call-lines']
  return options ? foldsOf(recording, options.afterTurns) : []
}

/** What every turn that may fold leaves of its items once it is so old, oldest first. */
export function foldsOf(recording: Recording, afterTurns: number): Candidate[] {
  const closed = closedFrom(recording)
  const all = proposals(recording, 'call-lines', () => callLines(recording.transcript, { afterTurns: 0 }, CONTEXT))
  const folds = all.flatMap(({ item, answer, kind, line }): Candidate[] => {
    if (item === undefined) return []
    const from = (recording.items[item]?.turn ?? 0) + 1 + afterTurns
    if (kind !== 'fold-exchange') return [{ item, tokens: 0, from: Math.max(from, closed[item] ?? 0) }]
    const left = { item, tokens: recording.scale * line, from }
    return answer === undefined ? [left] : [left, { item: answer, tokens: 0, from }]
  })
  return folds.sort((a, b) => a.from - b.from)
}

/** Per item, the call before which somebody has spoken again: only then may the thinking of a turn leave. */
function closedFrom(recording: Recording): Float64Array {
  const closed = new Float64Array(recording.items.length)
  let next = Number.POSITIVE_INFINITY
  for (let index = recording.items.length - 1; index >= 0; index--) {
    const { kind, turn } = recording.items[index] ?? { kind: 'words', turn: 0 }
    closed[index] = kind === 'thinking' ? next : 0
    if (kind === 'user') next = turn + 1
  }
  return closed
}

/** What the pointer of a stretch costs is spread over the stretch, as the rule spreads what it frees. */
function ledgerCandidates(recording: Recording, { ledger: options }: RuleOptions): Candidate[] {
  if (!options) return []
  const all = { ...options, afterTurns: 0 }
  return proposals(recording, `ledger ${all.keepTokens}`, () => ledger(recording.transcript, all, CONTEXT)).flatMap(
    (proposal) => {
      const { item, answer, frees } = proposal
      const from = Math.max(0, turnOf(recording, proposal)) + 1 + options.afterTurns
      if (item === undefined || answer === undefined) return shrunk(recording, proposal, from)
      const both = (recording.items[item]?.tokens ?? 0) + (recording.items[answer]?.tokens ?? 0)
      return [
        { item, tokens: Math.max(0, both - recording.scale * frees), from },
        { item: answer, tokens: 0, from },
      ]
    },
  )
}
