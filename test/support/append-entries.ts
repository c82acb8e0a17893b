/**
 * A process of its own: `append-entries.ts FILE NAME COUNT` appends so many entries to one session of the store, one at
 * a time, and prints the uuid of each once it is stored.
 */
import { pathToFileURL } from 'node:url'
import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk'
import { type SessionStoreEntry, SqliteSessionStore } from '../../src/stores/index.ts'
import { KEY } from './stored-sessions.ts'

/** What the process of this name appends. */
export function appended(name: string, count: number): SessionStoreEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'user',
    uuid: `${name}-${index}`,
    message: { role: 'user', content: `${name} ${index} `.repeat(100) },
  }))
}

async function appendAll(file: string, name: string, count: number): Promise<void> {
  const store = new SqliteSessionStore(file, { foldSummary: foldSessionSummary })
  for (const entry of appended(name, count)) {
    // Every process writes this one too.
    await store.append(KEY, [{ type: 'user', uuid: 'shared' }, entry])
    process.stdout.write(`${entry.uuid}\n`)
  }
  await store.close()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = '', name = '', count = '0'] = process.argv.slice(2)
  await appendAll(file, name, Number(count))
}
