/**
 * Keeps any agent loop inside its budget with one call around its messages (seed C): what must leave leaves in a stated
 * order and can be had again, what must survive is put back, and when it cannot work the outcome says so with numbers.
 */
import { SpillwayError } from '../core/errors.ts'
import { turnsOf } from '../core/transcript.ts'
import { LEAST_GAIN_SHARE } from '../planning/budget/index.ts'
import { type ContentArchive, memoryArchive } from './content-archive.ts'
import { epochOf } from './epoch.ts'
import { addedTo, grown, type Memory, newestSizeOf, remember, remembered, seenIn } from './fit-memory.ts'
import type { FitOptions } from './fit-options.ts'
import { emptyReport, epochReport, type FitReport, quietReport } from './fit-report.ts'
import { checkedState, type FitState } from './fit-state.ts'
import { type FitTerms, floorBeside, termsOf } from './fit-terms.ts'
import { learned } from './learning.ts'
import { type Shaped, shapeOf } from './request.ts'

export interface Fitted<Item, Tools = undefined, System = undefined> {
  /** What to send; messages that nothing happened to are the same objects. */
  readonly messages: Item[]
  /** As given. */
  readonly tools: Tools
  readonly system: System
  readonly report: FitReport
  /** Give it to the next call. */
  readonly state: FitState
  /** Where what left can be had again. */
  readonly archive: ContentArchive
}

/**
 * Makes a request of `messages` that stays inside the budget. Keep your own messages or those that come back, and give
 * `state` back with them. Neither messages nor options are modified.
 * @throws SpillwayError `usage` for messages of no known shape or impossible numbers, `newer-version`, `unreadable` for
 * a state that is none; and whatever the archive or a `putBack` callback throws
 */
export async function fit<Item, Tools = undefined, System = undefined>(
  messages: readonly Item[],
  options: FitOptions & { readonly tools?: Tools; readonly system?: System } = {},
): Promise<Fitted<Item, Tools, System>> {
  const before = checkedState(options.state)
  const state = learned(before, messages, options)
  const archive = options.archive ?? archiveOf(options.state)
  const terms = termsOf(state, options)
  const { items, report, next } = await fitted(messages, options, { state, terms, archive }).catch((error: unknown) => {
    throw problemOf(error, messages)
  })
  archives.set(next, archive)
  return {
    messages: [...items] as Item[],
    tools: options.tools as Tools,
    system: options.system as System,
    report,
    state: next,
    archive,
  }
}

/** What cannot be written as JSON (a circle, a BigInt) cannot be sent either: said with its place; all else stays. */
function problemOf(error: unknown, messages: readonly unknown[]): unknown {
  if (error instanceof SpillwayError) return error
  const index = messages.findIndex((message) => whyNoJson(message) !== undefined)
  if (index < 0) return error
  return new SpillwayError('usage', `messages[${index}]: no JSON (${whyNoJson(messages[index])})`, { cause: error })
}

function whyNoJson(message: unknown): string | undefined {
  try {
    JSON.stringify(message)
    return undefined
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]
  }
}

/** An archive in memory lives as long as the state it belongs to is passed on. */
const archives = new WeakMap<FitState, ContentArchive>()

function archiveOf(state: FitState | undefined): ContentArchive {
  return (state && archives.get(state)) ?? memoryArchive()
}

interface Course {
  readonly state: FitState
  readonly terms: FitTerms
  readonly archive: ContentArchive
}

interface Outcome {
  readonly items: readonly unknown[]
  readonly report: FitReport
  readonly next: FitState
}

async function fitted(messages: readonly unknown[], options: FitOptions, course: Course): Promise<Outcome> {
  const { state, terms, archive } = course
  if (messages.length === 0) {
    return { items: [], report: emptyReport(terms, floorBeside(options)), next: { ...state } }
  }
  const shaped = shapeOf(messages, options)
  const known = options.state && remembered(options.state)
  const longer = known && quietly(known, messages, options, shaped, terms)
  if (longer) {
    const next = { ...state, sent: longer.floor.total + longer.size }
    remember(next, longer)
    return { items: longer.output, report: quietReport(terms, longer, next), next }
  }
  const { format } = shaped
  const floor = floorBeside(options, format.read(shaped.holding(messages.slice(0, FIRST_MESSAGES))).transcript)
  const beside = { budget: terms.budget, scale: terms.scale, floor: floor.total }
  const epoch = await epochOf({ messages, options, shaped, state, archive, terms: beside })
  const seen = seenIn(epoch.view)
  const next = { ...epoch.state, sent: floor.total + seen.size }
  const memory: Memory = {
    ...seen,
    shape: format.name,
    model: options.model,
    tools: options.tools,
    system: options.system,
    floor,
    input: [...messages],
    output: [...epoch.items],
    choice: epoch.choice,
    turnsSoFar: epoch.turnsSoFar,
    opening: turnsOf(epoch.view)[0]?.start ?? epoch.items.length,
    newestSize: newestSizeOf(epoch.items, shaped),
  }
  remember(next, memory)
  return { items: epoch.items, report: epochReport(terms, epoch, memory, next), next }
}

/** Documents that are sent with every request stand at the beginning. */
const FIRST_MESSAGES = 4

/** The memory with what is new, where nothing needs to be decided; undefined where the whole must be looked at. */
function quietly(
  known: Memory,
  messages: readonly unknown[],
  options: FitOptions,
  shaped: Shaped,
  { budget, scale }: FitTerms,
): Memory | undefined {
  const isSame = known.shape === shaped.format.name && known.model === options.model
  const added = isSame ? addedTo(known, messages) : undefined
  const longer = added && grown(known, messages, added, shaped)
  if (!longer) return undefined
  const memory = { ...longer, ...besides(known, options) }
  const { state, eligible } = known.choice
  const prompt = scale * (memory.floor.total + memory.size)
  if (scale * (memory.floor.total + memory.pinned) >= budget.limit) return undefined
  if (prompt < budget.limit)
    return state === 'floor-too-large' ? undefined : { ...memory, choice: { ...known.choice, state: 'fits' } }
  const more = scale * (memory.size - known.size)
  const waits = state === 'waits' && prompt <= budget.budget && eligible + more < LEAST_GAIN_SHARE * budget.budget
  return waits ? { ...memory, choice: { ...known.choice, eligible: eligible + more } } : undefined
}

/** Tools and system prompt are measured again only when they are other objects. */
function besides(known: Memory, options: FitOptions): Pick<Memory, 'tools' | 'system' | 'floor'> {
  const { tools, system } = options
  if (tools === known.tools && system === known.system) return { tools, system, floor: known.floor }
  return { tools, system, floor: { ...floorBeside(options), documents: known.floor.documents } }
}
