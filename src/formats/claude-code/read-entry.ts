/** One recorded object to the facts kept of it. */
import { isSpillwayText } from '../../core/pointer.ts'
import type { Block, MessageKind, Role } from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { type ContentContext, readContent, readRendered, usageOf } from './content.ts'
import { type Entry, isChainType, type Oddity, type Preserved, type References, type Sent } from './entry.ts'
import { holdsLongString } from './long-strings.ts'

const SYNTHETIC_MODEL = '<synthetic>'
const INTERRUPT = '[Request interrupted by user'
const TASK_EVENT = '<task-notification>'
const PERSISTED_OUTPUT = '<persisted-output>'
/** The session folder in the path of a persisted output. */
const OUTPUT_FOLDER = /([^/\\\s]+)[/\\]tool-results[/\\]/

export interface EntryPlace {
  readonly ordinal: number
  readonly line: number
  readonly thread: string
  /** The parent's key, as the string already kept for that entry where it is known. */
  readonly parent: string | null | undefined
  /** Ordinal of the newest call before with this id in the thread; -1 when none. */
  readonly callWith: (callId: string) => number
  /** The copy of this text that is already kept, where there is one: a gigabyte repeats few keys, ids and models. */
  readonly kept: (text: string) => string
}

/** Entries with a uuid are links of the chain; snapshots name a message but are none. */
export function keyOf(value: Fields): string | undefined {
  const key = textOf(value.uuid)
  if (key === undefined) return undefined
  return isChainType(textOf(value.type) ?? '') || 'parentUuid' in value ? key : undefined
}

export function readEntry(value: Fields, place: EntryPlace, context: ContentContext): Entry {
  const type = textOf(value.type) ?? ''
  const sent = sentOf(value, type, place, context)
  return {
    link: { entry: place.ordinal, key: keyOf(value), parent: place.parent, thread: place.thread, line: place.line },
    type,
    sidechain: value.isSidechain === true,
    isBoundary: type === 'system' && value.subtype === 'compact_boundary',
    sent,
    references: referencesOf(value, context.sizesOnly),
    oddities: odditiesOf(value, sent),
  }
}

function sentOf(value: Fields, type: string, place: EntryPlace, context: ContentContext): Sent | undefined {
  if (type === 'user' || type === 'assistant') return sentMessage(value, type, fieldsOf(value.message), place, context)
  const entry = place.ordinal
  const rest = {
    entry,
    id: undefined,
    model: undefined,
    usage: undefined,
    time: timeOf(value.timestamp),
    answers: -1,
    about: undefined,
  }
  if (type === 'attachment' && Array.isArray(value.rendered)) {
    const role: Role = value.renderedRole === 'user' ? 'user' : 'system'
    const about = textOf(fieldsOf(value.attachment)?.toolUseID)
    return { ...rest, role, kind: 'reminder', blocks: readRendered(value.rendered, context), about }
  }
  if (type === 'system' && value.subtype === 'local_command') {
    return { ...rest, role: 'user', kind: 'meta', blocks: readContent(value.content, context) }
  }
  return undefined
}

/** What a user or assistant entry sends; also for the messages of inline subagents, which have the same shape. */
export function sentMessage(
  value: Fields,
  role: 'user' | 'assistant',
  message: Fields | undefined,
  place: Pick<EntryPlace, 'ordinal' | 'callWith' | 'kept'>,
  context: ContentContext,
): Sent {
  const blocks = readContent(message?.content, context)
  const result = role === 'user' ? blocks.find((block) => block.type === 'result') : undefined
  const kept = (field: unknown): string | undefined => (typeof field === 'string' ? place.kept(field) : undefined)
  const model = kept(message?.model)
  return {
    entry: place.ordinal,
    role,
    kind: role === 'user' ? userKind(value, message?.content, blocks) : assistantKind(value, model),
    blocks,
    id: role === 'assistant' ? kept(message?.id) : undefined,
    model,
    usage: role === 'assistant' ? usageOf(message?.usage) : undefined,
    time: timeOf(value.timestamp),
    answers: result === undefined ? -1 : place.callWith(result.callId),
    about: undefined,
  }
}

/** "No response requested." is synthetic too, but no error: it is sent, and says so with an explicit false. */
function assistantKind(value: Fields, model: string | undefined): MessageKind | undefined {
  const isError = value.isApiErrorMessage === true
  return isError || (model === SYNTHETIC_MODEL && value.isApiErrorMessage !== false) ? 'api-error' : undefined
}

function userKind(value: Fields, content: unknown, blocks: readonly Block[]): MessageKind | undefined {
  if (value.isCompactSummary === true) return 'compaction-summary'
  if (blocks.some((block) => block.type === 'result')) return undefined
  const first =
    typeof content === 'string' ? content : Array.isArray(content) ? textOf(fieldsOf(content[0])?.text) : undefined
  if (blocks.length === 1 && first?.startsWith(INTERRUPT)) return 'interrupt'
  if (fieldsOf(value.origin)?.kind === 'task-notification' || first?.startsWith(TASK_EVENT)) return 'task-event'
  return value.isMeta === true ? 'meta' : undefined
}

/** What only a writer needs is left out of a sizes-only reading: a gigabyte has a million references. */
function referencesOf(value: Fields, sizesOnly: boolean): References | undefined {
  const leaf = sizesOnly ? undefined : textOf(value.leafUuid)
  const logicalParent = textOf(value.logicalParentUuid)
  const sourceAssistant = sizesOnly ? undefined : textOf(value.sourceToolAssistantUUID)
  const preserved = preservedOf(fieldsOf(value.compactMetadata))
  const isAbout = !sizesOnly && value.type === 'attachment'
  const toolUse = isAbout ? textOf(fieldsOf(value.attachment)?.toolUseID) : undefined
  if ((leaf ?? logicalParent ?? sourceAssistant ?? preserved ?? toolUse) === undefined) return undefined
  return {
    ...(leaf === undefined ? {} : { leaf }),
    ...(logicalParent === undefined ? {} : { logicalParent }),
    ...(sourceAssistant === undefined ? {} : { sourceAssistant }),
    ...(preserved === undefined ? {} : { preserved }),
    ...(toolUse === undefined ? {} : { toolUse }),
  }
}

function preservedOf(metadata: Fields | undefined): Preserved | undefined {
  const messages = fieldsOf(metadata?.preservedMessages)
  const segment = fieldsOf(metadata?.preservedSegment)
  if (!messages && !segment) return undefined
  return {
    anchor: textOf(messages?.anchorUuid) ?? textOf(segment?.anchorUuid),
    keys: textsOf(messages?.uuids),
    allKeys: textsOf(messages?.allUuids),
    head: textOf(segment?.headUuid),
    tail: textOf(segment?.tailUuid),
  }
}

/** Milliseconds since the epoch of an ISO time, undefined when it is none. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []
}

function odditiesOf(value: Fields, sent: Sent | undefined): Oddity[] | undefined {
  const oddities: Oddity[] = []
  if (sent?.role === 'assistant' && value.isApiErrorMessage === true && sent.model !== SYNTHETIC_MODEL) {
    oddities.push('error-as-model-text')
  }
  if (sent?.blocks.some((block) => block.type === 'result' && block.spilled)) {
    const bodies = resultTexts(fieldsOf(value.message)?.content)
    const left = (text: string): boolean => !isSpillwayText(text) && !bodies.some((body) => body.includes(text.trim()))
    if (bodies.some(isSpillwayText) && holdsLongString(value.toolUseResult, left)) oddities.push('copy-keeps-content')
    const folder = bodies.map((body) => (body.startsWith(PERSISTED_OUTPUT) ? OUTPUT_FOLDER.exec(body)?.[1] : undefined))
    const foreign = folder.some((name) => name !== undefined && name !== value.sessionId)
    if (foreign) oddities.push('foreign-output')
  }
  return oddities.length === 0 ? undefined : oddities
}

function resultTexts(content: unknown): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((item: unknown) => {
    const body = fieldsOf(item)?.content
    if (typeof body === 'string') return body
    return Array.isArray(body) ? (textOf(fieldsOf(body[0])?.text) ?? []) : []
  })
}
