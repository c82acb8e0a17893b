/** Which sessions a session has spawned, as OpenClaw's own lists tell (reference openclaw-and-pi 2.1). */
import type { JsonValue } from '../../core/transcript.ts'
import type { StoreAddress } from './address.ts'
import { columnsOf, withDatabase } from './database.ts'

/** Beside the session files up to 2026.7.1. */
export const REGISTRY_NAME = 'sessions.json'

export interface ChildSession {
  /** `agent:<agent>:subagent:<id>` */
  readonly key: string
  /** The id its transcript is kept under. */
  readonly session: string
}

/** From the text of a `sessions.json`; none where it is damaged or does not know the session. */
export function childrenInRegistry(text: string, session: string): ChildSession[] {
  const sessions = Object.entries(objectIn(text)).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const { sessionId, spawnedBy } = value as { readonly [name: string]: JsonValue }
    return typeof sessionId === 'string' ? [{ key, session: sessionId, spawnedBy }] : []
  })
  const own = new Set(sessions.filter((each) => each.session === session).map(({ key }) => key))
  return sessions
    .filter(({ spawnedBy }) => typeof spawnedBy === 'string' && own.has(spawnedBy))
    .map((child) => ({ key: child.key, session: child.session }))
}

function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** From the store's own table, where its version has one. */
export function childrenInStore({ database: file, session }: StoreAddress): ChildSession[] {
  return withDatabase(file, (database) => {
    const has = new Set(columnsOf(database, 'session_nodes'))
    const links = ['spawned_by', 'parent_session_key'].filter((column) => has.has(column))
    if (links.length === 0 || !has.has('current_session_id')) return []
    const named = links.map((column) => `child.${column} = own.session_key`).join(' OR ')
    const sql = `SELECT child.session_key AS key, child.current_session_id AS session
      FROM session_nodes AS own JOIN session_nodes AS child ON ${named}
      WHERE own.current_session_id = ? ORDER BY key`
    return database.prepare(sql).all(session) as ChildSession[]
  })
}
