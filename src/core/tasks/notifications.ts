/** Claude Code's words of a task's end: the notification of a background agent, and the answer to a poll. */
import { forwardSearch } from './forward-search.ts'
import { errorFacts, reportFacts, statusOf, type Told } from './told.ts'

export const NOTIFICATION = '<task-notification>'
const ENDED_NOTIFICATION = '</task-notification>'

/** Claude Code tells of an agent that ran in the background; shell commands are announced alike and match no task. */
export function notifications(text: string): Told[] {
  const told: Told[] = []
  const search = forwardSearch(text)
  let at = text.indexOf(NOTIFICATION)
  while (at >= 0) {
    const from = at + NOTIFICATION.length
    const resultAt = search('<result>', from)
    const endAt = search(ENDED_NOTIFICATION, from)
    const hasResult = resultAt >= 0 && (endAt < 0 || resultAt < endAt)
    const closeAt = hasResult ? text.indexOf('</result>', resultAt) : -1
    const wordsEnd = closeAt < 0 ? text.length : closeAt
    const endsAt = text.indexOf(ENDED_NOTIFICATION, hasResult ? wordsEnd : from)
    const end = endsAt < 0 ? text.length : endsAt
    const head = text.slice(from, hasResult ? resultAt : end)
    const status = statusOf(tagIn(head, 'status') ?? '')
    told.push({
      status,
      ids: [tagIn(head, 'tool-use-id'), tagIn(head, 'task-id')].filter((id) => id !== undefined),
      ...reportFacts(hasResult ? text.slice(resultAt + '<result>'.length, wordsEnd) : undefined),
      ...errorFacts(status, tagIn(head, 'summary')),
      ...usageIn(head + text.slice(wordsEnd, end)),
    })
    at = text.indexOf(NOTIFICATION, end)
  }
  return told
}

/** What the answer to a poll (`TaskOutput`) says; undefined where it says nothing of a task. */
export function toldByPoll(text: string): Told | undefined {
  const head = text.slice(0, Math.max(0, text.indexOf('<output>')) || text.length)
  const id = tagIn(head, 'task_id')
  const status = tagIn(head, 'status')
  if (id === undefined || status === undefined) return undefined
  const outputAt = text.indexOf('<output>')
  const closeAt = text.lastIndexOf('</output>')
  const output = outputAt < 0 ? undefined : text.slice(outputAt + 8, closeAt > outputAt ? closeAt : text.length)
  return { status: statusOf(status), ids: [id], ...reportFacts(output) }
}

function tagIn(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim()
}

export function usageIn(text: string): Pick<Told, 'tokens' | 'durationMs'> {
  const tokens = /(?:total|subagent)_tokens(?:>|:\s?)(\d+)/.exec(text)?.[1]
  const duration = /duration_ms(?:>|:\s?)(\d+)/.exec(text)?.[1]
  return {
    ...(tokens === undefined ? {} : { tokens: Number(tokens) }),
    ...(duration === undefined ? {} : { durationMs: Number(duration) }),
  }
}
