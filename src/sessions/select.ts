/**
 * What SESSION on the command line means: a path (file, folder, `.gz`, a store, `-`), a session id, a unique prefix of one,
 * or `latest`.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import { addressWords, sessionsIn, storeAddress } from '../formats/openclaw-store/index.ts'
import { isSessionFile, sessionName } from '../formats/places.ts'
import { discoverSessions, type FoundSession, type Machine } from './discover.ts'
import { isPlainFile } from './plain-file.ts'
import { readProblem, STDIN } from './source.ts'

const LATEST = 'latest'
const CANDIDATES_SHOWN = 10

export interface SelectedSession {
  readonly file: string
  /** Transcripts of its subagents (`<id>/subagents/agent-*.jsonl`). */
  readonly subagents: readonly string[]
}

/**
 * The session files that the words name, in order; a folder names all in it.
 * @throws SpillwayError `not-found`, `usage` (an ambiguous prefix, with its candidates), `unreadable`
 */
export function selectSessions(words: readonly string[], machine: Machine): SelectedSession[] {
  const files = words.flatMap((word) => filesOf(word, machine))
  return [...new Set(files)].map((file) => ({ file, subagents: subagentsOf(file) }))
}

function filesOf(word: string, machine: Machine): string[] {
  if (word === STDIN) return [word]
  const stored = storeAddress(word)
  if (stored?.session !== undefined) return [word]
  const state = stateOf(word)
  if (stored && state === 'file') {
    return sessionsIn(word).map(({ id }) => addressWords({ database: word, session: id }))
  }
  if (state === 'folder') return filesInFolder(word)
  if (state === 'file') return [word]
  if (word === LATEST) {
    const newest = discoverSessions(machine)[0]
    if (!newest) throw new SpillwayError('not-found', 'no recorded session on this machine; name a file')
    return [newest.file]
  }
  if (word.includes('/') || /\.(jsonl|gz)$/.test(word)) throw new SpillwayError('not-found', `${word}: no such file`)
  return [byId(word, discoverSessions(machine)).file]
}

function byId(word: string, sessions: readonly FoundSession[]): FoundSession {
  const named = sessions.filter((session) => session.id === word)
  const starting = sessions.filter((session) => session.id.startsWith(word))
  const candidates = named.length > 0 ? named : starting
  const [first, second] = candidates
  if (!first) {
    throw new SpillwayError(
      'not-found',
      `${word}: no such file and no session id that starts so (try: spillway sessions)`,
    )
  }
  if (!second) return first
  const shown = candidates.slice(0, CANDIDATES_SHOWN).map((session) => `\n  ${session.id}  ${session.file}`)
  const more = candidates.length > shown.length ? `\n  and ${candidates.length - shown.length} more` : ''
  throw new SpillwayError(
    'usage',
    `${word}: names ${candidates.length} sessions, give more of the id:${shown.join('')}${more}`,
  )
}

function filesInFolder(folder: string): string[] {
  const names = namesIn(folder).sort()
  const files = names
    .filter(isSessionFile)
    .map((name) => join(folder, name))
    .filter(isPlainFile)
  if (files.length > 0) return files
  // A session's own folder: its main transcript lies beside it.
  const own = folder.replace(/\/+$/, '')
  for (const file of [`${own}.jsonl`, `${own}.jsonl.gz`]) if (stateOf(file) === 'file') return [file]
  throw new SpillwayError('not-found', `${folder}: no session file (*.jsonl) in this folder`)
}

/** Transcripts of a Claude Code session's subagents, beside its file. */
export function subagentsOf(file: string): string[] {
  if (file === STDIN) return []
  const folder = join(dirname(file), sessionName(basename(file)), 'subagents')
  if (stateOf(folder) !== 'folder') return []
  return namesIn(folder)
    .filter((name) => /^agent-.*\.jsonl(\.gz)?$/.test(name))
    .sort()
    .map((name) => join(folder, name))
    .filter(isPlainFile)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw readProblem(error, folder)
  }
}

function stateOf(path: string): 'file' | 'folder' | undefined {
  try {
    const state = statSync(path, { throwIfNoEntry: false })
    if (!state) return undefined
    return state.isDirectory() ? 'folder' : 'file'
  } catch (error) {
    const problem = readProblem(error, path)
    if (problem instanceof SpillwayError && problem.code === 'not-found') return undefined
    throw problem
  }
}
