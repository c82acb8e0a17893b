/**
 * Ways to keep a long history inside a window, on the same made-up runs of 500 and 5,000 messages: what is left of the
 * planted facts at the end, or can be had again, whether every request was legal, what was sent, and what it took.
 */
import { checkRequest } from '../src/formats/legality/index.ts'
import { fit } from '../src/loops/fit.ts'
import { budgetOf } from '../src/planning/budget/index.ts'
import { PRUNE_MESSAGES } from './fit/ai-sdk.ts'
import { CHIMERA } from './fit/chimera.ts'
import { CONTEXT_EDITING, DEEPAGENTS, TRIM_MESSAGES } from './fit/langchain.ts'
import { ours } from './fit/ours.ts'
import type { Peer, Prompt } from './fit/peer.ts'
import { tokensOf } from './fit/tokens.ts'
import { type ChatMessage, type FactPlace, type Trajectory, trajectoryOf } from './fit/trajectory.ts'

const LENGTHS = [500, 5_000]
export const SEED = 20_261_130
/** Tokens. */
export const WINDOW = 64_000
/** A request after so many messages at least: every one of 5,000 would take the peers hours. */
const MESSAGES_PER_CALL: Readonly<Record<number, number>> = { 500: 1, 5000: 40 }

const EVERYTHING: Peer = { name: 'everything', begin: () => (history) => ({ messages: history }) }

interface Row {
  readonly name: string
  readonly calls: number
  readonly illegal: number
  readonly over: number
  readonly largest: number
  readonly mean: number
  readonly rewrites: number
  readonly millisecondsPerCall: number
  readonly kept: Readonly<Record<FactPlace | 'all', number>>
  readonly recoverable: number
}

/** One strategy over one run, asked before every answer that comes at least so many messages after the last. */
export async function rowOf(peer: Peer, run: Trajectory, every: number): Promise<Row> {
  const { limit, budget } = budgetOf(WINDOW)
  const next = peer.begin(limit, run.task)
  const sizes: number[] = []
  let illegal = 0
  let rewrites = 0
  let milliseconds = 0
  let last: Prompt = { messages: [] }
  for (const end of requestEnds(run.messages, every)) {
    const history = run.messages.slice(0, end)
    const start = process.cpuUsage()
    const prompt = await next(history)
    milliseconds += cpuMilliseconds(process.cpuUsage(start))
    sizes.push(tokensOf(prompt.messages))
    if (!isLegal(prompt.messages)) illegal++
    if (!beginsWith(prompt.messages, last.messages)) rewrites++
    last = prompt
  }
  const text = JSON.stringify(last.messages)
  const share = (place?: FactPlace): number => {
    const facts = run.facts.filter((fact) => place === undefined || fact.place === place)
    return facts.filter((fact) => text.includes(fact.text)).length / facts.length
  }
  const had = run.facts.filter((fact) => text.includes(fact.text) || last.canRecover?.(fact.text))
  return {
    name: peer.name,
    calls: sizes.length,
    illegal,
    rewrites,
    over: sizes.filter((size) => size > budget).length,
    largest: Math.max(...sizes),
    mean: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
    millisecondsPerCall: milliseconds / sizes.length,
    kept: {
      all: share(),
      task: share('task'),
      user: share('user'),
      answer: share('answer'),
      argument: share('argument'),
      result: share('result'),
    },
    recoverable: had.length / run.facts.length,
  }
}

/** Time of the processor: what a busy machine does beside it does not count. */
function cpuMilliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

/** Lengths of the history at which the model is asked: everything before an answer. */
function requestEnds(messages: readonly ChatMessage[], every: number): number[] {
  const ends: number[] = []
  for (const [index, { role }] of messages.entries()) {
    if (role === 'assistant' && index - (ends.at(-1) ?? 0) >= every) ends.push(index)
  }
  return [...ends, messages.length]
}

function isLegal(messages: readonly ChatMessage[]): boolean {
  const findings = checkRequest('openai-chat', { model: 'gpt-5.2', messages })
  return messages.length > 0 && findings.every(({ severity }) => severity !== 'reject')
}

function beginsWith(messages: readonly ChatMessage[], beginning: readonly ChatMessage[]): boolean {
  return beginning.every((message, index) => {
    const other = messages[index]
    return other === message || JSON.stringify(other) === JSON.stringify(message)
  })
}

export async function benchFit(): Promise<void> {
  const { limit, budget } = budgetOf(WINDOW)
  console.log(`window ${WINDOW}, budget ${budget}, acting at ${limit} tokens of our estimate; seed ${SEED}`)
  for (const length of LENGTHS) {
    const run = trajectoryOf(length, SEED)
    const every = MESSAGES_PER_CALL[length] ?? 1
    console.log(`\n${length} messages, ${tokensOf(run.messages)} tokens, ${run.facts.length} facts`)
    console.log(
      `${'strategy'.padEnd(26)}  calls illegal   over rewrites largest    mean  cpu ms     kept task user answer  args result   recoverable`,
    )
    for (const peer of [
      EVERYTHING,
      ours(WINDOW),
      CHIMERA,
      TRIM_MESSAGES,
      CONTEXT_EDITING,
      PRUNE_MESSAGES,
      DEEPAGENTS,
    ]) {
      print(await rowOf(peer, run, every))
    }
  }
  await benchGrowth()
}

function print(row: Row): void {
  const percent = (share: number): string => `${(100 * share).toFixed(0)}%`
  const { kept } = row
  const columns: readonly (readonly [string, number])[] = [
    [String(row.calls), 7],
    [String(row.illegal), 8],
    [String(row.over), 7],
    [String(row.rewrites), 9],
    [String(row.largest), 8],
    [row.mean.toFixed(0), 8],
    [row.millisecondsPerCall.toFixed(1), 9],
    [percent(kept.all), 8],
    [percent(kept.task), 5],
    [percent(kept.user), 5],
    [percent(kept.answer), 7],
    [percent(kept.argument), 6],
    [percent(kept.result), 7],
    [percent(row.recoverable), 14],
  ]
  console.log(row.name.padEnd(26) + columns.map(([text, width]) => text.padStart(width)).join(''))
}

const GROWTH_CALLS = 50
/** Tokens that no run here has. */
const ENOUGH = 10_000_000

export interface Growth {
  /** Milliseconds of the calls after the first, and of serialising the messages once. */
  readonly calls: readonly number[]
  readonly serialising: number
}

/** `fit` on so many messages that grow by a turn at a time, against serialising them once. */
export async function growthOf(length: number, window: number): Promise<Growth> {
  const { messages } = trajectoryOf(length + 4 * GROWTH_CALLS, SEED)
  const ends = requestEnds(messages, 1).filter((end) => end >= length)
  const first = messages.slice(0, ends[0])
  const serialising = median(Array.from({ length: 20 }, () => timed(() => JSON.stringify(first))))
  const options = { model: 'gpt-5.2', shape: 'chat', window } as const
  let { state } = await fit(first, options)
  const calls: number[] = []
  for (const end of ends.slice(1, GROWTH_CALLS)) {
    const history = messages.slice(0, end)
    const start = performance.now()
    const fitted = await fit(history, { ...options, state })
    calls.push(performance.now() - start)
    state = fitted.state
  }
  return { calls, serialising }
}

async function benchGrowth(): Promise<void> {
  for (const window of [WINDOW, ENOUGH]) {
    const { calls, serialising } = await growthOf(5_000, window)
    const mean = calls.reduce((sum, time) => sum + time, 0) / calls.length
    const times = (milliseconds: number): string => {
      return `${milliseconds.toFixed(2)} ms (${(milliseconds / serialising).toFixed(2)} x)`
    }
    const what = window === WINDOW ? 'a window that is compacted into' : 'a window that holds them'
    console.log(
      `\nfit on 5,000 messages after the first call, ${what}: median ${times(median(calls))}, mean ${times(mean)}; ` +
        `serialising them once ${serialising.toFixed(2)} ms`,
    )
  }
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
