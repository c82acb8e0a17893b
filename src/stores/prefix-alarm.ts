/**
 * Notices that a prefix was broken: Claude Code records `thinking_stripped` before the answer to a request that was
 * refused for it (reference: claude-agent-sdk section 10). Behind its own compaction, before any answer, that is its doing.
 */
import type { SessionStoreEntry } from '../formats/claude-code/index.ts'

/** Is this entry, the next one of a transcript, such a record that no compaction explains? */
export function prefixAlarm(): (entry: SessionStoreEntry) => boolean {
  let compacted = false
  return (entry) => {
    if (entry.type === 'system' && entry.subtype === 'compact_boundary') compacted = true
    else if (entry.type === 'assistant') compacted = false
    return isStripped(entry) && !compacted
  }
}

function isStripped({ type, attachment }: SessionStoreEntry): boolean {
  const isObject = typeof attachment === 'object' && attachment !== null
  return type === 'attachment' && isObject && 'type' in attachment && attachment.type === 'thinking_stripped'
}
