/** The conversations that go through one wrapper, told apart by how they begin, each with what its `fit` remembers. */
import { createHash } from 'node:crypto'
import { SpillwayError } from '../core/errors.ts'
import { fieldsOf } from '../formats/fields.ts'
import { dietTools } from '../planning/schemas/index.ts'
import { type ContentArchive, memoryArchive } from './content-archive.ts'
import { type Fitted, fit } from './fit.ts'
import type { FitOptions } from './fit-options.ts'
import type { FitReport } from './fit-report.ts'
import type { FitState } from './fit-state.ts'

type PerRequest = 'model' | 'tools' | 'system' | 'shape' | 'state' | 'usage' | 'error'

/** What a wrapper is told once; the rest is in each request. */
export interface LoopOptions extends Omit<FitOptions, PerRequest> {
  /** Send the tools on diet (docs/schemas.md). */
  readonly diet?: boolean
  /** Called with each report, before the request is sent. */
  readonly onReport?: (report: FitReport) => void
}

/** One request, as far as `fit` is concerned. */
export interface LoopRequest extends Pick<FitOptions, 'model' | 'tools' | 'system' | 'shape'> {
  readonly messages: readonly unknown[]
}

export interface Conversation {
  /**
   * The request made to fit. With `error`, the overflow it was refused with: once more, with the window learned.
   * @throws SpillwayError `floor-too-large`, `cannot-fit`: no request that could be sent would help
   */
  fitted(request: LoopRequest, error?: unknown): Promise<Fitted<unknown, unknown, unknown>>
  /** What the provider counted for the request sent last. */
  counted(usage: unknown): void
}

/** Enough for every subagent of a run; the one not used for longest is forgotten. */
const MOST_CONVERSATIONS = 256

export function conversations(options: LoopOptions): (messages: readonly unknown[]) => Conversation {
  const { diet = false, onReport, archive = memoryArchive(), ...rest } = options
  const known = new Map<string, Conversation>()
  return (messages) => {
    const { opening, task } = openingOf(messages)
    const conversation = known.get(opening) ?? known.get(task) ?? begun({ ...rest, archive }, diet, onReport)
    known.delete(task)
    known.delete(opening)
    known.set(opening, conversation)
    const [oldest] = known.keys()
    if (known.size > MOST_CONVERSATIONS && oldest !== undefined) known.delete(oldest)
    return conversation
  }
}

type Constant = Omit<FitOptions, PerRequest> & { readonly archive: ContentArchive }

function begun(constant: Constant, diet: boolean, onReport: LoopOptions['onReport']): Conversation {
  let state: FitState | undefined
  let usage: unknown
  return {
    async fitted({ messages, ...request }, error) {
      const tools = diet ? dietTools(request.tools) : request.tools
      const fitted = await fit(messages, {
        ...constant,
        ...request,
        tools,
        ...(state === undefined ? {} : { state }),
        ...(usage === undefined ? {} : { usage }),
        ...(error === undefined ? {} : { error }),
      })
      state = fitted.state
      usage = undefined
      onReport?.(fitted.report)
      refuseShortfall(fitted.report)
      return fitted
    },
    counted(given) {
      usage = given
    },
  }
}

/** Sending it, or asking again with the same messages, would not help: the caller must hear it before the call. */
function refuseShortfall({ outcome, shortfall }: FitReport): void {
  if (outcome !== 'floor-too-large' && outcome !== 'cannot-fit') return
  throw new SpillwayError(outcome, shortfall?.says ?? outcome)
}

/**
 * A conversation is known by everything up to its first answer, whose ids no other has. Before there is one, it is
 * known by its task alone; what the first request has shown then goes to whoever goes on from it.
 */
function openingOf(messages: readonly unknown[]): { opening: string; task: string } {
  const answered = messages.findIndex(isAnswer)
  const task = digestOf(answered < 0 ? messages : messages.slice(0, answered))
  return { opening: answered < 0 ? task : digestOf(messages.slice(0, answered + 1)), task }
}

function isAnswer(message: unknown): boolean {
  const fields = fieldsOf(message)
  return fields?.role === 'assistant' || fields?.type === 'function_call' || fields?.type === 'reasoning'
}

function digestOf(messages: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(messages, withoutBytes)).digest('base64')
}

/** Pictures may be bytes (AI SDK), which JSON would write out one number after the other. */
function withoutBytes(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = this[key]
  return given instanceof Uint8Array ? createHash('sha256').update(given).digest('base64') : value
}
