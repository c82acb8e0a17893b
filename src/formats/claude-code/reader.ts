/** Reads a Claude Code session line by line; the chain is understood once all lines are there. */
import type { Block, Message, ToolNames, Transcript } from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { BadLine, ReadOptions, SessionFacts, SessionReader } from '../format.ts'
import { spanOf } from '../json-spans.ts'
import { isTooDeep, parseLine, TOO_DEEP } from '../lines.ts'
import { chainOf } from './chain.ts'
import type { ContentContext } from './content.ts'
import { type Entry, isTurn, MAIN_THREAD, type Sent } from './entry.ts'
import { factsCollector } from './facts.ts'
import { answerKey, mayBeDerived } from './identity.ts'
import { layoutOf } from './layout.ts'
import { keyOf, readEntry, sentMessage } from './read-entry.ts'
import type { ClaudeCodeSession } from './session.ts'
import { messagesOf, type Recorded, readBranch } from './view.ts'

export const FORMAT_NAME = 'claude-code'
const TOOLS: ToolNames = { reads: new Set(['Read', 'NotebookRead']), shells: new Set(['Bash']) }
const NO_CALL = -1
const MOST_REPEATED = 1000

export interface EntryReader extends SessionReader {
  /** An entry as a store keeps it: parsed, and taken for the next line. */
  pushEntry(value: Fields): void
}

export function claudeCodeReader(options: ReadOptions = {}): EntryReader {
  const entries: Entry[] = []
  const byKey = new Map<string, number>()
  const threads = new Map<string, number[]>()
  const calls = new Map<string, Map<string, number>>()
  const inline = new Map<string, Sent[]>()
  const badLines: BadLine[] = []
  const facts = { main: factsCollector(), side: factsCollector() }
  const sessionIds = new Map<string, number[]>()
  const inProjects = layoutOf(options.fileName) !== undefined
  /** Models and threads are few, message ids come in a row: each is kept once. */
  const repeated = new Map<string, string>()
  let lastId = ''
  let lines = 0
  let unended = false
  let hasMain = false

  function threadOf(value: Fields, ordinal: number): string {
    if (value.isSidechain !== true) return MAIN_THREAD
    const parent = entries[byKey.get(textOf(value.parentUuid) ?? '') ?? -1]
    const inherited = parent?.sidechain ? parent.link.thread : undefined
    const agent = textOf(value.agentId)
    return (agent === undefined ? undefined : kept(agent)) ?? inherited ?? keyOf(value) ?? `entry-${ordinal}`
  }

  function parentOf(value: Fields): string | null | undefined {
    const parent = value.parentUuid
    if (typeof parent !== 'string') return parent === null ? null : undefined
    return kept(parent)
  }

  function kept(text: string): string {
    const known = entries[byKey.get(text) ?? -1]?.link.key ?? repeated.get(text)
    if (known !== undefined) return known
    if (text === lastId) return lastId
    if (text.startsWith('msg_')) lastId = text
    else if (repeated.size < MOST_REPEATED) repeated.set(text, text)
    return text
  }

  function addEntry(value: Fields, line: number, rawBody: ContentContext['rawBody']): void {
    const ordinal = entries.length
    const thread = threadOf(value, ordinal)
    const key = keyOf(value)
    const known = calls.get(thread)
    const callWith = (callId: string): number => known?.get(callId) ?? NO_CALL
    const context: ContentContext = {
      thread,
      entry: ordinal,
      sizesOnly: options.sizesOnly === true,
      fields: value,
      derived: (callId) => {
        if (!mayBeDerived(key)) return false
        const anchor = entries[callWith(callId)]?.link.key ?? textOf(value.sourceToolAssistantUUID)
        return anchor !== undefined && answerKey(anchor, callId) === key
      },
      rawBody,
    }
    const entry = readEntry(value, { ordinal, line, thread, parent: parentOf(value), callWith, kept }, context)
    entries.push(entry)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, ordinal)
    if (key !== undefined || isTurn(entry)) {
      listIn(threads, thread).push(ordinal)
      if (thread === MAIN_THREAD) hasMain = true
    }
    for (const block of entry.sent?.blocks ?? []) if (block.type === 'call') rememberCall(thread, block.id, ordinal)
    facts[thread === MAIN_THREAD ? 'main' : 'side'].add(value, entry)
    const sessionId = textOf(value.sessionId)
    if (inProjects && sessionId !== undefined) listIn(sessionIds, sessionId).push(ordinal)
    if (entry.type === 'progress') addInline(value, entry, context)
  }

  function rememberCall(thread: string, callId: string, ordinal: number): void {
    const known = calls.get(thread)
    if (known) known.set(callId, ordinal)
    else calls.set(thread, new Map([[callId, ordinal]]))
  }

  /** Older versions copied every subagent message into a progress line of the main thread. */
  function addInline(value: Fields, entry: Entry, context: ContentContext): void {
    const data = fieldsOf(value.data)
    const message = fieldsOf(data?.message)
    const role = message?.type
    if (data?.type !== 'agent_progress' || !message || (role !== 'user' && role !== 'assistant')) return
    const thread = kept(textOf(data.agentId) ?? 'agent')
    const ordinal = entry.link.entry
    const inlineContext = { ...context, thread, fields: message, derived: () => false, rawBody: () => undefined }
    const place = { ordinal, callWith: () => NO_CALL, kept }
    listIn(inline, thread).push(sentMessage(message, role, fieldsOf(message.message), place, inlineContext))
  }

  return {
    push(line) {
      lines++
      unended = line.end === ''
      const parsed = parseLine(line)
      if (parsed.problem !== undefined) badLines.push({ line: line.number, problem: parsed.problem })
      for (const found of parsed.entries) {
        addEntry(found.value, line.number, (index) => {
          const span = spanOf(parsed.text, ['message', 'content', index, 'content'], found.start)
          return span && parsed.text.slice(span.start, span.end)
        })
      }
    },
    pushEntry(value) {
      lines++
      unended = false
      if (isTooDeep(value)) badLines.push({ line: lines, problem: TOO_DEEP })
      else addEntry(value, lines, (index) => bodyJson(value, index))
    },
    finish(reading = options.reading ?? 'view') {
      const isOwnMain = !hasMain && threads.size > 0
      const read = isOwnMain ? asMain(entries) : { entries, threads }
      const recorded: Recorded = { ...read, byKey, chain: chainOf(read.entries, byKey) }
      const paths = new Map<string, readonly number[]>()
      const transcriptOf = (thread: string): Transcript => {
        const branch = readBranch(recorded, thread, reading)
        paths.set(thread, branch.path)
        const own =
          thread === MAIN_THREAD
            ? read.entries
            : (read.threads.get(thread) ?? []).flatMap((at) => read.entries[at] ?? [])
        return transcript(thread, branch.messages, own, options)
      }
      const main = transcriptOf(MAIN_THREAD)
      const others = [...read.threads.keys()].filter((thread) => thread !== MAIN_THREAD).map(transcriptOf)
      for (const [thread, sent] of inline) {
        if (!read.threads.has(thread)) others.push(transcript(thread, messagesOf(sent), [], options))
      }
      // A sizes-only reading is measured, never written: what only a writer needs may go.
      if (options.sizesOnly) return { facts: sessionFacts(), main, others }
      const session: ClaudeCodeSession = {
        facts: sessionFacts(),
        main,
        others,
        native: { ...recorded, reading, fileName: options.fileName, paths, sessionIds, unended },
      }
      return session

      function sessionFacts(): SessionFacts {
        const collected = facts[isOwnMain ? 'side' : 'main'].facts()
        return { format: FORMAT_NAME, ...collected, lines, entries: entries.length, badLines }
      }
    },
  }
}

/** The body of a result as a line that is written from this entry holds it. */
function bodyJson(value: Fields, index: number): string | undefined {
  const content = fieldsOf(value.message)?.content
  return Array.isArray(content) ? JSON.stringify(fieldsOf(content[index])?.content) : undefined
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const known = lists.get(name)
  if (known) return known
  const list: T[] = []
  lists.set(name, list)
  return list
}

/** A file whose entries are all sidechain is one thread, its own main (DESIGN, At rest). */
function asMain(entries: readonly Entry[]): { entries: Entry[]; threads: Map<string, number[]> } {
  const ordinals: number[] = []
  const moved = entries.map((entry, ordinal): Entry => {
    if (entry.link.key !== undefined || isTurn(entry)) ordinals.push(ordinal)
    const sent = entry.sent && { ...entry.sent, blocks: entry.sent.blocks.map(inMain) }
    return { ...entry, sidechain: false, link: { ...entry.link, thread: MAIN_THREAD }, sent }
  })
  return { entries: moved, threads: new Map([[MAIN_THREAD, ordinals]]) }
}

function inMain(block: Block): Block {
  return { ...block, at: { ...block.at, thread: MAIN_THREAD } }
}

function transcript(
  thread: string,
  messages: readonly Message[],
  entries: readonly Entry[],
  options: ReadOptions,
): Transcript {
  const model = messages.findLast(
    (message) => message.role === 'assistant' && message.kind === undefined && message.model !== undefined,
  )?.model
  return {
    thread,
    format: FORMAT_NAME,
    ...(model === undefined ? {} : { model }),
    messages,
    links: options.sizesOnly ? [] : entries.map((entry) => entry.link),
    tools: TOOLS,
    ...(options.sizesOnly ? { sizesOnly: true as const } : {}),
  }
}
