/** A session inside OpenClaw's store: the database's path, `#`, the session's id. */

export const STORE_NAME = 'openclaw-agent.sqlite'
const ADDRESS = /^(.+\.sqlite)(?:#(.+))?$/s

export interface StoreAddress {
  readonly database: string
  readonly session: string
}

/** The database that the words name, with the session in it where they name one; undefined for any other file. */
export function storeAddress(file: string): { readonly database: string; readonly session?: string } | undefined {
  const found = ADDRESS.exec(file)
  const [, database, session] = found ?? []
  if (database === undefined) return undefined
  return session === undefined ? { database } : { database, session }
}

export function addressWords({ database, session }: StoreAddress): string {
  return `${database}#${session}`
}

/** Is this a database file, by its name? */
export function isStoreFile(file: string): boolean {
  return file.endsWith('.sqlite')
}
