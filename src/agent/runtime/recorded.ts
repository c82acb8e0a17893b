/** What the store has recorded of a session, unchanged by any economy: its main thread and those of its workers. */
import type { ChildThread } from '../../core/tasks/index.ts'
import type { Transcript } from '../../core/transcript.ts'
import { claudeCodeReader, spawningCall } from '../../formats/claude-code/index.ts'
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../stores/index.ts'

export interface Recorded {
  readonly main: Transcript
  /** The workers' own threads, read when they are asked for: they hold most of what a long run has recorded. */
  children(): Promise<readonly ChildThread[]>
}

const WORKERS = /^subagents\/(?:.*\/)?agent-([^/]+)$/

/** Undefined for a session that the store does not have. */
export async function recordedSession(store: SessionStore, key: SessionKey): Promise<Recorded | undefined> {
  const entries = await store.load(key)
  if (entries === null) return undefined
  return { main: transcriptOf(entries), children: () => workersOf(store, key) }
}

async function workersOf(store: SessionStore, key: SessionKey): Promise<ChildThread[]> {
  const children: ChildThread[] = []
  for (const subpath of (await store.listSubkeys?.(key)) ?? []) {
    const id = WORKERS.exec(subpath)?.[1]
    if (id === undefined) continue
    const worker = (await store.load({ ...key, subpath })) ?? []
    // The call is all that names a worker which was cut off: its answer would have told its id.
    const ids = [id, ...worker.flatMap((entry) => spawningCall(entry) ?? [])]
    children.push({ ids, transcript: transcriptOf(worker) })
  }
  return children
}

function transcriptOf(entries: readonly SessionStoreEntry[]): Transcript {
  const reader = claudeCodeReader()
  for (const entry of entries) reader.pushEntry(entry)
  return reader.finish().main
}

/** Has the prompt arrived? It then is the last thing said, errors of the harness aside. */
export function endsWithPrompt({ messages }: Transcript, prompt: string): boolean {
  const last = messages.findLast(({ role, kind }) => role !== 'system' && kind !== 'api-error' && kind !== 'reminder')
  if (last?.role !== 'user') return false
  return last.blocks.some((block) => block.type === 'text' && block.text.includes(prompt))
}
