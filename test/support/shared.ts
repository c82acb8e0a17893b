/** Where the real sessions and labelled cases are: `../shared` beside the project, or `SPILLWAY_DATA` (its data/). */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

export const DATA = process.env.SPILLWAY_DATA ?? resolve(project, '../shared/data')
export const CASES = resolve(DATA, '../cases')
export const EXAMPLES = join(project, 'examples')

export const hasData = existsSync(join(DATA, 'claude-code'))
export const hasCases = existsSync(CASES)

/** Tests that need them call this, so that a missing folder is seen and not silently green. */
export function noticeMissing(what: string): void {
  process.stderr.write(`notice: ${what} is not here; the tests that need it are skipped\n`)
}

/** Every session file under a folder of the data (`claude-code`, `pi`, …), sorted, main files and subagents. */
export function sessionFiles(folder: string): string[] {
  const root = join(DATA, folder)
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl(\.gz)?$/.test(name))
    .sort()
    .map((name) => join(root, name))
}
