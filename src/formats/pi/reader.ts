/** Reads the lines of a pi or OpenClaw session; everything is decided once the last line has told the leaf. */
import type { Link, Message, ToolNames, Transcript } from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { BadLine, ReadOptions, RecordedRequest, Session, SessionReader, SourceLine } from '../format.ts'
import { spanOf } from '../json-spans.ts'
import { type ParsedLine, parseLine } from '../lines.ts'
import { type Branch, branchOf } from './branch.ts'
import { editedMessage, messageOf, usageOf } from './content.ts'
import type { Speaker } from './derived.ts'
import { entryOf, type PiEntry } from './entry.ts'
import { withUnasked } from './task-marks.ts'

const THREAD = 'main'
const TOOLS: ToolNames = { reads: new Set(['read']), shells: new Set(['bash', 'exec', 'shell']) }
/** Below this version entries follow each other in file order. */
const FIRST_TREE_VERSION = 2
const OPENCLAW_VERSION = 4

/** What the writer and the checks know beyond the neutral view. */
export interface PiNative {
  readonly entries: readonly PiEntry[]
  readonly branch: Branch
  readonly linear: boolean
  /** Where the content stands that is sent for an entry, when a context edit gave it another. */
  readonly contentIn: ReadonlyMap<number, number>
  /** Lines that hold more than one entry, or one and damage. */
  readonly raggedLines: ReadonlySet<number>
  /** Who the newest assistant message is from. */
  readonly speaker: Speaker
}

/** The native side of a session that `piReader` read. @throws TypeError for any other session */
export function nativeOf(session: Session): PiNative {
  const native = session.native
  if (typeof native === 'object' && native !== null && 'contentIn' in native) return native as PiNative
  throw new TypeError('the session was not read by the pi reader')
}

interface Recorded {
  readonly entry: PiEntry
  readonly message: Message | undefined
  /** Of a context edit: the target's message with the new content. */
  readonly edited: Message | undefined
  /** What a request cost whose answer is never sent again; the others stand in their message. */
  readonly lost: Pick<Message, 'usage' | 'model'> | undefined
}

interface Header {
  readonly id?: string
  readonly cwd?: string
  readonly version: number
}

export function piReader(options: ReadOptions = {}): SessionReader {
  const recorded: Recorded[] = []
  const lastById = new Map<string, number>()
  const badLines: BadLine[] = []
  const raggedLines = new Set<number>()
  let header: Header | undefined
  let title: string | undefined
  let speaker: Speaker = { api: '', provider: '', model: '' }
  let lines = 0
  let isOpenClaw = /[\\/]\.openclaw[\\/]/.test(options.fileName ?? '')

  function take(value: Fields, start: number, line: SourceLine, parsed: ParsedLine): void {
    const entry = entryOf(value, recorded.length, line.number)
    if (entry.type === 'session') header ??= headerOf(value)
    if (entry.type === 'session_info') title = textOf(value.name) ?? title
    isOpenClaw ||= fromOpenClaw(value)
    const context = {
      thread: THREAD,
      sizesOnly: options.sizesOnly ?? false,
      raw: (path: readonly string[]) => {
        const span = options.sizesOnly ? undefined : spanOf(parsed.text, path, start)
        return span && parsed.text.slice(span.start, span.end)
      },
    }
    const message = messageOf(entry, value, context)
    const target = entry.replaces === 'content' && entry.target ? recorded[lastById.get(entry.target) ?? -1] : undefined
    const edited = target?.message && editedMessage(target.message, value, context)
    if (entry.role === 'assistant') speaker = speakerOf(value)
    recorded.push({ entry, message, edited, lost: entry.skipped && lostRequest(value) })
    if (entry.id !== undefined) lastById.set(entry.id, entry.ordinal)
  }

  return {
    push(line) {
      lines++
      const parsed = parseLine(line)
      if (parsed.problem !== undefined) badLines.push({ line: line.number, problem: parsed.problem })
      if (parsed.entries.length > 1 || (parsed.entries.length === 1 && parsed.problem !== undefined)) {
        raggedLines.add(line.number)
      }
      for (const { value, start } of parsed.entries) take(value, start, line, parsed)
    },
    finish(reading = options.reading ?? 'view') {
      const entries = recorded.map(({ entry }) => entry)
      const hasIds = entries.some((entry) => entry.id !== undefined)
      const version = header?.version ?? (hasIds ? FIRST_TREE_VERSION : 1)
      const linear = version < FIRST_TREE_VERSION
      const branch = branchOf(entries, linear)
      const format = isOpenClaw || version >= OPENCLAW_VERSION ? 'openclaw' : 'pi'
      const { messages: said, contentIn } =
        reading === 'history' ? historyOf(recorded, branch) : project(recorded, branch.window, branch.boundary)
      const isFinished = ({ entries: [ordinal] }: Message): boolean => entries[ordinal ?? -1]?.finished === true
      const messages = format === 'openclaw' ? withUnasked(said, isFinished) : said
      const native: PiNative = { entries, branch, linear, contentIn, raggedLines, speaker }
      return {
        facts: {
          format,
          ...(header?.id === undefined ? {} : { id: header.id }),
          ...(header?.cwd === undefined ? {} : { cwd: header.cwd }),
          ...(title === undefined ? {} : { title }),
          compactions: branch.path.filter((ordinal) => entries[ordinal]?.type === 'compaction').length,
          apiErrors: entries.filter((entry) => entry.skipped === 'error').length,
          interrupts: entries.filter((entry) => entry.skipped === 'aborted').length,
          lines,
          entries: entries.length,
          badLines,
          requests: requestsOf(recorded, branch),
        },
        main: transcriptOf(format, messages, entries, options),
        others: [],
        native,
      }
    },
  }
}

function headerOf(value: Fields): Header {
  const id = textOf(value.id)
  const cwd = textOf(value.cwd)
  return {
    ...(id === undefined ? {} : { id }),
    ...(cwd === undefined ? {} : { cwd }),
    version: typeof value.version === 'number' ? value.version : 1,
  }
}

function fromOpenClaw(value: Fields): boolean {
  const message = fieldsOf(value.message)
  const customType = textOf(value.customType)
  return (
    value.type === 'reset' ||
    value.type === 'leaf' ||
    customType === 'model-snapshot' ||
    customType?.startsWith('openclaw.') === true ||
    '__openclaw' in value ||
    (message !== undefined && ('__openclaw' in message || 'provenance' in message || 'idempotencyKey' in message))
  )
}

function speakerOf(value: Fields): Speaker {
  const message = fieldsOf(value.message) ?? {}
  const name = (key: string): string => textOf(message[key]) ?? ''
  return { api: name('api'), provider: name('provider'), model: name('model') }
}

function lostRequest(value: Fields): Recorded['lost'] {
  const message = fieldsOf(value.message) ?? {}
  const usage = usageOf(message.usage)
  const model = textOf(message.model)
  return usage && { usage, ...(model === undefined ? {} : { model }) }
}

function requestsOf(recorded: readonly Recorded[], branch: Branch): RecordedRequest[] {
  const requests: RecordedRequest[] = []
  let segment = 0
  for (const ordinal of branch.path) {
    const one = recorded[ordinal]
    if (one?.entry.type === 'compaction' || one?.entry.type === 'reset') segment++
    const { usage, model } = one?.lost ?? one?.message ?? {}
    if (usage === undefined) continue
    requests.push({
      entry: ordinal,
      usage,
      ...(model === undefined ? {} : { model }),
      ...(one?.entry.time === undefined ? {} : { time: one.entry.time }),
      segment,
    })
  }
  return requests
}

/** The messages of these entries in order; the newest context edit of an entry among them wins (E07). */
function project(
  recorded: readonly Recorded[],
  ordinals: readonly number[],
  boundary: number | undefined,
): { messages: Message[]; contentIn: Map<number, number> } {
  const newest = new Map<string, Recorded>()
  for (const ordinal of ordinals) {
    const one = recorded[ordinal]
    if (one?.entry.type === 'context_edit' && one.entry.target) newest.set(one.entry.target, one)
  }
  const messages: Message[] = []
  const contentIn = new Map<number, number>()
  for (const ordinal of ordinals) {
    const one = recorded[ordinal]
    const edit = one?.entry.id === undefined ? undefined : newest.get(one.entry.id)
    if (!one?.message || (one.entry.type === 'compaction' && ordinal !== boundary)) continue
    if (edit?.entry.replaces === 'nothing') continue
    if (edit?.edited && edit.edited.entries[0] === ordinal) {
      contentIn.set(ordinal, edit.entry.ordinal)
      messages.push(edit.edited)
    } else messages.push(one.message)
  }
  return {
    messages: messages.filter((message) => message.role === 'assistant' || message.blocks.length > 0),
    contentIn,
  }
}

/** Every message across compactions as it was first recorded, summaries left out. */
function historyOf(
  recorded: readonly Recorded[],
  branch: Branch,
): { messages: Message[]; contentIn: Map<number, number> } {
  const spoken = branch.path.filter((ordinal) => {
    const type = recorded[ordinal]?.entry.type
    return type === 'message' || type === 'custom_message'
  })
  return project(recorded, spoken, undefined)
}

function transcriptOf(
  format: string,
  messages: readonly Message[],
  entries: readonly PiEntry[],
  options: ReadOptions,
): Transcript {
  const model = messages.findLast((message) => message.role === 'assistant' && message.model !== undefined)?.model
  const links = entries.map(
    (entry): Link => ({ entry: entry.ordinal, key: entry.id, parent: entry.parent, thread: THREAD, line: entry.line }),
  )
  return {
    thread: THREAD,
    format,
    ...(model === undefined ? {} : { model }),
    messages,
    links,
    tools: TOOLS,
    ...(options.sizesOnly ? { sizesOnly: true as const } : {}),
  }
}
