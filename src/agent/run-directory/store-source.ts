/** A recorded transcript of a session store as a stream of JSON lines, so that it is read like a session file. */
import type { Source } from '../../sessions/source.ts'
import type { SessionKey, SessionStore } from '../../stores/index.ts'

/** It is loaded anew each time it is read, so that nothing stays in memory between. */
export function storeSource(store: SessionStore, key: SessionKey, name: string): Source {
  async function* chunks(onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    for (const entry of (await store.load(key)) ?? []) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      onBytes?.(line.length)
      yield line
    }
  }
  return { file: name, name, subagents: [], chunks }
}
