/** Pass 4 of the lifecycle scan (seed O3): tokens and duration of each lifecycle. */
import type { Message, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import type { Spawn } from './spawns.ts'
import type { Completion, Task } from './task.ts'
import type { Told } from './told.ts'

export type Measures = Pick<Task, 'spawnedAt' | 'completedAt' | 'durationMs' | 'tokens'>

/** `told`: what the completions said, newest last. */
export function measuresOf(
  transcript: Transcript,
  spawn: Spawn,
  completions: readonly Completion[],
  told: readonly Told[],
): Measures {
  const { exchange } = spawn
  const spawnedAt = transcript.messages[exchange.message]?.time
  const completedAt = completions.at(-1)?.time
  const counted = told.findLast(({ tokens }) => tokens !== undefined)?.tokens
  const between = spawnedAt === undefined || completedAt === undefined ? undefined : completedAt - spawnedAt
  const duration = told.findLast(({ durationMs }) => durationMs !== undefined)?.durationMs ?? between
  return {
    ...(spawnedAt === undefined ? {} : { spawnedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(duration === undefined || duration < 0 ? {} : { durationMs: duration }),
    tokens: { main: mainTokens(transcript, spawn, completions), ...(counted === undefined ? {} : { worker: counted }) },
  }
}

/** What the task takes in its parent's thread; a message of several tasks counts by its share. */
function mainTokens(transcript: Transcript, { exchange }: Spawn, completions: readonly Completion[]): number {
  let sum = exchange.call.tokens + (exchange.result?.tokens ?? 0)
  for (const { kind, message, tasks, at } of completions) {
    if (kind === 'announcement') sum += tokensOf(transcript.messages[message]) / tasks
    if (kind === 'poll') sum += pollTokens(transcript, at.entry, at.block)
  }
  return Math.round(sum)
}

function tokensOf(message: Message | undefined): number {
  return message?.blocks.reduce((sum, block) => sum + block.tokens, 0) ?? 0
}

function pollTokens(transcript: Transcript, entry: number, block: number | undefined): number {
  const polls = pollsOf(transcript)
  return polls.get(`${entry}/${block}`) ?? 0
}

const knownPolls = new WeakMap<Transcript, Map<string, number>>()

/** Tokens of each exchange, by the address of its call. */
function pollsOf(transcript: Transcript): Map<string, number> {
  const known = knownPolls.get(transcript)
  if (known) return known
  const found = new Map(
    exchangesOf(transcript).map(({ call, result }) => [
      `${call.at.entry}/${call.at.block}`,
      call.tokens + (result?.tokens ?? 0),
    ]),
  )
  knownPolls.set(transcript, found)
  return found
}
