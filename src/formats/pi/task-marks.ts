/** What OpenClaw records about delegated work beside the words (reference/openclaw-and-pi.md sections 2.2 to 2.4). */
import type { Message, TaskMark } from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'

/** Who sent a message about a worker. */
const TASK_TOOL = /^subagent_/
/** `announce:v1:<child key>:<run id>`, also with what follows. */
const ANNOUNCE = /^announce:/
const CHILD_KEY = /agent:[^:\s]+:subagent:[0-9a-f-]{36}/i
const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Of the answer to `sessions_spawn`: which child, and whether it was accepted. Flags differ by version, this does not. */
export function spawnMark(details: Fields | undefined): TaskMark | undefined {
  const status = textOf(details?.status)
  const ids = [textOf(details?.childSessionKey), textOf(details?.runId)].filter((id) => id !== undefined)
  if (ids.length === 0 || status === undefined) return undefined
  return { ids, status: status === 'accepted' ? 'launched' : 'refused' }
}

/** Of a message that announces a worker's end; undefined for every other. */
export function announcementMark(message: Fields): TaskMark | undefined {
  const provenance = fieldsOf(message.provenance)
  const key = textOf(message.idempotencyKey) ?? ''
  const isAbout = TASK_TOOL.test(textOf(provenance?.sourceTool) ?? '') || ANNOUNCE.test(key)
  if (!isAbout) return undefined
  const child = textOf(provenance?.sourceSessionKey)
  return { ids: [...new Set([...(child === undefined ? [] : [child]), ...idsIn(key)])] }
}

/** Of an answer to an announcement that was not stored. */
export function replyMark(message: Fields): TaskMark | undefined {
  const run = textOf(fieldsOf(message.__openclaw)?.runId) ?? ''
  return ANNOUNCE.test(run) ? { ids: idsIn(run) } : undefined
}

/** The child's key, and every run id outside of it. */
function idsIn(key: string): string[] {
  const child = CHILD_KEY.exec(key)?.[0]
  const rest = child === undefined ? key : key.replace(child, '')
  return [...(child === undefined ? [] : [child]), ...(rest.match(RUN_ID) ?? [])]
}

/**
 * OpenClaw 2026.6 stores nothing of an announcement to an idle parent but the parent's answer: one that follows a
 * finished answer directly, although nobody asked.
 */
export function withUnasked(messages: readonly Message[], isFinished: (message: Message) => boolean): Message[] {
  return messages.map((message, index) => {
    const before = messages[index - 1]
    const unasked =
      message.role === 'assistant' &&
      message.kind === undefined &&
      message.task === undefined &&
      before?.role === 'assistant' &&
      before.kind === undefined &&
      isFinished(before)
    return unasked ? { ...message, task: { ids: [] } } : message
  })
}
