/**
 * Records written by a model (seed O5). A summary stands only where it is as good as the digest by all that can be
 * checked; whatever else happens (a lie, silence, garbage, an injection, no server) the digest stands, with the reason.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SpillwayError } from '../../core/errors.ts'
import { recordFault, type TaskRecord } from '../../core/tasks/index.ts'
import type { DigestedTask, Summaries, SummaryOutcome } from '../../sessions/task-summaries.ts'
import { type AnyModel, askModel } from '../ask-model.ts'
import { parseSummary } from './answer.ts'
import { faultOf } from './judge.ts'
import { SUMMARY_SYSTEM, summaryPrompt } from './prompt.ts'

/** Milliseconds for one answer. */
export const DEFAULT_SUMMARY_TIMEOUT_MS = 30_000
/** Milliseconds for all of them. */
export const DEFAULT_SUMMARIES_TIMEOUT_MS = 300_000
/** Questions under way at once. */
export const DEFAULT_SUMMARY_LANES = 4

const ATTEMPTS = 2
/** Questions in a row without an answer, after which nobody is asked any more. */
const MOST_UNANSWERED = 3
/** Of an answer: the record, its keys and quotes. */
const ANSWER_TOKENS = 800

export interface SummariesOptions {
  readonly model: AnyModel
  readonly timeoutMs?: number
  readonly totalTimeoutMs?: number
  readonly lanes?: number
}

/**
 * Asks the model for each task's record, at most twice. Never rejects because of what a model does.
 * @throws SpillwayError `unavailable` without the AI SDK, `usage` for what is no model
 */
export async function summarizeTasks(
  tasks: readonly DigestedTask[],
  { model, ...options }: SummariesOptions,
): Promise<Summaries> {
  const { timeoutMs = DEFAULT_SUMMARY_TIMEOUT_MS, totalTimeoutMs = DEFAULT_SUMMARIES_TIMEOUT_MS } = options
  const asking: Asking = { model, timeoutMs, ends: Date.now() + totalTimeoutMs, unanswered: 0 }
  const records = new Map<string, TaskRecord>()
  const outcomes: SummaryOutcome[] = []
  const left = [...tasks.entries()]
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, task] = next
      const written = await recordOf(task, asking)
      if ('reason' in written) outcomes[index] = { id: task.id, by: 'digest', reason: written.reason }
      else {
        records.set(task.id, written.record)
        outcomes[index] = { id: task.id, by: 'model' }
      }
    }
  }
  await Promise.all(Array.from({ length: options.lanes ?? DEFAULT_SUMMARY_LANES }, lane))
  return { records, outcomes }
}

interface Asking {
  readonly model: AnyModel
  readonly timeoutMs: number
  /** Milliseconds since the epoch. */
  readonly ends: number
  unanswered: number
}

type Written = { readonly record: TaskRecord } | { readonly reason: string }

async function recordOf(task: DigestedTask, asking: Asking): Promise<Written> {
  let reason = ''
  let refused: string | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (asking.unanswered >= MOST_UNANSWERED) return { reason: reason || 'the model does not answer' }
    const left = asking.ends - Date.now()
    if (left <= 0) return { reason: reason || 'no time was left' }
    const answer = await answerTo(task, refused, asking, Math.min(left, asking.timeoutMs))
    if ('reason' in answer) {
      asking.unanswered++
      reason = answer.reason
      continue
    }
    asking.unanswered = 0
    const judged = judge(answer.text, task)
    if ('record' in judged) return judged
    refused = judged.reason
    reason = `the summary was refused: ${judged.reason}`
  }
  return { reason }
}

async function answerTo(
  { brief, report, digest }: DigestedTask,
  refused: string | undefined,
  { model }: Asking,
  milliseconds: number,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const stop = new AbortController()
  const silence = wait(milliseconds, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1000} s`)
  })
  try {
    const prompt = summaryPrompt({ brief, report, digest, ...(refused === undefined ? {} : { refused }) })
    const question = { system: SUMMARY_SYSTEM, prompt, mostTokens: ANSWER_TOKENS, signal: stop.signal }
    // A client may not listen to its signal: the race ends all the same.
    return { text: await Promise.race([askModel(model, question), silence]) }
  } catch (error) {
    if (error instanceof SpillwayError) throw error
    return { reason: `the model did not answer: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    silence.catch(() => {})
    stop.abort()
  }
}

function judge(answer: string, task: DigestedTask): Written {
  const summary = parseSummary(answer)
  if ('fault' in summary) return { reason: summary.fault }
  const fault = faultOf(summary, task)
  if (fault !== undefined) return { reason: fault }
  const { task: what, result, errors, triedAndFailed, toRemember } = summary
  // What was checked is taken from the digest, letter by letter.
  const record = { ...task.digest, task: what, result, errors, triedAndFailed, toRemember }
  const unfit = recordFault(record, task.digest)
  return unfit === undefined ? { record } : { reason: unfit }
}
