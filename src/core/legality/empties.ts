/** No empty message, no blank text (A06, A07, A08). Nothing is said about texts that a sizes-only reading let go. */
import type { Block, Message, TextBlock, Transcript } from '../transcript.ts'
import { spokenMessages } from './spoken.ts'
import type { Violation } from './violation.ts'

export interface EmptyFaults {
  readonly messages: readonly Message[]
  readonly texts: readonly { readonly message: Message; readonly block: TextBlock }[]
}

export function emptyFaults(transcript: Transcript): EmptyFaults {
  if (transcript.sizesOnly) return { messages: [], texts: [] }
  const spoken = spokenMessages(transcript)
  return {
    messages: spoken.filter((message) => message.blocks.length === 0),
    texts: spoken.flatMap((message) => message.blocks.filter(isBlank).map((block) => ({ message, block }))),
  }
}

function isBlank(block: Block): block is TextBlock {
  return block.type === 'text' && block.text.trim() === ''
}

export function empties(transcript: Transcript): Violation[] {
  const { messages, texts } = emptyFaults(transcript)
  return [
    ...messages.map(
      (message): Violation => ({
        rule: 'A06',
        severity: 'reject',
        message: `${message.role} message has no content`,
        at: { thread: transcript.thread, entry: message.entries[0] ?? 0 },
      }),
    ),
    ...texts.map(
      ({ message, block }): Violation => ({
        rule: block.text === '' ? 'A07' : 'A08',
        severity: 'reject',
        message: `${message.role} message has a ${block.text === '' ? 'empty' : 'blank'} text block`,
        at: block.at,
      }),
    ),
  ]
}
