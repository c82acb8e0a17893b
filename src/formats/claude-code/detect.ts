/** Is this a Claude Code session? */
import { fieldsOf } from '../fields.ts'

const TYPES = new Set(['user', 'assistant', 'attachment', 'system', 'progress', 'summary', 'queue-operation'])

/**
 * Chain entries carry `parentUuid` (null at a root) and entries of a known type `sessionId`; no other format has
 * either beside a `type` and, where there is a message, a `role` inside it.
 */
export function isClaudeCode(firstEntries: readonly unknown[]): boolean {
  return firstEntries.some((value) => {
    const entry = fieldsOf(value)
    if (!entry || typeof entry.type !== 'string') return false
    if ('parentUuid' in entry) return true
    if (entry.type === 'file-history-snapshot' || entry.type === 'last-prompt') return true
    if (!TYPES.has(entry.type)) return false
    const message = fieldsOf(entry.message)
    return (
      typeof entry.sessionId === 'string' ||
      'leafUuid' in entry ||
      (message !== undefined && message.role === entry.type)
    )
  })
}
