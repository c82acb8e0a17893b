/** What other rules must leave alone, so that a task can still be told to be open, and a finished one to be finished. */
import type { Transcript } from '../transcript.ts'
import { addressKey } from '../transcript.ts'
import { tasksOf } from './scan.ts'
import type { Task, TaskOptions } from './task.ts'

/** Address keys of the calls of tasks that run or only seem to be done: spawns and polls keep their words. */
export function openCalls(transcript: Transcript, options?: TaskOptions): ReadonlySet<string> {
  return new Set(tasksOf(transcript, options).filter(isOpen).flatMap(callsOf))
}

/** Address keys of calls that no other rule folds: of open tasks, of records, and polls that tell of an end. */
export function boundCalls(transcript: Transcript, options?: TaskOptions): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const task of tasksOf(transcript, options)) {
    const [spawn, ...polls] = callsOf(task)
    if (spawn !== undefined && (isOpen(task) || task.record !== undefined)) keys.add(spawn)
    if (task.record === undefined) for (const poll of polls) keys.add(poll)
  }
  return keys
}

/** Indexes of the announcements of tasks that are no records yet. */
export function boundAnnouncements(transcript: Transcript, options?: TaskOptions): ReadonlySet<number> {
  return new Set(
    tasksOf(transcript, options).flatMap(({ completions, record }) =>
      record !== undefined ? [] : completions.flatMap(({ kind, message }) => (kind === 'announcement' ? message : [])),
    ),
  )
}

function isOpen({ state }: Task): boolean {
  return state === 'running' || state === 'suspicious'
}

/** The spawn first. */
function callsOf({ spawn, completions }: Task): string[] {
  const polls = completions.flatMap(({ kind, at }) => (kind === 'poll' ? addressKey(at) : []))
  return [addressKey(spawn.call.at), ...polls]
}
