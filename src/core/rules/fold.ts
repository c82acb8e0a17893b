/**
 * Which turns may fold into call lines, and the line of each call. A turn folds whole or not at all: answers in
 * words alone, refused or stopped calls, and calls without a recorded result stay.
 */
import { callLine, isCallLine } from '../call-line.ts'
import type { ContentClass, Removed } from '../edits.ts'
import { isSpillwayText, pointerReference } from '../pointer.ts'
import { removedBody, removedInput, removedMedia, targetOf } from '../removed.ts'
import { boundCalls } from '../tasks/index.ts'
import type { Message, TextBlock, ThinkingBlock, Transcript } from '../transcript.ts'
import { addressKey, exchangesOf, turnsOf } from '../transcript.ts'
import { STOPPED_OPENING } from './debris.ts'
import { type Earlier, earlierOf } from './earlier.ts'
import type { RuleContext } from './rule.ts'
import { type AnsweredExchange, isAnswered } from './window.ts'

export type Foldable = AnsweredExchange

export interface FoldableTurn {
  readonly exchanges: readonly Foldable[]
  /** The model's own words in the messages of these calls. */
  readonly words: readonly TextBlock[]
}

/**
 * Turns at least `afterTurns` old, oldest first. Calls of open tasks and of records keep their turns whole; what an
 * earlier rule took out is no part of its turn any more.
 */
export function foldableTurns(transcript: Transcript, afterTurns: number, context: RuleContext): FoldableTurn[] {
  const turns = turnsOf(transcript)
  const oldest = turns.length - 1 - afterTurns
  const bound = boundCalls(transcript, context.tasks)
  const earlier = earlierOf(context.before)
  const byTurn = new Map<number, Foldable[]>()
  const whole = new Set<number>()
  for (const exchange of exchangesOf(transcript)) {
    if (exchange.turn > oldest) break
    const { call, result, turn } = exchange
    if (earlier.isGone(call.at) || (result && earlier.isGone(result.at))) continue
    const isBound = bound.has(addressKey(call.at)) || earlier.isReworked(call.at)
    if (!isAnswered(exchange) || isBound || !mayFold(exchange) || earlier.isReworked(exchange.result.at))
      whole.add(turn)
    else {
      const others = byTurn.get(turn)
      if (others) others.push(exchange)
      else byTurn.set(turn, [exchange])
    }
  }
  return [...byTurn]
    .filter(([turn]) => !whole.has(turn))
    .map(([, exchanges]) => ({ exchanges, words: wordsBeside(transcript, exchanges, earlier) }))
}

/** What nobody can name or bring back stays, and so does what is no plain answer. */
function mayFold({ result }: Foldable): boolean {
  const stopped = result.parts.some((part) => part.type === 'text' && part.text.startsWith(STOPPED_OPENING))
  const known = result.parts.every((part) => part.type === 'text' || (part.type !== 'opaque' && part.bytes > 0))
  return result.denied === undefined && !stopped && !result.invented && known
}

function wordsBeside(transcript: Transcript, exchanges: readonly Foldable[], earlier: Earlier): TextBlock[] {
  return [...new Set(exchanges.map(({ message }) => message))].flatMap((message) =>
    (transcript.messages[message]?.blocks ?? []).filter(
      (block): block is TextBlock =>
        block.type === 'text' && block.tokens > 0 && !isOurs(block.text) && !earlier.isGone(block.at),
    ),
  )
}

function isOurs(text: string): boolean {
  return isCallLine(text) || isSpillwayText(text)
}

/**
 * Thinking of turns at least `afterTurns` old. It leaves only where somebody has spoken since: a provider may refuse
 * a turn that is still going on when part of its thinking is gone (A30). Thinking alone stays, debris takes it.
 */
export function oldThinking(transcript: Transcript, afterTurns: number): ThinkingBlock[] {
  const turns = turnsOf(transcript)
  const end = turns[turns.length - 1 - afterTurns]?.end ?? 0
  const closed = transcript.messages.findLastIndex(isSaidByUser)
  return transcript.messages.slice(0, Math.max(0, Math.min(end, closed))).flatMap(({ role, blocks }) => {
    if (role !== 'assistant' || blocks.every((block) => block.type === 'thinking')) return []
    return blocks.filter((block): block is ThinkingBlock => block.type === 'thinking' && block.tokens > 0)
  })
}

/** Words of a person or of a harness that begin a new turn, not answers to calls. */
function isSaidByUser({ role, kind, blocks }: Message): boolean {
  const speaks = kind === undefined || kind === 'task-event'
  return role === 'user' && speaks && blocks.some((block) => block.type !== 'result')
}

/** The reference of a result that already is a pointer stays the one the pointer names. */
export function lineOf({ call, result }: Foldable): string {
  const target = targetOf(call)
  return callLine({
    ref: earlierReference(result) ?? removedBody(result, { rule: 'call-lines', class: 'restorable' }).ref,
    tool: call.tool,
    failed: result.isError,
    ...(target === undefined ? {} : { target }),
  })
}

function earlierReference(result: Foldable['result']): string | undefined {
  const [only] = result.parts
  return only?.type === 'text' ? pointerReference(only.text) : undefined
}

/** What the archive keeps of a folded exchange: the input, and the body unless a pointer stood in its place. */
export function takenOut({ call, result }: Foldable, rule: string, contentClass: ContentClass): Removed[] {
  const facts = { rule, class: contentClass, call }
  const input = removedInput(call, facts)
  if (earlierReference(result) !== undefined) return [input]
  const media = result.parts.flatMap((part) =>
    part.type === 'image' || part.type === 'document' ? [removedMedia(part, { ...facts, at: result.at })] : [],
  )
  return [input, removedBody(result, facts), ...media]
}
