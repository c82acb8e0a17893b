/** What the answer to a spawn says by its words: launched, refused, or the report of a task that is done. */
import { isSpillwayText } from '../pointer.ts'
import { usageIn } from './notifications.ts'
import { errorFacts, reportFacts, statusOf, type Told } from './told.ts'

const HAND_BACK = /^\[Subagent hand-back\][^\n]*The report follows:\n/
const AGENT_TAIL = /(?:^|\n)agentId: ([A-Za-z0-9_-]{1,80})(?: \([^\n]*\))?(?:\n<usage>([\s\S]{0,400}?)<\/usage>)?\s*$/
const LAUNCHED = /^Async agent launched successfully/

/** What the answer to a spawn says by its words; a plain text is the report of a task that is done. */
export function toldByAnswer(text: string, isError: boolean): Told {
  // A pointer in its place says nothing of how it stood.
  if (isSpillwayText(text)) return { status: 'launched', ids: [] }
  if (LAUNCHED.test(text)) {
    const agent = /^agentId: ([A-Za-z0-9_-]{1,80})/m.exec(text)?.[1]
    return { status: 'launched', ids: agent === undefined ? [] : [agent] }
  }
  const json = objectIn(text)
  if (json) return toldByObject(json, text, isError)
  const tail = AGENT_TAIL.exec(text)
  const body = tail ? text.slice(0, tail.index) : text
  const report = HAND_BACK.test(body) ? body.replace(HAND_BACK, '').replace(/^ {2}/gm, '') : body
  if (isError) return { status: tail ? 'failed' : 'refused', ids: tail?.[1] ? [tail[1]] : [], error: report.trim() }
  return { status: 'completed', ids: tail?.[1] ? [tail[1]] : [], ...reportFacts(report), ...usageIn(tail?.[2] ?? '') }
}

/** Longer answers are reports that happen to be JSON. */
const MOST_ANSWER_CHARS = 20_000

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*\{/.test(text) || text.length > MOST_ANSWER_CHARS) return undefined
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return undefined // a report that only begins like JSON
  }
}

const ID_FIELDS = ['childSessionKey', 'runId', 'agentId', 'taskId', 'task_id']

/** Where tools put what their worker said. */
const REPORT_FIELDS = ['result', 'report', 'output', 'summary', 'text']

function toldByObject(json: Readonly<Record<string, unknown>>, text: string, isError: boolean): Told {
  const status = typeof json.status === 'string' ? json.status : ''
  const ids = ID_FIELDS.flatMap((field) => (typeof json[field] === 'string' ? [json[field] as string] : []))
  const error = typeof json.error === 'string' ? json.error : undefined
  if (/^(?:failed|failure|time[ds]?[-_ ]?out)$/i.test(status)) {
    const how = statusOf(status)
    return { status: how, ids, ...reportFacts(reportIn(json)), ...errorFacts(how, error) }
  }
  if (isError || /^(?:forbidden|error|denied|rejected|invalid)$/i.test(status)) {
    return { status: 'refused', ids, ...errorFacts('refused', error ?? text) }
  }
  if (/^(?:accepted|async_launched|launched|started|running|queued|pending)$/i.test(status)) {
    return { status: 'launched', ids }
  }
  return { status: 'completed', ids, ...reportFacts(reportIn(json) ?? text) }
}

function reportIn(json: Readonly<Record<string, unknown>>): string | undefined {
  const field = REPORT_FIELDS.find((each) => typeof json[each] === 'string')
  return field === undefined ? undefined : String(json[field])
}
