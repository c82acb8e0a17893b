/**
 * What texts say of a task's end: the wordings of OpenClaw since 2026.1.29 (reference/openclaw-and-pi.md section 2.4)
 * and of Claude Code. Words come last: what a recording says in its structure decides which task is meant. What a
 * child said stands between markers and is jumped over, so that no report can announce another task's end.
 */
import { type ForwardSearch, forwardSearch } from './forward-search.ts'
import { NOTIFICATION, notifications } from './notifications.ts'
import { errorFacts, reportFacts, statusOf, type Told } from './told.ts'

/** OpenClaw puts the time before what comes from outside. */
const TIME = /^\s*(?:\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]\n]{0,40}\]\s*)?/
const SYSTEM_MESSAGE = /^(?:\[System Message\]\s*)?(?:\[sessionId: ([^\]\n]{1,100})\]\s*)?/
const TASK_OPENING = /^A (?:subagent|background) task "/
const TASK_END =
  /" (?:just )?(completed successfully|timed out|failed|finished[^.:\n]{0,60})(?:: ([^\n]*?))?\.?(?:\n|$)/
const NAMED_END = /^sub-?agent ['"]([^'"\n]{1,400})['"] (?:has |just )?(completed|finished|failed|timed out)/i
const INTERNAL_EVENT = '[Internal task completion event]'
const SETTLED = /^\[Subagent Context\] Every subagent spawned from this session has now settled/
const INTERNAL_OPENING =
  /^(?:\[Inter-session message\]|<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>|OpenClaw runtime context \(internal\))/
const FENCES: readonly (readonly [open: string, close: string])[] = [
  ['<<<BEGIN_UNTRUSTED_CHILD_RESULT>>>', '<<<END_UNTRUSTED_CHILD_RESULT>>>'],
  ['<prompt-data>', '</prompt-data>'],
]

/** Does this text of the user role come from a harness that announces a task's end? */
export function isAnnouncement(text: string): boolean {
  const opening = openingOf(text)
  return (
    opening.startsWith(NOTIFICATION) ||
    SETTLED.test(opening) ||
    TASK_OPENING.test(opening) ||
    NAMED_END.test(opening) ||
    (INTERNAL_OPENING.test(opening) && text.includes(INTERNAL_EVENT))
  )
}

function openingOf(text: string): string {
  return withoutOpening(text.slice(0, 600))
}

function withoutOpening(text: string): string {
  return text.replace(TIME, '').replace(SYSTEM_MESSAGE, '')
}

/** Every task that an announcement tells of; nothing where the text is none. */
export function toldIn(text: string): Told[] {
  if (!isAnnouncement(text)) return []
  const opening = openingOf(text)
  if (opening.startsWith(NOTIFICATION)) return notifications(text)
  if (SETTLED.test(opening)) return settled(text)
  if (TASK_OPENING.test(opening)) return namedTask(text)
  const named = NAMED_END.exec(opening)
  if (named) return [{ status: statusOf(named[2] ?? ''), ids: [], name: named[1] ?? '' }]
  return internalEvents(text)
}

/** 2026.1.29 to 2026.2.23: `A subagent task "<label>" just completed successfully.` */
function namedTask(text: string): Told[] {
  const timeless = text.replace(TIME, '')
  const session = SYSTEM_MESSAGE.exec(timeless)?.[1]
  const body = timeless.replace(SYSTEM_MESSAGE, '').replace(TASK_OPENING, '')
  const end = TASK_END.exec(body)
  if (!end) return []
  const rest = body.slice(end.index + end[0].length)
  const statsAt = rest.lastIndexOf('\nStats: ')
  const status = statusOf(end[1] ?? '')
  const stats = statsAt < 0 ? '' : rest.slice(statsAt)
  return [
    {
      status,
      ids: [...(session === undefined ? [] : [session]), ...keysIn(stats)],
      name: body.slice(0, end.index),
      ...reportFacts((statsAt < 0 ? rest : rest.slice(0, statsAt)).replace(/^\s*(?:Findings|Result):\s*/, '')),
      ...errorFacts(status, end[2]),
      ...statsIn(stats),
    },
  ]
}

function keysIn(stats: string): string[] {
  return [...stats.matchAll(/session(?:Key|Id) ([^\s•]{1,200})/g)].flatMap((match) => match[1] ?? [])
}

/** 2026.3.8 and later: one or more events, each with the child's words between markers. */
function internalEvents(text: string): Told[] {
  const told: Told[] = []
  const search = forwardSearch(text)
  let at = text.indexOf(INTERNAL_EVENT)
  while (at >= 0) {
    const from = at + INTERNAL_EVENT.length
    const fence = fencedFrom(text, from, search)
    const next = text.indexOf(INTERNAL_EVENT, fence?.end ?? from)
    const end = next < 0 ? text.length : next
    const inside = fence && fence.start < end ? fence : undefined
    const head = text.slice(from, inside?.start ?? end)
    const tail = text.slice(inside?.end ?? from, end)
    told.push(eventOf(head, tail, inside?.words))
    at = next
  }
  return told
}

function eventOf(head: string, tail: string, report: string | undefined): Told {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ([^\\n]*)$`, 'm').exec(head)?.[1]?.trim()
  const words = field('status') ?? ''
  const status = statusOf(words)
  const name = field('task')
  return {
    status,
    ids: [field('session_key'), field('session_id')].filter((id): id is string => id !== undefined && id !== ''),
    ...(name ? { name } : {}),
    ...reportFacts(report),
    ...errorFacts(status, /^[^:]*: (.*)$/.exec(words)?.[1]),
    ...statsIn(tail),
  }
}

/** 2026.9: one message for all children that have settled, numbered. */
function settled(text: string): Told[] {
  const told: Told[] = []
  const search = forwardSearch(text)
  const item = /^\d{1,5}\. Child task[^\n]*$/gm
  let found = item.exec(text)
  while (found) {
    const label = fencedFrom(text, found.index + found[0].length, search)
    if (!label) break
    const words = /^\s*status: ([^\n]*)/.exec(text.slice(label.end, label.end + 400))?.[1] ?? ''
    const result = fencedFrom(text, label.end, search)
    const next = nextItem(text, label.end)
    const inside = result && (next < 0 || result.start < next) ? result : undefined
    const status = statusOf(words)
    told.push({
      status,
      ids: [],
      name: label.words,
      ...reportFacts(inside?.words),
      ...errorFacts(status, /^[^:]*: (.*)$/.exec(words)?.[1]),
    })
    item.lastIndex = inside?.end ?? label.end
    found = item.exec(text)
  }
  return told
}

function nextItem(text: string, from: number): number {
  const item = /^\d{1,5}\. Child task/gm
  item.lastIndex = from
  return item.exec(text)?.index ?? -1
}

/** The first text between markers behind `from`. */
function fencedFrom(
  text: string,
  from: number,
  search: ForwardSearch,
): { start: number; end: number; words: string } | undefined {
  let best: { start: number; end: number; words: string } | undefined
  for (const [open, close] of FENCES) {
    const start = search(open, from)
    if (start < 0 || (best && start > best.start)) continue
    const closed = search(close, start + open.length)
    const wordsEnd = closed < 0 ? text.length : closed
    const words = text.slice(start + open.length, wordsEnd).trim()
    best = { start, end: closed < 0 ? text.length : closed + close.length, words }
  }
  return best
}

/** `Stats: runtime 7m34s • tokens 185.4k (in 172.6k / out 12.9k)` */
function statsIn(text: string): Pick<Told, 'tokens' | 'durationMs'> {
  const line = /Stats: ([^\n]*)/.exec(text)?.[1] ?? ''
  const counted = /tokens ([\d.]+)([km]?)/i.exec(line)
  const scale = { k: 1e3, m: 1e6 }[counted?.[2]?.toLowerCase() ?? ''] ?? 1
  const duration = durationIn(/runtime (\S+)/.exec(line)?.[1] ?? '')
  return {
    ...(counted ? { tokens: Math.round(Number(counted[1]) * scale) } : {}),
    ...(duration === undefined ? {} : { durationMs: duration }),
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 }

function durationIn(words: string): number | undefined {
  const parts = [...words.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  if (parts.length === 0) return undefined
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0)
}
