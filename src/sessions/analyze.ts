/**
 * `analyze`: where a session's context went and what each rule would free. Reads sizes only, so a file of a gigabyte
 * needs a fraction of it in memory. Tokens are those of the view, calibrated to the session's recorded usage.
 */
import { type Calibration, calibrate } from '../core/calibration.ts'
import { chooseAll, type Policy } from '../core/policy.ts'
import { potentialOf } from '../core/potential.ts'
import { exchangesOf, type Transcript, turnsOf, viewTokens } from '../core/transcript.ts'
import type { BadLine, Session } from '../formats/format.ts'
import { breakdownOf, type Kind } from './breakdown.ts'
import { type GlanceShare, glanceShare } from './glance-share.ts'
import { largestPieces, type Piece } from './largest.ts'
import { limitOf, presetNamed } from './policy.ts'
import { readSession } from './read.ts'
import { openSource, type Source } from './source.ts'
import { tokenScale } from './token-scale.ts'
import { type CacheUse, type ContextGrowth, cacheUse, contextGrowth } from './usage.ts'

export interface AnalyzeOptions {
  /** Files of the session's subagents. */
  readonly subagents?: readonly string[]
  /** Whose rules `could` counts; default: `default`. */
  readonly preset?: string | undefined
  readonly onBytes?: (bytes: number) => void
}

/** The JSON contract of `analyze`. */
export interface Analysis {
  readonly file: string
  readonly format: string
  readonly model: string | null
  readonly entries: number
  readonly badLines: readonly BadLine[]
  /** Main thread first; turns and calls over the whole recording, tokens of what would be sent now. */
  readonly threads: readonly ThreadSize[]
  /** Of what would be sent now. */
  readonly tokens: {
    readonly total: number
    readonly byKind: Readonly<Record<Kind, number>>
    readonly byTool: Readonly<Record<string, number>>
  }
  readonly context: ContextGrowth
  readonly cache: CacheUse
  readonly delegation: Delegation
  readonly calibration: Pick<Nullable<Calibration>, 'charsPerToken' | 'floor' | 'p50Error' | 'p90Error'>
  /** Of what would be sent now. */
  readonly glances: GlanceShare
  /** The largest single things in what would be sent, largest first. */
  readonly largest: readonly Piece[]
  readonly compactions: number
  readonly denials: number
  readonly apiErrors: number
  readonly interrupts: number
  readonly danglingCalls: number
  /** Tokens that each rule alone would free. */
  readonly could: Readonly<Record<string, number>>
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null }

interface ThreadSize {
  readonly name: string
  readonly turns: number
  readonly calls: number
  /** Of everything recorded. */
  readonly chars: number
  readonly tokens: number
}

/** How much of the work went to workers; shares are 0 to 1. */
interface Delegation {
  readonly turnShare: number
  readonly charShare: number
  readonly mainCalls: number
  readonly workerCalls: number
}

/** @throws SpillwayError for an input that cannot be read; an unreadable line is reported, not thrown */
export async function analyzeSession(file: string, options: AnalyzeOptions = {}): Promise<Analysis> {
  const subagents: Source[] = []
  for (const subagent of options.subagents ?? []) subagents.push(await openSource(subagent))
  return analyzeSource(await openSource(file), subagents, options)
}

/** The same for bytes from anywhere. */
export async function analyzeSource(
  source: Source,
  workers: readonly Source[],
  options: Omit<AnalyzeOptions, 'subagents'> = {},
): Promise<Analysis> {
  const read = await readSizes(source, options.onBytes)
  const subagents: ThreadReadings[] = []
  for (const worker of workers) {
    const { session, whole } = await readSizes(worker, options.onBytes)
    subagents.push({ name: worker.name, view: session.main, whole: whole.main })
  }
  const { name, rules } = presetNamed(options.preset)
  return analysisOf(source.file, read, subagents, { name, rules, choose: chooseAll })
}

/** The two readings of one source. */
interface Sizes {
  readonly session: Session
  readonly whole: Session
}

/** Lets the reader go with its million entries: only messages are measured from here on. */
async function readSizes(source: Source, onBytes: AnalyzeOptions['onBytes']): Promise<Sizes> {
  const reading = await readSession(source, { sizesOnly: true }, onBytes)
  const { session } = reading
  return { session, whole: session.facts.compactions > 0 ? reading.history() : session }
}

/** One thread as it would be sent now, and with everything that compactions cut off. */
interface ThreadReadings {
  readonly name: string
  readonly view: Transcript
  readonly whole: Transcript
}

function analysisOf(
  file: string,
  { session, whole }: Sizes,
  subagents: readonly ThreadReadings[],
  policy: Policy,
): Analysis {
  const { facts, main } = session
  const beside = session.others.map((thread, index) => ({
    name: thread.thread,
    view: thread,
    whole: whole.others[index] ?? thread,
  }))
  const calibration = calibrate(main)
  const scale = tokenScale(calibration?.fit)
  const breakdown = breakdownOf(main)
  const threads = [{ name: main.thread, view: main, whole: whole.main }, ...beside, ...subagents].map(measured)
  const glances = glanceShare(main)
  return {
    file,
    format: facts.format,
    model: main.model ?? null,
    entries: facts.entries,
    badLines: facts.badLines,
    threads: threads.map((thread) => ({ ...thread, tokens: scale(thread.tokens) })),
    tokens: {
      total: scale(breakdown.total),
      byKind: scaled(breakdown.byKind, scale),
      byTool: scaled(breakdown.byTool, scale),
    },
    context: contextGrowth(facts.requests, limitOf(session)),
    cache: cacheUse(facts.requests),
    delegation: delegationOf(threads),
    calibration: {
      charsPerToken: calibration?.charsPerToken ?? null,
      floor: calibration === undefined ? null : Math.round(calibration.floor),
      p50Error: calibration?.p50Error ?? null,
      p90Error: calibration?.p90Error ?? null,
    },
    glances: { ...glances, tokens: scale(glances.tokens) },
    largest: largestPieces(main).map((piece) => ({ ...piece, tokens: scale(piece.tokens) })),
    compactions: facts.compactions,
    denials: denialsIn(whole.main),
    apiErrors: facts.apiErrors,
    interrupts: facts.interrupts,
    danglingCalls: exchangesOf(whole.main).filter((exchange) => exchange.result === undefined).length,
    could: scaled(potentialOf(main, policy), scale),
  }
}

function scaled<Key extends string>(
  sums: Readonly<Record<Key, number>>,
  scale: (estimate: number) => number,
): Record<Key, number> {
  const entries = Object.entries<number>(sums).map(([key, value]) => [key, scale(value)])
  return Object.fromEntries(entries) as Record<Key, number>
}

function measured({ name, view, whole }: ThreadReadings): ThreadSize {
  let chars = 0
  for (const message of whole.messages) for (const block of message.blocks) chars += block.chars
  return {
    name,
    turns: turnsOf(whole).length,
    calls: exchangesOf(whole).length,
    chars,
    tokens: viewTokens(view),
  }
}

function delegationOf(threads: readonly ThreadSize[]): Delegation {
  const [main, ...workers] = threads
  const sum = (of: (thread: ThreadSize) => number) => workers.reduce((total, worker) => total + of(worker), 0)
  const share = (part: number, rest: number) => (part + rest === 0 ? 0 : part / (part + rest))
  return {
    turnShare: share(
      sum((thread) => thread.turns),
      main?.turns ?? 0,
    ),
    charShare: share(
      sum((thread) => thread.chars),
      main?.chars ?? 0,
    ),
    mainCalls: main?.calls ?? 0,
    workerCalls: sum((thread) => thread.calls),
  }
}

/** Refused calls; what was stopped while it ran is no refusal. */
function denialsIn(transcript: Transcript): number {
  let denials = 0
  for (const message of transcript.messages) {
    for (const block of message.blocks) {
      if (block.type === 'result' && block.denied !== undefined && block.denied !== 'stopped') denials++
    }
  }
  return denials
}
