/** The sessions in OpenClaw's stores, as the listing needs them. */
import { existsSync } from 'node:fs'
import { SpillwayError } from '../core/errors.ts'
import type { SourceLine } from '../formats/format.ts'
import { lineSplitter } from '../formats/lines.ts'
import { addressWords, type EventRow, eventsIn, sessionsIn, storeAddress } from '../formats/openclaw-store/index.ts'
import type { FoundSession } from './discover.ts'

/** The header and the newest events tell where a session ran and what it last used. */
const FIRST_EVENTS = 5
const LAST_EVENTS = 60

/**
 * The sessions of these databases; those that cannot be read are passed over: they are not ours. Without
 * better-sqlite3 none is found.
 */
export function sessionsInStores(databases: readonly string[]): Omit<FoundSession, 'format' | 'here'>[] {
  return databases.filter(existsSync).flatMap((database) => {
    return listed(database).map((session) => {
      return { ...session, file: addressWords({ database, session: session.id }) }
    })
  })
}

function listed(database: string): ReturnType<typeof sessionsIn> {
  try {
    return sessionsIn(database)
  } catch (error) {
    if (error instanceof SpillwayError) return []
    throw error
  }
}

/** The first and the newest lines of a stored session; undefined for any other file. */
export function storedEnds(file: string): SourceLine[] | undefined {
  const address = storeAddress(file)
  if (address?.session === undefined) return undefined
  const store = { database: address.database, session: address.session }
  const first = eventsIn(store, { first: FIRST_EVENTS })
  const last = eventsIn(store, { last: LAST_EVENTS }).filter(({ seq }) => seq > (first.at(-1)?.seq ?? 0))
  return linesOf([...first, ...last])
}

function linesOf(rows: readonly EventRow[]): SourceLine[] {
  return lineSplitter().push(Buffer.from(rows.map(({ text }) => `${text}\n`).join('')))
}

/** How often a stored session's lines hold these bytes; undefined for any other file. */
export function countInStore(file: string, mark: string): number | undefined {
  const address = storeAddress(file)
  if (address?.session === undefined) return undefined
  const rows = eventsIn({ database: address.database, session: address.session })
  return rows.reduce((sum, { text }) => sum + text.split(mark).length - 1, 0)
}
