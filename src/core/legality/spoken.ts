import type { Message, Transcript } from '../transcript.ts'

/**
 * The messages that turn rules are about. Reminders are transparent (A02, A16): the harness places them itself.
 * Synthetic errors are never sent, and an assistant message emptied of its thinking is not sent either.
 */
export function spokenMessages(transcript: Transcript): Message[] {
  return transcript.messages.filter((message) => {
    if (message.kind === 'reminder' || message.kind === 'api-error' || message.role === 'system') return false
    return message.role === 'user' || message.blocks.length > 0
  })
}

/** Index of the last message that somebody said: calls before it can no longer be answered (DESIGN, At rest). */
export function settledAt(transcript: Transcript, at: 'rest' | 'request'): number {
  if (at === 'request') return transcript.messages.length
  const last = spokenMessages(transcript).at(-1)
  return last === undefined ? 0 : transcript.messages.indexOf(last)
}
