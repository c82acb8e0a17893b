/** What Claude Code records about an agent beside the words: `toolUseResult` of the Task or Agent call, or of a poll. */
import type { TaskMark } from '../../core/transcript.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'

const STATES: ReadonlyMap<string, NonNullable<TaskMark['status']>> = new Map([
  ['async_launched', 'launched'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['killed', 'failed'],
  ['stopped', 'failed'],
  ['running', 'running'],
  ['pending', 'running'],
])

/** Undefined where the copy is not about an agent. */
export function taskMark(copy: Fields | undefined): TaskMark | undefined {
  const agent = textOf(copy?.agentId)
  const polled = fieldsOf(copy?.task)
  const id = agent ?? textOf(polled?.task_id)
  const status = STATES.get(textOf(agent === undefined ? polled?.status : copy?.status) ?? '')
  if (id === undefined || status === undefined) return undefined
  const tokens = numberOf(copy?.totalTokens)
  const duration = numberOf(copy?.totalDurationMs)
  return {
    ids: [id],
    status,
    ...(tokens === undefined ? {} : { tokens }),
    ...(duration === undefined ? {} : { durationMs: duration }),
  }
}
