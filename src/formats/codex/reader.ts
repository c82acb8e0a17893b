/** Reads the lines of a Codex rollout. */
import type { Link, ToolNames } from '../../core/transcript.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'
import type { BadLine, ReadOptions, RecordedRequest, Session, SessionReader } from '../format.ts'
import { parseLine } from '../lines.ts'
import { readItem } from '../responses/items.ts'
import { type CodexEntry, entryOf, isItem, kindOf, summaryBlocks, usageIn } from './entry.ts'
import { type ItemStep, messagesOf, type RequestFacts, type Step } from './view.ts'

const NAME = 'codex'
const THREAD = 'main'
const TOOLS: ToolNames = {
  reads: new Set(['read_file']),
  shells: new Set(['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec']),
}

/** What the writer and the checks know beyond the neutral view. */
export interface CodexNative {
  readonly entries: readonly CodexEntry[]
  /** Lines that hold more than one entry, or one and damage. */
  readonly raggedLines: ReadonlySet<number>
}

/** The native side of a session that `codexReader` read. @throws TypeError for any other session */
export function nativeOf(session: Session): CodexNative {
  const native = session.native
  if (session.facts.format === NAME && typeof native === 'object' && native !== null) return native as CodexNative
  throw new TypeError('the session was not read by the Codex reader')
}

export function codexReader(options: ReadOptions = {}): SessionReader {
  const entries: CodexEntry[] = []
  const steps: Step[] = []
  const badLines: BadLine[] = []
  const raggedLines = new Set<number>()
  const requests = requestBook()
  const blockOptions = { sizesOnly: options.sizesOnly ?? false }
  let lines = 0
  let meta: Fields | undefined
  let cwd: string | undefined
  let model: string | undefined
  let compactions = 0
  let apiErrors = 0
  let interrupts = 0
  let isNewRequest = false

  function takeEvent(payload: Fields): void {
    if (payload.type === 'token_count') {
      const counted = usageIn(payload)
      if (counted && requests.count(counted, compactions)) isNewRequest = true
    } else if (payload.type === 'thread_rolled_back') {
      steps.push({ step: 'rollback', turns: numberOf(payload.num_turns) ?? 0 })
    } else if (payload.type === 'error') apiErrors++
    else if (payload.type === 'turn_aborted' && payload.reason === 'interrupted') interrupts++
  }

  function takeItem(entry: CodexEntry, payload: Fields): void {
    const time = entry.timestamp === undefined ? Number.NaN : Date.parse(entry.timestamp)
    const facts: RequestFacts = {
      ...(Number.isNaN(time) ? {} : { time }),
      ...(model === undefined ? {} : { model }),
    }
    const kind = kindOf(payload)
    const reading = readItem(payload, { thread: THREAD, entry: entry.ordinal }, blockOptions)
    const place = { entry: entry.ordinal, isNewRequest }
    const step: ItemStep = { step: 'item', ...place, ...reading, facts, ...(kind ? { kind } : {}) }
    isNewRequest = false
    steps.push(step)
    requests.see(step)
  }

  function take(value: Fields, line: number): void {
    const entry = entryOf(value, entries.length, line)
    entries.push(entry)
    const payload = fieldsOf(value.payload) ?? {}
    if (entry.type === 'session_meta') meta ??= payload
    else if (entry.type === 'turn_context') {
      isNewRequest = true
      model = textOf(payload.model) ?? model
      cwd ??= textOf(payload.cwd)
    } else if (entry.type === 'event_msg') takeEvent(payload)
    else if (entry.type === 'compacted') {
      compactions++
      const blocks = summaryBlocks(payload, THREAD, entry.ordinal, blockOptions)
      const replacesAll = Array.isArray(payload.replacement_history)
      steps.push({ step: 'compaction', entry: entry.ordinal, blocks, replacesAll })
    } else if (isItem(entry)) takeItem(entry, payload)
  }

  return {
    push(line) {
      lines++
      const parsed = parseLine(line)
      if (parsed.problem !== undefined) badLines.push({ line: line.number, problem: parsed.problem })
      if (parsed.entries.length > 1 || (parsed.entries.length === 1 && parsed.problem !== undefined)) {
        raggedLines.add(line.number)
      }
      for (const { value } of parsed.entries) take(value, line.number)
    },
    finish() {
      const messages = messagesOf(steps, options.reading ?? 'view')
      const id = textOf(meta?.id)
      const folder = textOf(meta?.cwd) ?? cwd
      const newest = messages.findLast((message) => message.model !== undefined)?.model ?? model
      const native: CodexNative = { entries, raggedLines }
      return {
        facts: {
          format: NAME,
          ...(id === undefined ? {} : { id }),
          ...(folder === undefined ? {} : { cwd: folder }),
          compactions,
          apiErrors,
          interrupts,
          lines,
          entries: entries.length,
          badLines,
          requests: requests.all(entries.length - 1, model),
        },
        main: {
          thread: THREAD,
          format: NAME,
          ...(newest === undefined ? {} : { model: newest }),
          messages,
          links: entries.map(({ ordinal, line }): Link => ({ entry: ordinal, thread: THREAD, line })),
          tools: TOOLS,
          ...(options.sizesOnly ? { sizesOnly: true as const } : {}),
        },
        others: [],
        native,
      }
    },
  }
}

type Counted = NonNullable<ReturnType<typeof usageIn>>

/** Usage events stand before or behind the items of their answer, by version; each is told more than once. */
function requestBook() {
  const requests: RecordedRequest[] = []
  let total = ''
  let waiting: { readonly counted: Counted; readonly segment: number } | undefined
  let answer: ItemStep | undefined

  function book(step: ItemStep, { usage }: Counted, segment: number): void {
    step.facts = { ...step.facts, usage }
    const { model, time } = step.facts
    requests.push({
      entry: step.entry,
      usage,
      ...(model === undefined ? {} : { model }),
      ...(time === undefined ? {} : { time }),
      segment,
    })
  }
  return {
    /** False for an event that tells of the same request again. */
    count(counted: Counted, segment: number): boolean {
      if (counted.total === total) return false
      total = counted.total
      if (answer && answer.facts.usage === undefined) book(answer, counted, segment)
      else waiting = { counted, segment }
      return true
    },
    see(step: ItemStep): void {
      if (step.role !== 'assistant') {
        answer = undefined
        return
      }
      if (waiting) {
        book(step, waiting.counted, waiting.segment)
        waiting = undefined
        answer = step
      } else answer ??= step
    },
    /** The answer to the last request may not have been recorded. */
    all(entry: number, model: string | undefined): RecordedRequest[] {
      if (!waiting) return requests
      const { counted, segment } = waiting
      return [...requests, { entry, usage: counted.usage, ...(model === undefined ? {} : { model }), segment }]
    },
  }
}
