/** Identities that repairs give to new entries: derived, never random, so that the next load derives the same. */
import { createHash } from 'node:crypto'

/** Version digit of our UUIDs (RFC 9562: version 8 is free for the application). */
const VERSION = '8'

/** A UUID over these words. */
export function derivedKey(...words: readonly string[]): string {
  const hash = createHash('sha256')
    .update(['spillway', ...words].join('\0'))
    .digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${VERSION}${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** The key of the entry that answers this call; `anchor` is the key of the call's entry. */
export function answerKey(anchor: string, callId: string): string {
  return derivedKey('answer', anchor, callId)
}

/** Cheap test before hashing: could this key be one of ours? */
export function mayBeDerived(key: string | undefined): boolean {
  return key !== undefined && key.charAt(14) === VERSION
}
