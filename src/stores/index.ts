/** Session stores: transcripts in SQLite, and the economized view over any store (docs/stores.md). */
export type { FoldSummary, SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.ts'
export { SqliteSessionStore, type SqliteSessionStoreOptions } from './sqlite-store.ts'
