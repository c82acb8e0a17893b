/** What never leaves (seed C6): system messages, the task, every word of the user; not the answers to calls. */
import type { Block, Message, Transcript } from '../../core/transcript.ts'
import { isNote } from './note.ts'
import { blockSize, messageSize } from './size.ts'

/** Words or media of a person in a user message, our own notes left out. */
export function isPinned(message: Message, block: Block): boolean {
  return message.role === 'user' && block.type !== 'result' && !isNoteBlock(block)
}

export function isNoteBlock(block: Block): boolean {
  return block.type === 'text' && isNote(block.text)
}

/** Estimated tokens of what never leaves. */
export function pinnedSize(transcript: Transcript): { readonly system: number; readonly user: number } {
  let system = 0
  let user = 0
  for (const message of transcript.messages) {
    if (message.role === 'system') system += messageSize(message)
    if (message.role !== 'user') continue
    for (const block of message.blocks) if (isPinned(message, block)) user += blockSize(block)
  }
  return { system, user }
}
