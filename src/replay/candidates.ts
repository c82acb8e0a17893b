/**
 * When each rule of a policy would take out what, for a whole recording at once: the rules propose everything they
 * ever could (their windows set to nothing), and each proposal gets the call from which its window allows it. That
 * the two agree with the rules on every prefix is a test.
 */
import type { Edit } from '../core/edits.ts'
import { POINTER_TOKENS } from '../core/pointer.ts'
import { callArguments } from '../core/rules/arguments.ts'
import { callLines } from '../core/rules/call-lines.ts'
import { glances, isGlance } from '../core/rules/glances.ts'
import { images } from '../core/rules/images.ts'
import type { RuleOptions } from '../core/rules/index.ts'
import { ledger } from '../core/rules/ledger.ts'
import { results } from '../core/rules/results.ts'
import { isAnswered } from '../core/rules/window.ts'
import { estimateTokens } from '../core/tokens.ts'
import type { Exchange } from '../core/transcript.ts'
import { addressKey, exchangesOf } from '../core/transcript.ts'
import type { Recording } from './recording.ts'

/** An item may shrink to `tokens` from this call on. */
export interface Candidate {
  readonly item: number
  readonly tokens: number
  readonly from: number
  /** Candidates of one stretch leave one pointer together (the ledger). */
  readonly stretch?: number
}

/** No economy edit touches the newest turn. */
const NEWEST_TURNS = 1

/** Every candidate, ordered by the call from which it holds. */
export function candidatesOf(recording: Recording, rules: RuleOptions): Candidate[] {
  const { transcript } = recording
  const exchanges = exchangesOf(transcript)
  const candidates = [
    ...windowCandidates(recording, exchanges, rules),
    ...denialCandidates(recording, exchanges, rules),
    ...glanceCandidates(recording, exchanges, rules),
    ...argumentCandidates(recording, rules),
    ...foldCandidates(recording, rules),
    ...ledgerCandidates(recording, rules),
  ]
  return candidates.sort((a, b) => a.from - b.from)
}

/** What an edit of one block leaves of its item. */
function shrunk(recording: Recording, edit: Edit, from: number): Candidate[] {
  const item = recording.itemOf.get(addressKey(edit.at))
  if (item === undefined) return []
  const { tokens, turn } = recording.items[item] ?? { tokens: 0, turn: 0 }
  return [
    { item, tokens: Math.max(0, tokens - recording.scale * edit.frees), from: Math.max(from, turn + 1 + NEWEST_TURNS) },
  ]
}

/** The call before which so many newer exchanges of the list exist; beyond the last call when never. */
function whenNewer(exchanges: readonly Exchange[], index: number, keep: number): number {
  const newer = exchanges[index + keep]
  return newer === undefined ? Number.POSITIVE_INFINITY : newer.turn + 1
}

function windowCandidates(recording: Recording, exchanges: readonly Exchange[], rules: RuleOptions): Candidate[] {
  const { transcript } = recording
  const counted = exchanges.filter(({ result }) => result !== undefined && !result.invented)
  const rank = new Map(counted.map(({ result }, index) => [addressKey(result?.at ?? { thread: '', entry: -1 }), index]))
  const context = { answerLast: false }
  const from = (edit: Edit, { keep, keepReads }: { keep: number; keepReads: number }): number => {
    const index = rank.get(addressKey(edit.at)) ?? Number.POSITIVE_INFINITY
    const isRead = transcript.tools.reads.has(counted[index]?.call.tool ?? '')
    return whenNewer(counted, index, isRead ? keepReads : keep)
  }
  const { images: media, results: bodies } = rules
  const everything = { keep: 0, keepReads: 0 }
  return [
    ...(media ? images(transcript, { ...media, ...everything, afterTurns: 1 }, context) : []).flatMap((edit) => {
      const turn = recording.items[recording.itemOf.get(addressKey(edit.at)) ?? -1]?.turn ?? 0
      const old = edit.kind === 'replace-media' ? turn + 1 + (media?.afterTurns ?? 0) : from(edit, media ?? everything)
      return shrunk(recording, edit, old)
    }),
    ...(bodies ? results(transcript, { ...bodies, ...everything }, context) : []).flatMap((edit) =>
      shrunk(recording, edit, from(edit, bodies ?? everything)),
    ),
  ]
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
  const rank = new Map(looked.map(({ result }, index) => [addressKey(result?.at ?? { thread: '', entry: -1 }), index]))
  const keep = rules.glances.keep
  return glances(transcript, { ...rules.glances, keep: 0 }, { answerLast: false }).flatMap((edit) =>
    shrunk(recording, edit, whenNewer(looked, rank.get(addressKey(edit.at)) ?? Number.POSITIVE_INFINITY, keep)),
  )
}

function argumentCandidates(recording: Recording, { arguments: options }: RuleOptions): Candidate[] {
  if (!options) return []
  return callArguments(recording.transcript, { ...options, afterTurns: 0 }, { answerLast: false }).flatMap((edit) => {
    const turn = recording.items[recording.itemOf.get(addressKey(edit.at)) ?? -1]?.turn ?? 0
    return shrunk(recording, edit, turn + 1 + options.afterTurns)
  })
}

function foldCandidates(recording: Recording, rules: RuleOptions): Candidate[] {
  const options = rules['call-lines']
  return options ? foldsOf(recording, options.afterTurns) : []
}

/** What every turn that may fold leaves of its items once it is so old, oldest first. */
export function foldsOf(recording: Recording, afterTurns: number): Candidate[] {
  const closed = closedFrom(recording)
  return callLines(recording.transcript, { afterTurns: 0 }, { answerLast: false }).flatMap((edit) => {
    const item = recording.itemOf.get(addressKey(edit.at))
    if (item === undefined) return []
    const from = (recording.items[item]?.turn ?? 0) + 1 + afterTurns
    if (edit.kind !== 'fold-exchange') {
      return [{ item, tokens: 0, from: Math.max(from, closed[item] ?? 0) }]
    }
    const line = recording.scale * estimateTokens(edit.text)
    const result = edit.result && recording.itemOf.get(addressKey(edit.result))
    return [{ item, tokens: line, from }, ...(result === undefined ? [] : [{ item: result, tokens: 0, from }])]
  })
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

/** Lines of one stretch share a pointer; a text of the user has its own. */
function ledgerCandidates(recording: Recording, { ledger: options }: RuleOptions): Candidate[] {
  if (!options) return []
  let stretch = 0
  return ledger(recording.transcript, { ...options, afterTurns: 0 }, { answerLast: false }).flatMap((edit) => {
    const item = recording.itemOf.get(addressKey(edit.at))
    if (item === undefined) return []
    const turn = Math.max(0, recording.items[item]?.turn ?? 0)
    const from = turn + 1 + options.afterTurns
    const kind = recording.items[item]?.kind
    if (kind === 'user' || kind === 'harness') return shrunk(recording, edit, from)
    const opens = edit.kind === 'replace-text' || edit.kind === 'fold-exchange'
    if (opens) stretch++
    const result = edit.kind === 'drop-exchange' || edit.kind === 'fold-exchange' ? edit.result : undefined
    const answer = result && recording.itemOf.get(addressKey(result))
    return [item, ...(answer === undefined ? [] : [answer])].map((each) => ({ item: each, tokens: 0, from, stretch }))
  })
}

/** Tokens of the pointer that a stretch leaves. */
export function stretchTokens(recording: Recording): number {
  return recording.scale * POINTER_TOKENS
}
