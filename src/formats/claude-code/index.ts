/** Claude Code's session files: `<config>/projects/<working folder>/<id>.jsonl` and its subagents. */
import type { Format } from '../format.ts'
import { isClaudeCode } from './detect.ts'
import { findingsOf } from './findings.ts'
import { claudeCodeReader, FORMAT_NAME } from './reader.ts'
import { claudeCodeWriter } from './writer.ts'

export { spawningCall } from './agent-metadata.ts'
export { editedEntries } from './entry-writer.ts'
export { claudeCodeReader } from './reader.ts'
export type { FoldSummary, SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.ts'

export const claudeCode: Format = {
  name: FORMAT_NAME,
  detect: isClaudeCode,
  reader: claudeCodeReader,
  writer: claudeCodeWriter,
  /** The D rules hold at rest and at a request alike: a loader reads the same file for both. */
  check: (session) => findingsOf(session).map((finding) => finding.violation),
  repairs: (session) => findingsOf(session).flatMap((finding) => finding.repairs),
}
