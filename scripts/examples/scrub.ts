/**
 * Takes the machine out of a recording: paths, user, operating system, dates and times, random ids; and the local
 * copies of requests, which the binary needs for nothing. Every value is replaced by the same stand-in everywhere,
 * so that the chain of entries stays whole and the binary still resumes the file.
 */
import { createHash } from 'node:crypto'
import type { ClaudeHome } from '../../test/support/claude-code.ts'
import type { Recording } from './recorder.ts'

/** Where the examples were "recorded". */
const PROJECT = '/home/dev/project'
const HOME = '/home/dev'
const DATE = '2026-11-30'
const START = Date.parse(`${DATE}T09:00:00.000Z`)
/** What passes between two stages, an answer and a result, in milliseconds of the example's clock. */
const STAGE_PAUSE = 20 * 60_000
const ANSWER_TIME = 5_000
const RESULT_TIME = 1_500

const LOCAL_ONLY = new Set(['api-request', 'api-request-blob', 'api-request-shape'])
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g

interface Entry {
  type?: string
  attachment?: { type?: string; tools?: unknown }
  message?: { id?: string; content?: unknown }
  agentId?: string
  timestamp?: string
  sentAtMs?: number
  startTime?: number
  operation?: string
  [field: string]: unknown
}

/** Stand-ins by what they stand for, the same in all files of one recording. */
class Names {
  readonly #known = new Map<string, string>()
  readonly #sessionId: string

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  uuid(found: string): string {
    if (found === this.#sessionId) return found
    return this.#name(
      found,
      (hex) =>
        `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    )
  }

  agent(found: string): string {
    return this.#name(found, (hex) => `a${hex.slice(0, found.length - 1)}`)
  }

  task(found: string): string {
    return this.#name(found, (hex) => `b${hex.slice(0, found.length - 1)}`)
  }

  #name(found: string, make: (hex: string) => string): string {
    const name =
      this.#known.get(found) ??
      make(createHash('sha256').update(`${this.#sessionId}/${this.#known.size}`).digest('hex'))
    this.#known.set(found, name)
    return name
  }
}

export interface ScrubbedRecording {
  readonly main: string
  readonly subagents: ReadonlyMap<string, string>
}

export function scrub(recording: Recording, home: ClaudeHome, sessionId: string): ScrubbedRecording {
  const names = new Names(sessionId)
  const agents = [...recording.subagents.keys()].map((file) => file.replace(/^agent-|\.jsonl$/g, ''))
  const clean = (text: string): string => {
    let result = text
      .replaceAll(home.project.replace(/[^a-zA-Z0-9]/g, '-'), PROJECT.replaceAll('/', '-'))
      .replaceAll(home.project, PROJECT)
      .replaceAll(home.config, `${HOME}/.claude`)
      .replaceAll(`${home.root}/tmp`, '/tmp')
      .replaceAll(home.root, HOME)
      .replaceAll(new Date().toISOString().slice(0, 10), DATE)
      .replaceAll(/"osVersion":"[^"]*"/g, '"osVersion":"Linux 6.8.0"')
      .replaceAll(/OS Version: Linux [\w.+-]*/g, 'OS Version: Linux 6.8.0')
      .replaceAll(/"(\w*[dD]uration\w*|\w*StreamMs)":\d+/g, '"$1":1000')
      .replaceAll(/duration_ms: \d+/g, 'duration_ms: 1000')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
      .replaceAll(/claude-\d+(?=[/-])/g, 'claude-1000')
      .replaceAll(/(?<=\(ID: |"backgroundTaskId":"|<task-id>|tasks\/)b[a-z0-9]{8}\b/g, (found) => names.task(found))
      .replaceAll(UUID, (found) => names.uuid(found))
    for (const agent of agents) result = result.replaceAll(agent, names.agent(agent))
    return result
  }
  const spawned = new Map<string, number>()
  const main = rewrite(clean(recording.main), START, spawned)
  const subagents = new Map<string, string>()
  for (const [file, text] of recording.subagents) {
    const start = spawned.get(clean(file).replace(/^agent-|\.jsonl$/g, '')) ?? START
    subagents.set(clean(file), rewrite(clean(text), start, new Map()))
  }
  return { main, subagents }
}

/** Drops what is local, and re-times what is left by a clock that depends on the entries alone. */
function rewrite(text: string, start: number, spawned: Map<string, number>): string {
  let clock = start
  let answerId: string | undefined
  const lines: string[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const entry: Entry = JSON.parse(line)
    if (LOCAL_ONLY.has(entry.type ?? '')) continue
    if (JSON.stringify(entry) !== line) throw new Error('the binary writes JSON in a way that parsing does not keep')
    // The texts of the harness's own tools are not ours to give away; the binary brings them along anyway.
    if (entry.attachment?.type === 'prompt_snapshot') delete entry.attachment.tools
    if (entry.type === 'queue-operation' && entry.operation === 'enqueue' && lines.length > 0) clock += STAGE_PAUSE
    if (entry.type === 'assistant' && entry.message?.id !== answerId) {
      answerId = entry.message?.id
      clock += ANSWER_TIME
    }
    if (entry.type === 'user') clock += RESULT_TIME
    noteAgent(entry, clock, spawned)
    if (entry.timestamp !== undefined) entry.timestamp = new Date(clock).toISOString()
    if (entry.sentAtMs !== undefined) entry.sentAtMs = clock
    if (entry.startTime !== undefined) entry.startTime = start
    lines.push(`${JSON.stringify(entry)}\n`)
  }
  return lines.join('')
}

/** A subagent worked in the time before its result came. */
function noteAgent(entry: Entry, clock: number, spawned: Map<string, number>): void {
  const result = entry.toolUseResult
  if (typeof result !== 'object' || result === null || !('agentId' in result)) return
  spawned.set(String(result.agentId), clock - ANSWER_TIME)
}
