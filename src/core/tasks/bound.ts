/**
 * What other rules must leave alone, so that a task can still be told to be open, and a finished one to be finished,
 * until it is a record.
 */
import type { Transcript } from '../transcript.ts'
import { addressKey } from '../transcript.ts'
import { tasksOf } from './scan.ts'
import type { Task, TaskOptions } from './task.ts'

/** Address keys of calls that keep their words: those of tasks that run or only seem to be done, and of records. */
export function keptCalls(transcript: Transcript, options?: TaskOptions): ReadonlySet<string> {
  return new Set(
    tasksOf(transcript, options)
      .filter((task) => isOpen(task) || task.record !== undefined)
      .flatMap(callsOf),
  )
}

/** Address keys of calls that no other rule folds: those of open tasks, of records, and of what is told elsewhere. */
export function boundCalls(transcript: Transcript, options?: TaskOptions): ReadonlySet<string> {
  return new Set(
    tasksOf(transcript, options)
      .filter((task) => isOpen(task) || task.record !== undefined || isToldElsewhere(task))
      .flatMap(callsOf),
  )
}

/** Indexes of the announcements of tasks that are no records yet. */
export function boundAnnouncements(transcript: Transcript, options?: TaskOptions): ReadonlySet<number> {
  return new Set(
    tasksOf(transcript, options)
      .filter((task) => task.record === undefined && (isOpen(task) || isToldElsewhere(task)))
      .flatMap(({ completions }) =>
        completions.flatMap(({ kind, message }) => (kind === 'announcement' ? message : [])),
      ),
  )
}

function isOpen({ state }: Task): boolean {
  return state === 'running' || state === 'suspicious'
}

/** Its end stands in other messages than the answer to its call: they fold together or not at all. */
function isToldElsewhere({ state, completions }: Task): boolean {
  return (state === 'completed' || state === 'failed') && completions.some(({ kind }) => kind !== 'answer')
}

function callsOf({ spawn, completions }: Task): string[] {
  const polls = completions.flatMap(({ kind, at }) => (kind === 'poll' ? addressKey(at) : []))
  return [addressKey(spawn.call.at), ...polls]
}
