/** Session stores and transcripts for tests. */
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../src/stores/index.ts'
import { answered, call, result, said, text, thinking } from './claude-lines.ts'

export const KEY: SessionKey = { projectKey: '-home-dev-proj', sessionId: 's1' }
export const WORKER: SessionKey = { ...KEY, subpath: 'subagents/agent-a1' }

export interface MemoryStore extends Required<Omit<SessionStore, 'listSessionSummaries'>> {
  /** What is stored under this key, as it is. */
  stored(key: SessionKey): readonly SessionStoreEntry[]
  /** Called before the store does anything; what it throws is the store's failure. */
  fault: (doing: 'append' | 'load', key: SessionKey) => void
}

/** Keeps JSON, so that nothing is shared; stores everything it is given, also twice. */
export function memoryStore(): MemoryStore {
  const lines = new Map<string, string[]>()
  const nameOf = ({ projectKey, sessionId, subpath = '' }: SessionKey): string =>
    [projectKey, sessionId, subpath].join('/')
  const entriesOf = (key: SessionKey): SessionStoreEntry[] =>
    (lines.get(nameOf(key)) ?? []).map((line) => JSON.parse(line))
  const store: MemoryStore = {
    stored: entriesOf,
    fault: () => undefined,
    async append(key, entries) {
      store.fault('append', key)
      lines.set(nameOf(key), [...(lines.get(nameOf(key)) ?? []), ...entries.map((entry) => JSON.stringify(entry))])
    },
    async load(key) {
      store.fault('load', key)
      return lines.has(nameOf(key)) ? entriesOf(key) : null
    },
    listSessions: async () => [],
    async delete(key) {
      lines.delete(nameOf(key))
    },
    async listSubkeys(key) {
      const start = nameOf({ ...key, subpath: '' })
      return [...lines.keys()].flatMap((name) =>
        name.startsWith(start) && name !== start ? name.slice(start.length) : [],
      )
    },
  }
  return store
}

export interface ToldOptions {
  readonly model?: string
  /** Turns told before: ids go on from there, and so does the chain. */
  readonly from?: number
  /** Characters of each result. */
  readonly chars?: number
  /** Milliseconds since the epoch of the first entry; a second passes with each turn. */
  readonly start?: number
}

const FIRST_TIME = Date.UTC(2026, 10, 30, 6)

/** A task, then so many commands: each thinks, calls and gets an output of its own. Ends on the last output. */
export function told(turns: number, options: ToldOptions = {}): SessionStoreEntry[] {
  const { model = 'claude-opus-5-5', from = 0, chars = 3000, start = FIRST_TIME } = options
  const entries: Record<string, unknown>[] = from === 0 ? [said('task', null, 'Count everything.', at(start))] : []
  for (let turn = from; turn < from + turns; turn++) {
    const time = at(start + turn * 1000)
    const parent = turn === 0 ? 'task' : `r${turn - 1}`
    const message = (entry: Record<string, unknown>) => ({
      ...entry,
      message: { ...(entry.message as object), model, usage: usageOf(turn, chars) },
    })
    entries.push(
      message(answered(`t${turn}`, parent, [thinking(`about ${turn}`)], `m${turn}`, time)),
      message(
        answered(
          `c${turn}`,
          `t${turn}`,
          [text(`Now ${turn}.`), call(`id${turn}`, 'Bash', { command: `run ${turn}` })],
          `m${turn}`,
          time,
        ),
      ),
      said(`r${turn}`, `c${turn}`, [result(`id${turn}`, output(turn, chars))], {
        ...time,
        toolUseResult: { stdout: output(turn, chars), stderr: '', interrupted: false },
        sourceToolAssistantUUID: `c${turn}`,
      }),
    )
  }
  return entries as SessionStoreEntry[]
}

function output(turn: number, chars: number): string {
  return `output of ${turn}: ${'the quick brown fox jumps over the lazy dog; '.repeat(chars / 45 + 1)}`.slice(0, chars)
}

function usageOf(turn: number, chars: number): object {
  const each = Math.round(chars / 4) + 60
  return {
    input_tokens: 2,
    cache_creation_input_tokens: each,
    cache_read_input_tokens: 8000 + turn * each,
    output_tokens: 40,
  }
}

function at(time: number): { timestamp: string } {
  return { timestamp: new Date(time).toISOString() }
}

/** The entries of a session file as a store would have been given them: whole objects only. */
export function storedLines(bytes: Buffer): SessionStoreEntry[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const value = JSON.parse(line)
        return value !== null && typeof value === 'object' && !Array.isArray(value) ? [value] : []
      } catch {
        // A bad or joined line: no store is ever given one.
        return []
      }
    })
}
