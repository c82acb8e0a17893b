/** What is kept of each recorded entry: its place in the chain, what it refers to, and what of it would be sent. */
import type { Block, Link, MessageKind, Role, Usage } from '../../core/transcript.ts'

export const MAIN_THREAD = 'main'

/** What of one entry would be sent to the model. */
export interface Sent {
  /** Ordinal of the entry. */
  readonly entry: number
  readonly role: Role
  readonly kind: MessageKind | undefined
  readonly blocks: readonly Block[]
  /** The provider's message id: entries that share it are one message (D05). */
  readonly id: string | undefined
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly time: number | undefined
  /** Ordinal of the assistant entry whose call it answers: the newest before it with that call id; -1 when none. */
  readonly answers: number
  /** The call a reminder is about. */
  readonly about: string | undefined
}

/** References to other entries' keys, beside the parent. */
export interface References {
  readonly leaf?: string
  readonly logicalParent?: string
  readonly sourceAssistant?: string
  readonly preserved?: Preserved
  /** The call that an attachment is about (hook output). */
  readonly toolUse?: string
}

/** What a compaction kept verbatim, re-attached behind the anchor (D09). */
export interface Preserved {
  readonly anchor: string | undefined
  readonly keys: readonly string[]
  readonly allKeys: readonly string[]
  readonly head: string | undefined
  readonly tail: string | undefined
}

/** Oddities of one entry that only its own fields show; `check` reports them. */
export type Oddity = 'copy-keeps-content' | 'error-as-model-text' | 'foreign-output'

export interface Entry {
  readonly link: Link
  readonly type: string
  readonly sidechain: boolean
  readonly isBoundary: boolean
  readonly sent: Sent | undefined
  readonly references: References | undefined
  readonly oddities: readonly Oddity[] | undefined
}

const CHAIN_TYPES = new Set(['user', 'assistant', 'attachment', 'system', 'progress'])

/** Chain entries have a key and are of a type that parents name; snapshots carry a message's key but are none (D02). */
export function isChainType(type: string): boolean {
  return CHAIN_TYPES.has(type)
}

/** An entry the active branch can end on: progress lines come and go beside it. */
export function canBeLeaf(entry: Entry): boolean {
  return entry.type !== 'progress' && (entry.link.key !== undefined || isTurn(entry))
}

/** User and assistant entries are part of the conversation even without a key. */
export function isTurn(entry: Entry): boolean {
  return entry.type === 'user' || entry.type === 'assistant'
}
