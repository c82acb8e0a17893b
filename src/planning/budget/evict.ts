/**
 * Whole old turns leave, oldest first (seed C5). A turn leaves with its calls and their results together or not at
 * all; what a person said between stays word for word, and so do open calls and running tasks.
 */
import type { Edit } from '../../core/edits.ts'
import { targetOf } from '../../core/removed.ts'
import { tasksOf } from '../../core/tasks/index.ts'
import { type Exchange, exchangesOf, type Message, type Transcript, turnsOf } from '../../core/transcript.ts'
import { isNoteBlock } from './pinned.ts'
import { blockSize, messageSize } from './size.ts'

export interface EvictableTurn {
  /** Entries that hold nothing else. */
  readonly entries: readonly number[]
  /** Results that stand in a message with a person's words. */
  readonly blocks: readonly Edit['at'][]
  readonly calls: readonly { readonly tool: string; readonly target?: string }[]
  /** Estimated tokens that it takes. */
  readonly size: number
}

/**
 * Turns that may leave, oldest first; the newest never does.
 * @param standsAlone whether a message needs nothing outside itself: what only the provider can read may hang together
 */
export function evictableTurns(transcript: Transcript, standsAlone: (message: Message) => boolean): EvictableTurn[] {
  const turns = turnsOf(transcript)
  const byTurn = new Map<number, Exchange[]>()
  for (const exchange of exchangesOf(transcript)) {
    const others = byTurn.get(exchange.turn)
    if (others) others.push(exchange)
    else byTurn.set(exchange.turn, [exchange])
  }
  const running = runningSpawns(transcript)
  return turns.slice(0, -1).flatMap(({ start, end }, index): EvictableTurn[] => {
    const exchanges = byTurn.get(index) ?? []
    const isOpen = exchanges.some(({ call, result }) => !result || running.has(call))
    const messages = transcript.messages.slice(start, end)
    if (isOpen || !messages.every((message) => isOrdinary(message) && standsAlone(message))) return []
    return [turnOf(messages, exchanges)]
  })
}

/** Calls whose delegated work has not come back yet. */
function runningSpawns(transcript: Transcript): Set<Exchange['call']> {
  return new Set(tasksOf(transcript).flatMap(({ state, spawn }) => (state === 'running' ? [spawn.call] : [])))
}

/** What a harness says apart from the conversation (a summary, a synthetic error) stays. */
function isOrdinary({ role, kind }: Message): boolean {
  return kind === undefined || role === 'system'
}

function turnOf(messages: readonly Message[], exchanges: readonly Exchange[]): EvictableTurn {
  const entries: number[] = []
  const blocks: Edit['at'][] = []
  let size = 0
  for (const message of messages) {
    if (message.role === 'system') continue
    const own = message.blocks.filter((block) => message.role === 'assistant' || block.type === 'result')
    if (own.length === message.blocks.length) {
      entries.push(...message.entries)
      size += messageSize(message)
      continue
    }
    for (const block of own) {
      blocks.push(block.at)
      size += blockSize(block)
    }
  }
  const calls = exchanges.map(({ call }) => {
    const target = targetOf(call)
    return { tool: call.tool, ...(target === undefined ? {} : { target }) }
  })
  return { entries, blocks, calls, size }
}

/** The edits that take these turns out. */
export function evictionEdits(transcript: Transcript, turns: readonly EvictableTurn[]): Edit[] {
  const entries = turns.flatMap((turn) => turn.entries)
  const size = turns.reduce((sum, turn) => sum + turn.size, 0)
  const [first] = entries
  const facts = { rule: 'turns', purpose: 'economy', class: 'restorable', removed: [] } as const
  const reason = `${turns.length} old turns leave the context`
  const blocks = turns.flatMap((turn) => turn.blocks)
  return [
    ...(first === undefined
      ? []
      : [
          {
            ...facts,
            kind: 'drop-message' as const,
            reason,
            at: { thread: transcript.thread, entry: first },
            entries,
            frees: size,
          },
        ]),
    ...blocks.map((at): Edit => ({ ...facts, kind: 'drop-block', reason: 'leaves with its turn', at, frees: 1 })),
  ]
}

export interface EarlierNotes {
  /** The newest. */
  readonly text?: string
  /** What takes those out that stand in the source. */
  readonly edits: readonly Edit[]
  /** Estimated tokens of all of them. */
  readonly size: number
  /** Of these, what earlier decisions of ours put in: no edit takes it out, the decision is withdrawn. */
  readonly decided: number
}

export function earlierNotes(transcript: Transcript): EarlierNotes {
  const edits: Edit[] = []
  let text: string | undefined
  let size = 0
  let decided = 0
  const facts = {
    rule: 'note',
    reason: 'a newer note takes its place',
    purpose: 'economy',
    class: 'worthless',
  } as const
  for (const message of transcript.messages) {
    const notes = message.blocks.filter(isNoteBlock)
    const [entry] = message.entries
    if (notes.length === 0 || entry === undefined) continue
    const frees = notes.reduce((sum, note) => sum + blockSize(note), 0)
    const newest = notes.at(-1)
    if (newest?.type === 'text') text = newest.text
    size += frees
    if (entry < 0) decided += frees
    else if (notes.length === message.blocks.length) {
      const at = { thread: transcript.thread, entry }
      edits.push({ ...facts, kind: 'drop-message', at, entries: message.entries, frees, removed: [] })
    } else for (const { at } of notes) edits.push({ ...facts, kind: 'drop-block', at, frees, removed: [] })
  }
  return { ...(text === undefined ? {} : { text }), edits, size, decided }
}
