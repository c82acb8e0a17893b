/** What an EconomyStore tells whoever runs it; plain data. */
import type { Outcome } from '../core/economy.ts'
import type { SessionKey } from '../formats/claude-code/index.ts'

export type StoreEvent = EpochEvent | Fallback | PrefixBroken

/** Decisions were made: from now on every load gives this view. */
export interface EpochEvent {
  readonly type: 'epoch'
  readonly key: SessionKey
  readonly outcome: Outcome
  /** Estimated tokens of the view, before and after. */
  readonly tokens: { readonly before: number; readonly after: number }
  /** Decisions that were made. */
  readonly edits: number
  /** The plan's lines, for people. */
  readonly explanation: readonly string[]
}

/**
 * Something failed and the session was given out all the same: with the decisions made before, or as it was recorded.
 * Where there are decisions and `view` is `recorded`, the model sees another past than before, and a model that binds
 * its thinking loses it.
 */
export interface Fallback {
  readonly type: 'fallback'
  readonly key: SessionKey
  readonly view: 'decided' | 'recorded'
  readonly doing: 'read decisions' | 'read' | 'plan' | 'archive' | 'store decisions'
  readonly error: unknown
}

/** Claude Code had to strip all thinking because earlier bytes had changed, and not by its own compaction. */
export interface PrefixBroken {
  readonly type: 'prefix-broken'
  readonly key: SessionKey
  /** Of the entry that says so. */
  readonly uuid: string | undefined
}
