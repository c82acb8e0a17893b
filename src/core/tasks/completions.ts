/**
 * Pass 3 of the lifecycle scan (seed O3): everything that tells of a task's end, in order: announcements, answers to
 * announcements that were never stored, polls. Identity decides which task is meant; a name only where nothing else does.
 */
import { isSpillwayText } from '../pointer.ts'
import type { Address, CallBlock, Message, TaskMark, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import { toldByPoll } from './notifications.ts'
import { wordsOf } from './spawn-errors.ts'
import type { Completion } from './task.ts'
import type { Told } from './told.ts'
import { toldIn } from './wording.ts'

/** Tools that ask a worker for its result. */
const POLL_TOOLS: ReadonlySet<string> = new Set(['TaskOutput', 'AgentOutputTool'])
/** Tools that give a worker that has reported more to do. */
const CONTINUE_TOOLS: ReadonlySet<string> = new Set(['SendMessage', 'sessions_send'])

/** Something that happened to a task after its spawn. */
export interface TaskEvent {
  readonly told: Told
  /** Where it says so; absent where a task was only given more to do. */
  readonly completion?: Completion
  /** Index of the message in the transcript. */
  readonly message: number
}

export function eventsIn(transcript: Transcript): TaskEvent[] {
  const calls = callsAfterSpawns(transcript)
  return transcript.messages.flatMap((message, index): TaskEvent[] => [
    ...announced(message, index),
    ...(calls.get(index) ?? []),
  ])
}

function announced(message: Message, index: number): TaskEvent[] {
  const at = placeOf(message)
  const { task: mark } = message
  if (message.role === 'assistant') {
    if (!mark) return []
    const told: Told = { status: 'completed', ids: mark.ids, ...measuresOf(mark) }
    return [{ told, message: index, completion: completionAt('reply', at, message, index, 1) }]
  }
  if (message.role !== 'user') return []
  const told = trusted(
    message.blocks.flatMap((block) => (block.type === 'text' ? toldIn(block.text) : [])),
    mark,
  )
  if (message.blocks.some((block) => block.type === 'text' && isSpillwayText(block.text))) return []
  // What the structure says holds also where the words are of a version nobody knows.
  const said: Told[] =
    told.length > 0 ? told : mark ? [{ status: 'completed', ids: mark.ids, ...measuresOf(mark) }] : []
  return said.map((one) => ({
    told: one,
    message: index,
    completion: completionAt('announcement', at, message, index, said.length),
  }))
}

/** A message that the harness sent for one child tells of that child alone, whatever its text says. */
function trusted(told: readonly Told[], mark: TaskMark | undefined): Told[] {
  if (!mark || mark.ids.length === 0) return [...told]
  const [only, ...more] = told
  if (only && more.length === 0) {
    const foreign = only.ids.length > 0 && only.ids.every((id) => !mark.ids.includes(id)) && mark.ids.some(isKey)
    const own = foreign ? only.ids.filter((id) => !isKey(id)) : only.ids
    return [{ ...only, ids: [...new Set([...mark.ids, ...own])] }]
  }
  return told.filter(({ ids }) => ids.filter(isKey).every((id) => mark.ids.includes(id)))
}

function isKey(id: string): boolean {
  return id.startsWith('agent:')
}

function measuresOf(mark: TaskMark): Pick<Told, 'tokens' | 'durationMs'> {
  return {
    ...(mark.tokens === undefined ? {} : { tokens: mark.tokens }),
    ...(mark.durationMs === undefined ? {} : { durationMs: mark.durationMs }),
  }
}

function placeOf(message: Message): Address {
  return message.blocks[0]?.at ?? { thread: 'main', entry: message.entries[0] ?? 0 }
}

function completionAt(
  kind: Completion['kind'],
  at: Address,
  message: Message,
  index: number,
  tasks: number,
): Completion {
  const time = message.time === undefined ? {} : { time: message.time }
  return { kind, at, message: index, tasks, ...time, ...(kind === 'announcement' ? { words: saidIn(message) } : {}) }
}

/** All text of a message. */
export function saidIn(message: Message): string {
  return message.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Polls and further work, by the message that decides when. */
function callsAfterSpawns(transcript: Transcript): Map<number, TaskEvent[]> {
  const events = new Map<number, TaskEvent[]>()
  const add = (message: number, event: TaskEvent): void => {
    const others = events.get(message)
    if (others) others.push(event)
    else events.set(message, [event])
  }
  for (const { call, result, message, resultMessage } of exchangesOf(transcript)) {
    if (CONTINUE_TOOLS.has(call.tool)) {
      add(message, { told: { status: 'running', ids: textsOf(call) }, message })
    } else if (POLL_TOOLS.has(call.tool) && result && resultMessage !== undefined) {
      const told = toldByPoll(wordsOf(result)) ?? markedPoll(call, result.task)
      const holder = transcript.messages[resultMessage]
      if (!told || !holder) continue
      add(resultMessage, {
        told,
        message: resultMessage,
        completion: completionAt('poll', call.at, holder, resultMessage, 1),
      })
    }
  }
  return events
}

function markedPoll(call: CallBlock, mark: TaskMark | undefined): Told | undefined {
  if (!mark?.status) return undefined
  return { status: mark.status, ids: [...mark.ids, ...textsOf(call)] }
}

function textsOf(call: CallBlock): string[] {
  return Object.values(call.input).filter((value) => typeof value === 'string')
}
