/** Claude Code session files for tests, written by hand: entries with short keys, one line each. */
import type { Edit, EditChange } from '../../src/core/edits.ts'
import type { Address } from '../../src/core/transcript.ts'
import { claudeCode } from '../../src/formats/claude-code/index.ts'
import type { ReadOptions, Session, Splice } from '../../src/formats/format.ts'
import { linesOf } from './session-bytes.ts'

export type ClaudeEntry = Record<string, unknown>

/** `parent` null makes a root; `key` undefined an entry without uuid. */
function linked(key: string | undefined, parent: string | null, rest: ClaudeEntry): ClaudeEntry {
  return {
    parentUuid: parent,
    isSidechain: false,
    sessionId: 's1',
    ...(key === undefined ? {} : { uuid: key }),
    ...rest,
  }
}

export function said(
  key: string | undefined,
  parent: string | null,
  content: unknown,
  rest: ClaudeEntry = {},
): ClaudeEntry {
  return linked(key, parent, { type: 'user', message: { role: 'user', content }, ...rest })
}

export function answered(
  key: string | undefined,
  parent: string | null,
  content: readonly unknown[],
  id?: string,
  rest: ClaudeEntry = {},
): ClaudeEntry {
  const message = { ...(id === undefined ? {} : { id }), role: 'assistant', model: 'claude-sonnet-4-5', content }
  return linked(key, parent, { type: 'assistant', message, ...rest })
}

export function other(key: string, parent: string | null, type: string, rest: ClaudeEntry = {}): ClaudeEntry {
  return linked(key, parent, { type, ...rest })
}

export const text = (words: string): ClaudeEntry => ({ type: 'text', text: words })
export const thinking = (words: string): ClaudeEntry => ({ type: 'thinking', thinking: words, signature: 'sig' })
export const call = (id: string, name = 'Bash', input: unknown = { command: 'ls' }): ClaudeEntry => {
  return { type: 'tool_use', id, name, input }
}
export const result = (id: string, content: unknown, rest: ClaudeEntry = {}): ClaudeEntry => {
  return { type: 'tool_result', tool_use_id: id, content, ...rest }
}

export function fileOf(entries: readonly (ClaudeEntry | string)[], end = '\n'): Buffer {
  return Buffer.from(entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)) + end).join(''))
}

export function readClaude(bytes: Buffer, options: ReadOptions = {}): Session {
  const reader = claudeCode.reader(options)
  for (const line of linesOf(bytes)) reader.push(line)
  return reader.finish()
}

export function writeClaude(
  bytes: Buffer,
  edits: readonly Edit[],
  options: ReadOptions = {},
): { output: Buffer; splices: readonly Splice[] } {
  const writer = claudeCode.writer(readClaude(bytes, options), edits)
  const pieces = linesOf(bytes).flatMap((line) => writer.push(line))
  pieces.push(...writer.finish())
  return { output: Buffer.concat(pieces), splices: writer.splices }
}

export function edit(at: Omit<Address, 'thread'> & { thread?: string }, change: EditChange): Edit {
  const address = { thread: 'main', ...at }
  return {
    rule: 'test',
    reason: 'test',
    purpose: 'legality',
    class: 'worthless',
    frees: 0,
    removed: [],
    at: address,
    ...change,
  }
}

/** The view as `role: words`, one a block; results and calls by their id. */
export function outline(session: Session): string[] {
  return session.main.messages.map(({ role, blocks }) => {
    const words = blocks.map((block) => {
      if (block.type === 'call') return `call ${block.id}`
      if (block.type === 'result') return `result ${block.callId}`
      return 'text' in block ? `${block.type === 'text' ? '' : `${block.type} `}${block.text}` : block.type
    })
    return `${role}: ${words.join(' + ')}`
  })
}

/** Every line as `uuid<parentUuid`, as written. */
export function linksIn(bytes: Buffer): string[] {
  return entriesIn(bytes).flatMap((entry) =>
    entry.uuid === undefined
      ? []
      : `${String(entry.uuid)}<${entry.parentUuid === null ? '' : String(entry.parentUuid)}`,
  )
}

export function entriesIn(bytes: Buffer): ClaudeEntry[] {
  return bytes
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as ClaudeEntry)
}
