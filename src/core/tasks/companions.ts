/**
 * The coordinator's own words that belong to tasks that roll up, and to nothing else: those beside their calls, and
 * turns of words alone and notes of the harness that follow what leaves, or a line of earlier tasks. What answers a
 * person stays, and so does everything a person said.
 */
import type { Message, TextBlock, ThinkingBlock, Transcript } from '../transcript.ts'
import { addressKey } from '../transcript.ts'
import { groupLineIn } from './group-line.ts'
import { isAnnouncement } from './wording.ts'

export interface Leaving {
  /** Address keys of calls, results and lines that leave. */
  readonly blocks: ReadonlySet<string>
  /** Indexes of announcements that leave. */
  readonly messages: ReadonlySet<number>
}

export interface Companion {
  /** Words and thinking that leave; all there is of a note of the harness. */
  readonly blocks: readonly (TextBlock | ThinkingBlock)[]
  /** A note of the harness leaves as a whole message. */
  readonly note?: Message
  /** Index of its message. */
  readonly message: number
}

/** Of the messages before `end`. */
export function companionsOf(transcript: Transcript, leaving: Leaving, end: number): Companion[] {
  const companions: Companion[] = []
  let follows = false
  transcript.messages.slice(0, end).forEach((message, index) => {
    if (message.kind === 'reminder') return
    if (message.role === 'assistant') {
      follows = leavesWith(message, leaving, follows && !isAnswered(transcript, index))
      const blocks = follows ? wordsOf(message, leaving) : []
      if (blocks.length > 0) companions.push({ blocks, message: index })
    } else if (isNote(message)) {
      if (follows) companions.push({ blocks: wordsOf(message, leaving), note: message, message: index })
    } else follows = leavesWhole(message, index, leaving)
  })
  return companions
}

/** Its calls leave, or it has none and is a line of ours or follows what leaves. */
function leavesWith(message: Message, leaving: Leaving, follows: boolean): boolean {
  const known = message.blocks.every(({ type }) => type === 'call' || type === 'text' || type === 'thinking')
  const calls = message.blocks.filter(({ type }) => type === 'call')
  if (calls.length > 0) return known && calls.every((call) => leaving.blocks.has(addressKey(call.at)))
  return known && (follows || message.blocks.some(isLine))
}

function isLine(block: Message['blocks'][number]): boolean {
  return block.type === 'text' && groupLineIn(block.text) !== undefined
}

/** What a harness tells of its workers in general ("the turn ended to wait for them"), and of none in particular. */
function isNote({ role, kind, task, blocks }: Message): boolean {
  if (role !== 'user' || kind !== 'task-event' || task !== undefined) return false
  return blocks.every((block) => block.type === 'text' && !isAnnouncement(block.text))
}

/** Results of calls that leave, or an announcement that does. */
function leavesWhole(message: Message, index: number, leaving: Leaving): boolean {
  if (leaving.messages.has(index)) return true
  const { blocks } = message
  return (
    blocks.length > 0 && blocks.every((block) => block.type === 'result' && leaving.blocks.has(addressKey(block.at)))
  )
}

function wordsOf(message: Message, leaving: Leaving): (TextBlock | ThinkingBlock)[] {
  return message.blocks.filter((block): block is TextBlock | ThinkingBlock => {
    const isWords = block.type === 'text' || block.type === 'thinking'
    return isWords && block.tokens > 0 && !isLine(block) && !leaving.blocks.has(addressKey(block.at))
  })
}

/** Does a person speak next? Then these words were said to that person. */
function isAnswered(transcript: Transcript, index: number): boolean {
  for (let at = index + 1; at < transcript.messages.length; at++) {
    const next = transcript.messages[at]
    if (next?.kind === 'reminder') continue
    return next?.role === 'user' && next.kind === undefined && next.blocks.some(({ type }) => type !== 'result')
  }
  return false
}
