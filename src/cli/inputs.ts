/** From the words of a command line to session files, and to the names of what is written. */
import { mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { sessionName } from '../formats/places.ts'
import type { Machine } from '../sessions/discover.ts'
import { type SelectedSession, selectSessions } from '../sessions/select.ts'
import { STDIN } from '../sessions/source.ts'
import { presentFolder } from './present-folder.ts'

const FOLDER_MODE = 0o700

/** @throws SpillwayError `not-found` where the present folder was removed */
export function thisMachine(): Machine {
  return { environment: process.env, home: process.env.HOME || homedir(), cwd: presentFolder() }
}

/**
 * The sessions that the words name. Without a word, a person at a terminal chooses among the newest.
 * @throws SpillwayError `usage` without a word where nobody can be asked
 */
export async function inputsFrom(words: readonly string[]): Promise<readonly SelectedSession[]> {
  if (words.length > 0) return selectSessions(words, thisMachine())
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new SpillwayError(
      'usage',
      'name a SESSION: a path, a session id or a prefix of one, "latest", or - for stdin',
    )
  }
  const { chooseSession } = await import('./choose-session.ts')
  return selectSessions([await chooseSession(thisMachine())], thisMachine())
}

/**
 * One output path an input: `-o` names the file (one input) or the folder (several, or a folder that exists);
 * without it, one input is written to the current folder under its name with this ending.
 * @throws SpillwayError `usage`
 */
export function outputPaths(inputs: readonly SelectedSession[], output: string | undefined, ending: string): string[] {
  const names = inputs.map(({ file }) => `${file === STDIN ? 'stdin' : sessionName(basename(file))}${ending}`)
  if (output === undefined) {
    if (inputs.length > 1)
      throw new SpillwayError('usage', `${inputs.length} inputs: name a folder to write to with -o DIR`)
    return names
  }
  if (inputs.length === 1 && !output.endsWith('/') && !isFolder(output)) return [output]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new SpillwayError('usage', `two inputs would be written to ${join(output, twice)}`)
  makeFolder(output)
  return names.map((name) => join(output, name))
}

/** A path that cannot even be looked at is no folder; writing to it will say why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  } catch (cause) {
    throw new SpillwayError('unwritable', `${path}: cannot be made a folder to write to`, { cause })
  }
}

/** Comma-separated names of `--rules`. */
export function listOf(words: string | undefined): string[] | undefined {
  return words
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
