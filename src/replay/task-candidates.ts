/**
 * When the tasks rule would take out what: a finished task folds once its end is old enough; ten that are not among
 * the newest become a line, ten lines one, and so on. The rule itself says what; here it is told since when.
 */
import { type TasksOptions, tasks } from '../core/rules/tasks.ts'
import { isFinished } from '../core/tasks/fold.ts'
import { GROUP_SIZE } from '../core/tasks/group-line.ts'
import { type Task, tasksOf } from '../core/tasks/index.ts'
import { addressKey, exchangesOf, type Transcript, turnsOf } from '../core/transcript.ts'
import type { Candidate } from './candidates.ts'
import { type Proposal, proposals } from './proposals.ts'
import type { Recording } from './recording.ts'

const CONTEXT = { answerLast: false }

interface Finished {
  readonly task: Task
  /** The call from which it may leave. */
  readonly from: number
}

export function taskCandidates(recording: Recording, options: TasksOptions): Candidate[] {
  const finished = finishedTasks(recording.transcript, options.afterTurns)
  if (finished.length === 0) return []
  return [...folds(recording, options, finished), ...rollUps(recording, options, finished)]
}

/** Without what stands in items of tasks that fold: a record is a pointer and its call carries it, no other rule's. */
export function besideTasks(
  recording: Recording,
  options: TasksOptions | undefined,
  others: readonly Candidate[],
): readonly Candidate[] {
  if (!options) return others
  const folded = new Set(foldProposals(recording, options.shrink).flatMap(({ item, answer }) => [item, answer]))
  return others.filter(({ item }) => !folded.has(item))
}

function isItem(item: number | undefined): item is number {
  return item !== undefined
}

function finishedTasks(transcript: Transcript, afterTurns: number): Finished[] {
  const turnAt = turnsByMessage(transcript)
  return tasksOf(transcript)
    .filter(isFinished)
    .map((task) => {
      const told = [task.spawn.resultMessage, ...task.completions.map(({ message }) => message)]
      return { task, from: Math.max(...told.map((message) => turnAt[message] ?? 0)) + 1 + afterTurns }
    })
}

/** The turn each message belongs to, by its index. */
function turnsByMessage(transcript: Transcript): Int32Array {
  const turns = new Int32Array(transcript.messages.length)
  for (const [turn, { start, end }] of turnsOf(transcript).entries()) turns.fill(turn, start, end)
  return turns
}

function foldProposals(recording: Recording, shrink: number): readonly Proposal[] {
  const all = { afterTurns: 0, keep: Number.POSITIVE_INFINITY, shrink }
  return proposals(recording, `tasks ${shrink}`, () => tasks(recording.transcript, all, CONTEXT))
}

function folds(recording: Recording, { shrink }: TasksOptions, finished: readonly Finished[]): Candidate[] {
  const since = new Map(finished.flatMap(({ task, from }) => placesOf(task).map((key) => [key, from] as const)))
  const heard = announcements(recording, finished)
  return foldProposals(recording, shrink).flatMap(({ key, kind, item, answer, frees }): Candidate[] => {
    if (kind === 'drop-message') return heard.get(key) ?? []
    const from = since.get(key)
    if (from === undefined || item === undefined) return []
    if (answer !== undefined) return [item, answer].map((each) => ({ item: each, tokens: 0, from }))
    const tokens = (recording.items[item]?.tokens ?? 0) - recording.scale * frees
    return [{ item, tokens: Math.max(0, tokens), from }]
  })
}

/** Where the edits of a task stand: its call, its answer, its polls. */
function placesOf({ spawn: { call, result }, completions }: Task): string[] {
  const polls = completions.filter(({ kind }) => kind === 'poll').map(({ at }) => at)
  return [call.at, ...(result ? [result.at] : []), ...polls].map(addressKey)
}

/** Announcements by the address of their message; one of several tasks leaves with the last of them. */
function announcements(recording: Recording, finished: readonly Finished[]): Map<string, Candidate[]> {
  const { messages } = recording.transcript
  const since = new Map<number, number>()
  for (const { task, from } of finished) {
    for (const { kind, message } of task.completions) {
      if (kind === 'announcement') since.set(message, Math.max(from, since.get(message) ?? 0))
    }
  }
  return new Map(
    [...since].map(([message, from]) => {
      const blocks = messages[message]?.blocks ?? []
      const { thread, entry } = blocks[0]?.at ?? { thread: '', entry: 0 }
      const items = blocks.map(({ at }) => recording.itemOf.get(addressKey(at))).filter(isItem)
      return [addressKey({ thread, entry }), items.map((item) => ({ item, tokens: 0, from }))]
    }),
  )
}

/** Ten tasks, or ten lines, that have become one line. */
interface Line {
  /** The item it stands in. */
  readonly opener: number
  readonly from: number
}

function rollUps(recording: Recording, { keep, shrink }: TasksOptions, finished: readonly Finished[]): Candidate[] {
  const all = { afterTurns: 0, keep: 0, shrink }
  const proposed = proposals(recording, `tasks rolled ${shrink}`, () => tasks(recording.transcript, all, CONTEXT))
  const cost = recording.scale * (proposed.find(({ kind }) => kind === 'fold-exchange')?.line ?? 0)
  const ends = finished.map(({ from }) => from).sort((a, b) => a - b)
  const itemsOf = itemsByTask(recording)
  const candidates: Candidate[] = []
  const begins: { readonly message: number; readonly from: number }[] = []
  const lines = chunked(finished).map((members, group): Line => {
    const full = ends[keep + GROUP_SIZE * (group + 1) - 1] ?? Number.POSITIVE_INFINITY
    const from = Math.max(full, ...members.map((each) => each.from))
    const [opener = -1, ...others] = members.flatMap(({ task }) => itemsOf(task))
    candidates.push({ item: opener, tokens: cost, from }, ...others.map((item) => ({ item, tokens: 0, from })))
    begins.push({ message: members[0]?.task.spawn.message ?? 0, from })
    return { opener, from }
  })
  const words = proposed.filter(({ kind }) => kind === 'drop-block')
  return [...candidates, ...mergedLines(lines), ...companions(recording, words, begins)].filter(({ from }) =>
    Number.isFinite(from),
  )
}

/** Full groups only. */
function chunked<Member>(members: readonly Member[]): Member[][] {
  const groups = Math.floor(members.length / GROUP_SIZE)
  return Array.from({ length: groups }, (_, group) => members.slice(GROUP_SIZE * group, GROUP_SIZE * (group + 1)))
}

/** Items of its call, its answer and its polls, the call first. */
function itemsByTask({ transcript, itemOf }: Recording): (task: Task) => number[] {
  const answers = new Map(exchangesOf(transcript).map(({ call, result }) => [addressKey(call.at), result]))
  return ({ spawn, completions }) => {
    const calls = [spawn.call.at, ...completions.filter(({ kind }) => kind === 'poll').map(({ at }) => at)]
    return calls.flatMap((at) => {
      const answer = answers.get(addressKey(at))
      return [itemOf.get(addressKey(at)), answer && itemOf.get(addressKey(answer.at))].filter(isItem)
    })
  }
}

/** Ten lines become one once there is an eleventh; of their openers only the first stays. */
function mergedLines(lines: readonly Line[]): Candidate[] {
  if (lines.length <= GROUP_SIZE) return []
  const candidates: Candidate[] = []
  const merged = chunked(lines).flatMap((members, index): Line[] => {
    const from = lines[GROUP_SIZE * (index + 1)]?.from
    const [first, ...others] = members
    if (!first || from === undefined) return []
    candidates.push(...others.map(({ opener }) => ({ item: opener, tokens: 0, from })))
    return [{ opener: first.opener, from }]
  })
  return [...candidates, ...mergedLines(merged)]
}

/** The coordinator's words leave with the line that began last before them. */
function companions(
  { items, itemOf, transcript }: Recording,
  words: readonly Proposal[],
  begins: readonly { readonly message: number; readonly from: number }[],
): Candidate[] {
  const messageOf = new Map<number, number>()
  transcript.messages.forEach(({ blocks }, message) => {
    for (const { at } of blocks) {
      const item = itemOf.get(addressKey(at))
      if (item !== undefined) messageOf.set(item, message)
    }
  })
  return words.flatMap(({ item }) => {
    if (item === undefined || !items[item]) return []
    const message = messageOf.get(item) ?? 0
    const from = begins.findLast((line) => line.message <= message)?.from
    return from === undefined ? [] : [{ item, tokens: 0, from }]
  })
}
