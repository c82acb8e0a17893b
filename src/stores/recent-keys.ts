/** A map by session that remembers so many of the most recently used: a service sees more sessions than memory holds. */
import type { SessionKey } from '../formats/claude-code/index.ts'

export interface RecentKeys<Value> {
  get(key: SessionKey): Value | undefined
  set(key: SessionKey, value: Value): void
  delete(key: SessionKey): void
}

export function recentKeys<Value>(most: number): RecentKeys<Value> {
  const values = new Map<string, Value>()
  const nameOf = ({ projectKey, sessionId }: SessionKey): string => JSON.stringify([projectKey, sessionId])
  const put = (name: string, value: Value): void => {
    values.delete(name)
    values.set(name, value)
    for (const oldest of values.keys()) {
      if (values.size <= most) break
      values.delete(oldest)
    }
  }
  return {
    get(key) {
      const name = nameOf(key)
      const value = values.get(name)
      if (value !== undefined) put(name, value)
      return value
    },
    set: (key, value) => put(nameOf(key), value),
    delete: (key) => {
      values.delete(nameOf(key))
    },
  }
}
