/** How much a transcript weighs in a request: every block with what the wire puts around it (seed C7). */
import type { Block, Message, Transcript } from '../../core/transcript.ts'

/**
 * Tokens of the JSON around a block (type, id, name), with its part of the message's. Messages themselves weigh
 * nothing, so that the same blocks weigh the same however they are spread over messages.
 */
const FRAMES: Readonly<Record<Block['type'], number>> = {
  text: 8,
  thinking: 8,
  call: 24,
  result: 20,
  image: 12,
  document: 12,
  opaque: 4,
}

/** `apply` shares the messages it does not change, so each is weighed once. */
const known = new WeakMap<Message, number>()

export function blockSize(block: Block): number {
  return block.tokens + FRAMES[block.type]
}

export function messageSize(message: Message): number {
  const earlier = known.get(message)
  if (earlier !== undefined) return earlier
  let size = 0
  for (const block of message.blocks) size += blockSize(block)
  known.set(message, size)
  return size
}

/** Estimated tokens of everything in the transcript, uncalibrated. */
export function transcriptSize(transcript: Transcript): number {
  let size = 0
  for (const message of transcript.messages) size += messageSize(message)
  return size
}
