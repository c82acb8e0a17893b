/**
 * One finished task becomes its record (seed O4): the call that spawned it keeps its id and its keys with a shortened
 * brief, its result becomes the record, announcements and polls leave. What others said in between stays.
 */
import { ARGUMENT_CHARS } from '../blocks.ts'
import type { Edit, EditChange, InputPath, Removed } from '../edits.ts'
import { isSpillwayText } from '../pointer.ts'
import { removedBody, removedInput, removedText } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { Address, CallBlock, Exchange, ResultBlock, Transcript } from '../transcript.ts'
import { addressKey, exchangesOf } from '../transcript.ts'
import { saidIn } from './completions.ts'
import { bundleOf, digestOf } from './digest.ts'
import { openingOf } from './opening.ts'
import { recordFault, renderRecord, type TaskRecord } from './record.ts'
import { briefKey } from './spawns.ts'
import type { Completion, Task } from './task.ts'
import { isAnnouncement } from './wording.ts'

export const TASKS_RULE = 'tasks'
/** What stays of a brief in its call. */
const MOST_BRIEF_CHARS = 40

/** Records that a model has written, by task id. */
export type Summaries = ReadonlyMap<string, TaskRecord>

/** A finished task that is answered in words: the only kind that ever folds. */
export interface FinishedTask extends Task {
  readonly spawn: Exchange & { readonly result: ResultBlock; readonly resultMessage: number }
}

export function isFinished(task: Task): task is FinishedTask {
  const { result, resultMessage } = task.spawn
  if (task.state !== 'completed' && task.state !== 'failed') return false
  if (!result || resultMessage === undefined || result.denied !== undefined || result.invented) return false
  return task.completions.length > 0 && result.parts.every((part) => part.type === 'text')
}

/** The record that takes a task's place: the summary where it can stand, else the digest. */
export function recordOf(task: Task, summaries?: Summaries): TaskRecord {
  const digest = digestOf(task)
  const summary = summaries?.get(task.id)
  if (!summary || recordFault(summary, digest) !== undefined) return digest
  return { ...summary, origin: digest.origin, references: digest.references }
}

/** The edits that fold this task, but for messages that other tasks share; `frees` of each is what it really frees. */
export function foldEdits(task: FinishedTask, record: TaskRecord, transcript: Transcript): Edit[] {
  const text = renderRecord(record)
  const { call, result } = task.spawn
  const files = [...record.filesAdded, ...record.filesChanged]
  const brief = shortenedArguments(call)
  const input = removedInput(call, { ...factsOf(task), call })
  const removed = [bundleOf(task, files), bodyOf(task)]
  const shortens = brief.values.length > 0
  const answer = edit(task, result.at, result.tokens - estimateTokens(text), shortens ? removed : [...removed, input], {
    kind: 'replace-result',
    text,
  })
  const change = { kind: 'replace-arguments', values: brief.values } as const
  return [
    answer,
    ...(shortens ? [edit(task, call.at, brief.frees, [input], change)] : []),
    ...pollEdits(task, transcript),
  ]
}

/** Polls for the result leave with what they found. */
export function pollEdits(task: FinishedTask, transcript: Transcript): Edit[] {
  const polls = new Set(task.completions.flatMap(({ kind, at }) => (kind === 'poll' ? [addressKey(at)] : [])))
  if (polls.size === 0) return []
  return exchangesOf(transcript).flatMap(({ call, result }) => {
    if (!polls.has(addressKey(call.at)) || !result || result.denied !== undefined) return []
    const facts = { ...factsOf(task), call }
    const removed = [removedInput(call, facts), removedBody(result, facts)]
    return [edit(task, call.at, call.tokens + result.tokens, removed, { kind: 'drop-exchange', result: result.at })]
  })
}

/** An announcement leaves as a whole message. */
export function announcementEdit(task: Task, { message: index }: Completion, transcript: Transcript): Edit | undefined {
  const message = transcript.messages[index]
  const [first] = message?.blocks ?? []
  if (!message || !first || !isDroppable(transcript, index)) return undefined
  const { thread, entry } = first.at
  const tokens = message.blocks.reduce((sum, block) => sum + block.tokens, 0)
  const removed = [removedText(saidIn(message), { ...factsOf(task), at: first.at })]
  return edit(task, { thread, entry }, tokens, removed, { kind: 'drop-message', entries: message.entries })
}

/**
 * Only a message that says nothing else: the recording calls it an announcement, or all of it opens as one, which is
 * all that older versions and plain requests tell.
 */
export function isDroppable(transcript: Transcript, index: number): boolean {
  const message = transcript.messages[index]
  if (!message || message.blocks.length === 0) return false
  if (message.kind !== 'task-event' && message.kind !== undefined) return false
  return message.blocks.every((block) => {
    return block.type === 'text' && (message.kind === 'task-event' || isAnnouncement(block.text))
  })
}

function edit(task: Task, at: Address, frees: number, removed: readonly Removed[], change: EditChange): Edit {
  return {
    ...change,
    at,
    rule: TASKS_RULE,
    reason: `task "${task.name}" is finished: its record stays`,
    purpose: 'economy',
    class: 'restorable',
    frees,
    removed,
  }
}

function factsOf(task: Task) {
  return { at: task.spawn.call.at, rule: TASKS_RULE, class: 'restorable' as const, target: task.name }
}

export function bodyOf(task: FinishedTask): Removed {
  return removedBody(task.spawn.result, { ...factsOf(task), call: task.spawn.call })
}

/** The brief and other long texts keep how they open; the object and all its keys stay (A19). */
export function shortenedArguments(call: CallBlock): {
  values: { path: InputPath; text: string }[]
  frees: number
} {
  const brief = briefKey(call)
  const values: { path: InputPath; text: string }[] = []
  let frees = 0
  for (const [key, value] of Object.entries(call.input)) {
    if (typeof value !== 'string' || isSpillwayText(value)) continue
    if (value.length <= (key === brief ? MOST_BRIEF_CHARS : ARGUMENT_CHARS)) continue
    const text = openingOf(value, MOST_BRIEF_CHARS)
    const long = call.longArguments.find(({ path }) => path.length === 1 && path[0] === key)
    const freed = (long?.tokens ?? estimateTokens(value)) - estimateTokens(text)
    if (freed <= 0) continue
    frees += freed
    values.push({ path: [key], text })
  }
  return { values, frees }
}

/**
 * The same edits with what they free shared out, so that each frees something: one pays for what another leaves.
 * Undefined where all of them together free nothing.
 */
export function sharedOut(edits: readonly Edit[]): Edit[] | undefined {
  let owed = edits.reduce((sum, { frees }) => sum + Math.max(0, 1 - frees), 0)
  const shared = edits.map((each): Edit => {
    if (each.frees < 1) return { ...each, frees: 1 }
    const paid = Math.min(owed, each.frees - 1)
    owed -= paid
    return paid === 0 ? each : { ...each, frees: each.frees - paid }
  })
  return owed > 0 ? undefined : shared
}
