/**
 * What broken connections and interruptions leave behind (F8): synthetic API errors are dropped, what a stopped
 * call left becomes a neutral note that keeps its partial output, and no assistant message of thinking alone stays.
 */
import type { Edit } from '../edits.ts'
import { spokenMessages } from '../legality/spoken.ts'
import { removedBody, removedText } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { Message, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import type { Rule } from './rule.ts'
import { type AnsweredExchange, isAnswered } from './window.ts'

/** How every note about a stopped call begins. */
export const STOPPED_OPENING = '[interrupted: '
export const STOPPED_TEXT = `${STOPPED_OPENING}this call was stopped and gave no result]`
const STOPPED_WITH_OUTPUT = `${STOPPED_OPENING}this call was stopped; what it had put out follows]`

export const debris: Rule<object> = (transcript) => [
  ...transcript.messages.filter((message) => message.kind === 'api-error').map(droppedError),
  ...droppedThinking(transcript),
  ...exchangesOf(transcript)
    .filter(isAnswered)
    .filter(({ result }) => result.denied === 'stopped' && !result.spilled && !result.invented)
    .map(neutralised),
]

function dropMessage(message: Message, reason: string): Edit {
  const [first] = message.blocks
  const at = first?.at ?? { thread: '', entry: message.entries[0] ?? 0 }
  const facts = { at, rule: 'debris', class: 'worthless' as const }
  return {
    kind: 'drop-message',
    at: { thread: at.thread, entry: at.entry },
    entries: message.entries,
    rule: 'debris',
    reason,
    purpose: 'legality',
    class: 'worthless',
    frees: message.blocks.reduce((sum, block) => sum + block.tokens, 0),
    removed: message.blocks
      .filter((block) => (block.type === 'text' || block.type === 'thinking') && block.text !== '')
      .map((block) => removedText('text' in block ? block.text : '', facts)),
  }
}

function droppedError(message: Message): Edit {
  return dropMessage(message, 'synthetic API error, never said by the model')
}

/** Also the last repair of every epoch: what else was dropped may have left thinking alone. */
export function droppedThinking(transcript: Transcript): Edit[] {
  const reason = 'the stream broke after the thinking: nothing else of this message exists'
  return loneThinking(transcript).map((message) => dropMessage(message, reason))
}

/**
 * Assistant messages of thinking alone whose turn goes on without them. At the very end one stays: its message may
 * still be being written. Read from the end, since what leaves no longer stands behind the thinking before it.
 */
function loneThinking(transcript: Transcript): Message[] {
  const broken = transcript.messages.at(-1)?.kind === 'api-error'
  let next: Message | undefined
  const lone: Message[] = []
  for (const message of spokenMessages(transcript).reverse()) {
    if (!transcript.sizesOnly && isBlank(message)) continue
    const open = next === undefined ? broken : next.role !== 'assistant'
    if (message.role === 'assistant' && open && message.blocks.every((block) => block.type === 'thinking')) {
      lone.push(message)
    } else next = message
  }
  return lone.reverse()
}

/** The repair of blank texts will drop it (A08). */
function isBlank(message: Message): boolean {
  return message.blocks.every((block) => block.type === 'text' && block.text.trim() === '')
}

function neutralised({ call, result }: AnsweredExchange): Edit {
  const partial = result.partial ?? ''
  const text = partial === '' ? STOPPED_TEXT : `${STOPPED_WITH_OUTPUT}\n${partial}`
  return {
    kind: 'replace-result',
    at: result.at,
    rule: 'debris',
    reason: `${call.tool} call was interrupted`,
    purpose: 'legality',
    class: 'worthless',
    frees: result.tokens - estimateTokens(text),
    removed: [removedBody(result, { rule: 'debris', class: 'worthless', call })],
    text,
    isError: false,
  }
}
