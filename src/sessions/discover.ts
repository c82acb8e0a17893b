/**
 * The recorded sessions on this machine, this folder's first, then newest first.
 *
 * Finding them reads folders only (OpenClaw's and Codex's first lines too, since their folders do not say where it ran);
 * describing one reads its head and tail, so thousands are listed in about a second. Only the count of calls needs
 * the whole file: a search for one byte pattern, done where it is asked for.
 */
import { closeSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SourceLine } from '../formats/format.ts'
import { formatNamed } from '../formats/index.ts'
import { lineSplitter } from '../formats/lines.ts'
import { type Place, placesOf } from '../formats/places.ts'
import { countInStore, sessionsInStores, storedEnds } from './stored-sessions.ts'

const HEAD_BYTES = 16 * 1024
const TAIL_BYTES = 64 * 1024
/** Where the small head or tail shows nothing: a first prompt or a last result can be long. */
const LARGER = 16
/** As the keys stand in lines of every format. */
const FOLDER_MARK = '"cwd":'
/** Codex tells usage in events of their own, and the model in the settings of a turn. */
const USAGE_MARKS = ['"usage":', '"last_token_usage":', '"turn_context"']
/** The last line with usage may be a worker's. */
const USAGE_LINES = 8
const SCAN_BYTES = 4 * 1024 * 1024

/** What decides where sessions are looked for; passed in, so that tests need no process state. */
export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
}

export interface FoundSession {
  readonly id: string
  readonly format: string
  readonly file: string
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly modified: number
  /** It ran in the present working folder. */
  readonly here: boolean
}

export interface SessionDescription {
  readonly cwd?: string
  readonly model?: string
  /** The prompt and answer of the newest recorded request, in the provider's tokens. */
  readonly tokens?: number
}

/** Every session in the known places. Folders that cannot be read are passed over: they are not ours. */
export function discoverSessions(machine: Machine): FoundSession[] {
  const found: FoundSession[] = []
  const cwd = realPath(machine.cwd)
  for (const place of placesOf(machine.environment, machine.home)) {
    for (const folder of foldersOf(place)) {
      const here = place.holdsSessionsOf(basename(folder), cwd)
      for (const name of namesIn(folder)) {
        const id = place.idOf(name)
        if (id === undefined) continue
        const file = join(folder, name)
        const state = stateOf(file)
        if (!state?.isFile()) continue
        const ranHere = here ?? firstCwd({ file, format: place.format }) === cwd
        found.push({ id, format: place.format, file, bytes: state.size, modified: state.mtimeMs, here: ranHere })
      }
    }
    for (const session of sessionsInStores(pathsBelow(place.root, place.store ?? []))) {
      const here = firstCwd({ file: session.file, format: place.format }) === cwd
      found.push({ ...session, format: place.format, here })
    }
  }
  return found.sort((a, b) => Number(b.here) - Number(a.here) || b.modified - a.modified)
}

/** What the head and the tail of the file say. Never throws: a file that says nothing has an empty description. */
export function describeSession(found: FoundSession): SessionDescription {
  try {
    const small = glimpse(found, HEAD_BYTES, TAIL_BYTES)
    const enough = small.cwd !== undefined && small.model !== undefined && small.tokens !== undefined
    if (enough || found.bytes <= HEAD_BYTES + TAIL_BYTES) return small
    return { ...small, ...glimpse(found, HEAD_BYTES * LARGER, TAIL_BYTES * LARGER) }
  } catch {
    return {}
  }
}

/** Calls recorded in the file, those of inline subagents and abandoned branches included. */
export function countCalls(found: FoundSession, machine: Machine): number | undefined {
  const place = placesOf(machine.environment, machine.home).find((candidate) => candidate.format === found.format)
  if (!place || found.file.endsWith('.gz')) return undefined
  const stored = countInStore(found.file, place.callMark)
  if (stored !== undefined) return stored
  const mark = Buffer.from(place.callMark)
  const buffer = Buffer.allocUnsafe(Math.min(SCAN_BYTES, found.bytes + mark.length))
  let count = 0
  let kept = 0
  withFile(found.file, (descriptor) => {
    for (;;) {
      const read = readSync(descriptor, buffer, kept, buffer.length - kept, null)
      if (read === 0) return
      const filled = buffer.subarray(0, kept + read)
      let from = 0
      for (let at = filled.indexOf(mark); at >= 0; at = filled.indexOf(mark, from)) {
        count++
        from = at + mark.length
      }
      const rest = Math.max(from, filled.length - mark.length + 1)
      filled.copy(buffer, 0, rest)
      kept = filled.length - rest
    }
  })
  return count
}

/** Only lines that can hold what is looked for are parsed: the first with a folder, the last ones with usage. */
function glimpse(
  found: Pick<FoundSession, 'file' | 'format'>,
  headBytes: number,
  tailBytes: number,
): SessionDescription {
  const lines = storedEnds(found.file) ?? linesAtEnds(found.file, headBytes, tailBytes)
  const reader = formatNamed(found.format).reader({ sizesOnly: true, fileName: found.file })
  const withFolder = lines.find((line) => line.bytes.includes(FOLDER_MARK))
  if (withFolder) reader.push(withFolder)
  const telling = lines.filter(({ bytes }) => USAGE_MARKS.some((mark) => bytes.includes(mark)))
  for (const line of telling.slice(-USAGE_LINES)) reader.push(line)
  const { facts, main } = reader.finish()
  const request = facts.requests.at(-1)
  const model = request?.model ?? main.model
  const usage = request?.usage
  return {
    ...(facts.cwd === undefined ? {} : { cwd: facts.cwd }),
    ...(model === undefined ? {} : { model }),
    ...(usage ? { tokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.output } : {}),
  }
}

function linesAtEnds(file: string, headBytes: number, tailBytes: number): SourceLine[] {
  const { head, tail } = ends(file, headBytes, tailBytes)
  const splitter = lineSplitter()
  const first = splitter.push(head)
  // Without the newline a tail glued to a cut head would be read as one line.
  const last = tail.length > 0 ? splitter.push(Buffer.concat([Buffer.from('\n'), tail])) : []
  return [...first, ...last, ...splitter.finish()]
}

/** The first and the last bytes of a file; the tail starts at a line and is empty where the head is all. */
function ends(file: string, headBytes: number, tailBytes: number): { head: Buffer; tail: Buffer } {
  let head: Buffer = Buffer.alloc(0)
  let tail: Buffer = Buffer.alloc(0)
  withFile(file, (descriptor) => {
    head = part(descriptor, 0, headBytes)
    const size = statSync(file).size
    if (size <= head.length) return
    const start = Math.max(head.length, size - tailBytes)
    const raw = part(descriptor, start, size - start)
    if (start === head.length) {
      head = Buffer.concat([head, raw])
      return
    }
    tail = raw.subarray(raw.indexOf(0x0a) + 1)
  })
  return { head, tail }
}

function part(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position))
}

function withFile(file: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function foldersOf(place: Place): string[] {
  return pathsBelow(place.root, place.levels)
}

/** No path at all for no levels. */
function pathsBelow(root: string, levels: readonly string[]): string[] {
  let folders = levels.length === 0 ? [] : [root]
  for (const level of levels) {
    folders = folders.flatMap((folder) =>
      level === '*' ? namesIn(folder).map((name) => join(folder, name)) : [join(folder, level)],
    )
  }
  return folders
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function stateOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** The working folder that the first lines record. */
function firstCwd(found: Pick<FoundSession, 'file' | 'format'>): string | undefined {
  try {
    return glimpse(found, HEAD_BYTES / 4, 0).cwd ?? glimpse(found, HEAD_BYTES * LARGER, 0).cwd
  } catch {
    return undefined
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
