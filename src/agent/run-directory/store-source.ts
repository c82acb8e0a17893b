/** A recorded transcript of a session store as a stream of JSON lines, so that it is read like a session file. */

import type { Source } from '../../sessions/source.ts'
import type { SessionKey, SessionStore } from '../../stores/index.ts'

/** Undefined where the store does not have it. */
export async function storeSource(store: SessionStore, key: SessionKey, name: string): Promise<Source | undefined> {
  const entries = await store.load(key)
  if (entries === null) return undefined
  async function* chunks(onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    for (const entry of entries ?? []) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      onBytes?.(line.length)
      yield line
    }
  }
  return { file: name, name, subagents: [], chunks }
}
