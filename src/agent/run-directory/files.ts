/** The files of a run directory. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const STORE_FILE = 'sessions.db'
export const MANIFEST_FILE = 'manifest.json'
export const LINEAGE_FILE = 'lineage.json'

export function isRunDirectory(folder: string): boolean {
  return existsSync(join(folder, STORE_FILE)) && existsSync(join(folder, MANIFEST_FILE))
}
