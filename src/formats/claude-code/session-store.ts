/**
 * Where transcripts live beside Claude Code's own files: the SessionStore of the Claude Agent SDK, declared here by
 * its shape so that nothing of this package needs the SDK (reference: claude-agent-sdk section 4, the SDK's `sdk.d.ts`).
 */

/** One transcript: a session's main thread, or with `subpath` one of its subagents. */
export interface SessionKey {
  /** By default the sanitized working folder. */
  projectKey: string
  sessionId: string
  /** As in the session's folder: `subagents/agent-<id>`. Never empty. */
  subpath?: string
}

/** One JSON line of a transcript; everything beside the named fields is carried as it is. */
export interface SessionStoreEntry {
  type: string
  /** What appends are idempotent by; titles, tags and the like have none. */
  uuid?: string
  timestamp?: string
  [field: string]: unknown
}

/** What a list of sessions shows of one; `data` belongs to the SDK. */
export interface SessionSummaryEntry {
  sessionId: string
  /** Milliseconds since the epoch, by the clock of `listSessions`. */
  mtime: number
  data: Record<string, unknown>
}

export interface SessionStore {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>
  /** Null for a transcript that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>
  /** A main transcript leaves with its subagents. */
  delete?(key: SessionKey): Promise<void>
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>
}

/** The SDK's `foldSessionSummary`: brings a summary up to date with what was appended. */
export type FoldSummary = (
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
) => SessionSummaryEntry
