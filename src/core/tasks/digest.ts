/**
 * The record of a finished task without a model (seed O5): from the brief, the report, and the worker's own calls
 * where they are readable. Deterministic; what cannot be known is left out, never guessed.
 */

import type { Removed } from '../edits.ts'
import { isSpillwayText } from '../pointer.ts'
import { referenceOf } from '../reference.ts'
import { removedBody, removedInput, removedText } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import { openingOf } from './opening.ts'
import { RECORD_TOKENS, renderRecord, type TaskRecord } from './record.ts'
import { type ReportFacts, readReport } from './report.ts'
import type { Task } from './task.ts'
import { listedFacts, type WorkerFacts, workerFacts } from './worker-calls.ts'

const MOST_TASK_CHARS = 70
const MOST_RESULT_CHARS = 160
const MOST_LINE_CHARS = 80
const FEWEST_RESULT_CHARS = 40

/** The record of this task; only finished ones have one that means anything. */
export function digestOf(task: Task): TaskRecord {
  const { report, calls, filesAdded, filesChanged } = factsOf(task)
  const failed = task.state !== 'completed'
  const draft: TaskRecord = {
    origin: originOf(task),
    task: shortTask(task),
    outcome: failed ? 'failed' : 'success',
    result: report && !isEcho(task) ? openingOf(report.conclusion, MOST_RESULT_CHARS) : '',
    filesAdded,
    filesChanged,
    errors: linesFrom([...(failed && task.error ? [task.error] : []), ...(report?.errors ?? [])]),
    triedAndFailed: linesFrom([...calls.failures, ...(report?.triedAndFailed ?? [])]),
    toRemember: linesFrom(report?.toRemember ?? []),
    references: [bundleOf(task, [...filesAdded, ...filesChanged]).ref],
  }
  return fitted(draft)
}

/** Gives way until it fits: what was tried, what to remember, further errors, then the length of the result. */
function fitted(draft: TaskRecord): TaskRecord {
  let record = draft
  const over = (): boolean => estimateTokens(renderRecord(record)) > RECORD_TOKENS
  if (over())
    record = { ...record, triedAndFailed: record.triedAndFailed.slice(0, 1), errors: record.errors.slice(0, 1) }
  if (over()) record = { ...record, toRemember: record.toRemember.slice(0, 1) }
  if (over()) record = { ...record, triedAndFailed: [] }
  for (let most = MOST_RESULT_CHARS / 2; over() && most >= FEWEST_RESULT_CHARS; most /= 2) {
    record = { ...record, result: openingOf(record.result, most), task: openingOf(record.task, most) }
  }
  if (over()) record = { ...record, toRemember: [], errors: [] }
  return record
}

function linesFrom(lines: readonly string[]): string[] {
  return [...new Set(lines.filter((line) => line !== '').map((line) => openingOf(line, MOST_LINE_CHARS)))]
}

/** The child by the key that other messages may name it by. */
function originOf(task: Task): string {
  const key = task.ids.find((id) => id.startsWith('agent:')) ?? task.ids.find((id) => id !== task.spawn.call.id)
  return key ?? task.spawn.call.tool
}

/** How the brief opens, the next line with it where the first only leads to it; what a pointer stands for is no task. */
function shortTask(task: Task): string {
  if (task.brief === '' || isSpillwayText(task.brief)) return openingOf(task.name, MOST_TASK_CHARS)
  const [first = '', ...rest] = task.brief.split('\n', 20).filter((line) => /\w/.test(line))
  const opening = first.replace(/^[#*\s]+|(?<!\*)\*+$/g, '').trim()
  const leads = opening.length < MOST_TASK_CHARS / 2 || opening.endsWith(':')
  return openingOf(leads ? [opening, ...rest].join(' ') : opening, MOST_TASK_CHARS)
}

/** A worker that never came to speak is announced with what it was told. */
function isEcho({ state, report }: Task): boolean {
  return state === 'failed' && report !== undefined && report.startsWith('[Subagent Context]')
}

/** Everything that was said to and by the worker, as `recall` brings it back: one object under the record's reference. */
export function bundleOf(task: Task, files: readonly string[] = filesOf(task)): Removed {
  const { call, result } = task.spawn
  const facts = { at: call.at, rule: 'tasks', class: 'restorable' as const, call, target: task.name }
  const raw = [
    removedInput(call, facts).ref,
    ...(result ? [removedBody(result, facts).ref] : []),
    ...task.completions.flatMap(({ words }) => (words === undefined ? [] : [referenceOf(words)])),
  ]
  const parts = [
    `task: ${task.name}`,
    `known as: ${task.ids.join(' ')}`,
    ...(files.length === 0 ? [] : [`files: ${files.join(' ')}`]),
    `--- brief\n${task.brief}`,
    ...(task.report === undefined ? [] : [`--- report\n${task.report}`]),
    ...(task.error === undefined ? [] : [`--- error\n${task.error}`]),
    `--- as recorded\n${[...new Set(raw)].map((ref) => `[spillway ${ref}: as recorded]`).join('\n')}`,
  ]
  return removedText(parts.join('\n'), facts)
}

/** Files that it made or changed, as far as anybody can tell. */
function filesOf(task: Task): string[] {
  const { filesAdded, filesChanged } = factsOf(task)
  return [...filesAdded, ...filesChanged]
}

interface TaskFacts {
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  readonly calls: WorkerFacts
  readonly report: ReportFacts | undefined
}

/** A plan that must cut deep asks for the same task again and again. */
const known = new WeakMap<Task, TaskFacts>()

/** Where its calls are readable, what a worker claims about files counts for nothing. */
function factsOf(task: Task): TaskFacts {
  const earlier = known.get(task)
  if (earlier) return earlier
  const report = task.report === undefined ? undefined : readReport(task.report)
  const calls = task.child ? workerFacts(task.child) : listedFacts(task.report ?? '')
  const readable = task.child !== undefined || calls.filesAdded.length + calls.filesChanged.length > 0
  const files = readable ? calls : report
  const facts = { filesAdded: files?.filesAdded ?? [], filesChanged: files?.filesChanged ?? [], calls, report }
  known.set(task, facts)
  return facts
}
