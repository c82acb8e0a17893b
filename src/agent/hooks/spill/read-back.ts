/**
 * Reading what was spilled passes, or the pointer would lead in a circle. Decided by the real path of what is read,
 * however it is named, and by nothing else: not by a mention of the folder, nor by a name that begins like it.
 */
import { realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { literalCommands } from '../../../shell/index.ts'
import { DEFAULT_READ_SPILL_CHARS } from './limits.ts'

/** Programs that print the files they are given, or what is piped into them. */
const READERS: ReadonlySet<string> = new Set(
  'cat tac head tail sed nl less more cut grep egrep fgrep rg wc sort uniq tr fold awk jq strings'.split(' '),
)
/** Line numbers and file names may come with the lines. */
const MOST_GROWTH = 2
const SLACK_CHARS = 1000
/** A search may go through every spilled file: it passes up to what a Read may bring. */
const MOST_FOUND_CHARS = DEFAULT_READ_SPILL_CHARS

export interface ReadBackCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly cwd: string
  /** Characters of the answer. */
  readonly chars: number
}

/** @param folder where spilled files are */
export function isReadBack(call: ReadBackCall, folder: string): boolean {
  const real = realOf(folder)
  if (real === undefined) return false
  const { tool, input, cwd, chars } = call
  if (tool === 'Read')
    return typeof input.file_path === 'string' && sizeInside(resolve(cwd, input.file_path), real) >= 0
  if (tool === 'Grep') {
    if (typeof input.path !== 'string' || chars >= MOST_FOUND_CHARS) return false
    const path = realOf(resolve(cwd, input.path))
    return path === real || (path !== undefined && dirname(path) === real)
  }
  if (tool !== 'Bash' || typeof input.command !== 'string') return false
  const named = bytesRead(input.command, cwd, real)
  return named !== undefined && chars <= named * MOST_GROWTH + SLACK_CHARS
}

/** Bytes of the spilled files that a command reads; undefined when it does, or may do, anything else. */
function bytesRead(script: string, cwd: string, folder: string): number | undefined {
  const commands = literalCommands(script)
  if (commands === undefined) return undefined
  let bases = [cwd]
  let bytes = 0
  for (const { name, words, piped } of commands) {
    if (name === 'echo' || name === 'printf') continue
    if (name === 'cd' && !piped && words.length === 1) {
      const target = words[0] ?? ''
      // The hook may already be told the folder that the command went into.
      bases = isAbsolute(target) ? [target] : [...bases.map((base) => resolve(base, target)), cwd]
      continue
    }
    if (!READERS.has(name)) return undefined
    const sizes = words.map((word) => sizeOfWord(word, bases, folder))
    if (sizes.includes(undefined)) return undefined
    const read = sizes.reduce<number>((sum, size) => sum + Math.max(0, size ?? 0), 0)
    if (!piped && !sizes.some((size) => size !== undefined && size >= 0)) return undefined
    bytes += read
  }
  return bytes > 0 ? bytes : undefined
}

/** Bytes of the spilled file that the word names, -1 when it names no file, undefined when it names another one. */
function sizeOfWord(word: string, bases: readonly string[], folder: string): number | undefined {
  let other = false
  for (const base of bases) {
    const path = resolve(base, word)
    const size = sizeInside(path, folder)
    if (size >= 0) return size
    if (word !== '' && realOf(path) !== undefined) other = true
  }
  return other ? undefined : -1
}

/** Bytes of a file that really is in the folder, else -1. */
function sizeInside(path: string, folder: string): number {
  const real = realOf(path)
  if (real === undefined || dirname(real) !== folder) return -1
  const state = statSync(real, { throwIfNoEntry: false })
  return state?.isFile() ? state.size : -1
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // There is nothing of that name (or no way to it): not a spilled file.
    return undefined
  }
}
