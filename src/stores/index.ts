/** Session stores: transcripts in SQLite, and the economized view over any store (docs/stores.md). */

export type {
  FoldSummary,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../formats/claude-code/index.ts'
export type { EconomyStoreOptions, Epoch, Moment } from './economy-options.ts'
export { EconomyStore, type StoreDecision } from './economy-store.ts'
export { SqliteSessionStore, type SqliteSessionStoreOptions } from './sqlite-store.ts'
export type { EpochEvent, Fallback, PrefixBroken, StoreEvent } from './store-events.ts'
