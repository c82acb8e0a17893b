/**
 * Cells of the harness matrix: a recorded session, changed by us, resumed in the real Claude Code binary against the
 * strict server.
 *
 * The binary drops thinking of another model, so the copy is given the tested model throughout. The server learns
 * what the model has made from the untouched copy: the binary resumes it in the same home, and its request is kept.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { chooseAll, DEFAULT_POLICY, type Policy } from '../../src/core/policy.ts'
import { DEFAULT_RULES } from '../../src/core/rules/index.ts'
import { DEFAULT_TASKS } from '../../src/core/rules/tasks.ts'
import type { Block } from '../../src/core/transcript.ts'
import { PRESETS, type PresetName } from '../../src/planning/presets.ts'
import { doctorSession } from '../../src/sessions/doctor.ts'
import { economizeSession } from '../../src/sessions/economize-session.ts'
import { limitOf } from '../../src/sessions/policy.ts'
import { answer, call, type Reply, say, scriptedModel, think, type WireRequest } from '../../src/testing/index.ts'
import { type ClaudeHome, createClaudeHome, runClaudeCode } from './claude-code.ts'
import { formatOf, readBytes, written } from './session-bytes.ts'
import { flatten, type PlacedBlock, wireDifference } from './wire-difference.ts'

/** A model that binds thinking to what stood before it, and an older one that does not. */
export const MATRIX_MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5'] as const
export const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent']
/** The server's own count is a rough one, and what is tested here is not the window. */
const NO_WINDOW = Number.MAX_SAFE_INTEGER
/** The binary works alone for most of a run. */
const LANES = 2

const LOOK: Reply = answer(think('What is here?'), call('Bash', { command: 'ls', description: 'List' }))
const DONE: Reply = answer(say('Done.'))

export interface RecordedSession {
  readonly name: string
  readonly id: string
  readonly model: string
  readonly bytes: Buffer
}

/** Every rule there is, those that fold old turns included (the preset that folds soonest); everything at once. */
export const EVERY_RULE: Policy = {
  name: 'every rule',
  rules: { ...PRESETS.lean.rules, ...DEFAULT_RULES },
  choose: chooseAll,
}

const TASKS_ONLY: Policy = { name: 'tasks', rules: { tasks: DEFAULT_TASKS }, choose: chooseAll }

/**
 * - the name of a preset: economized by its rules
 * - `default, thinking kept`: the same edits without the thinking step (the control)
 * - `every rule`: economized by all rules, also those that fold old turns
 * - `tasks`: finished tasks folded and rolled up, nothing else
 * - `doctor`: repaired only
 */
export type Change = PresetName | 'default, thinking kept' | 'every rule' | 'tasks' | 'doctor'

export interface Resumed {
  readonly first: WireRequest
  readonly requests: number
  readonly refusals: readonly string[]
  /** What the run itself ended with, if not well. */
  readonly error: unknown
  /** The binary lost all thinking to heal a refusal. */
  readonly stripped: boolean
}

export interface Cell extends Omit<Resumed, 'first'> {
  readonly name: string
  readonly change: Change
  readonly thinking: {
    /** Blocks in the request of the untouched copy. */
    readonly recorded: number
    /** Those of them behind the first edit that is seen on the wire. */
    readonly behind: number
    /** Blocks in the changed file. */
    readonly kept: number
    /** Blocks that reached the wire. */
    readonly sent: number
  }
  /** Texts and calls of the untouched copy's request that are not in the changed one's. */
  readonly gone: number
  /** Blocks that say something else in the changed one's. */
  readonly replaced: number
}

/** A session file with the model of every answer replaced. */
export function recordedSession(file: string, model: string): RecordedSession {
  const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
  const text = bytes.toString('utf8').replace(/"model":"claude-[^"]*"/g, `"model":"${model}"`)
  const id = /"sessionId":"([0-9a-f-]+)"/.exec(text)?.[1] ?? ''
  return { name: basename(file).replace(/\.jsonl(\.gz)?$/, ''), id, model, bytes: Buffer.from(text) }
}

/** The session as it stood after so many lines, at `count` places behind its first answer; the same in every run. */
export function cutsOf(session: RecordedSession, count: number): RecordedSession[] {
  const ends = lineEnds(session.bytes)
  const first = ends.findIndex((end) => session.bytes.subarray(0, end).includes('"role":"assistant"'))
  const random = seeded(session.name)
  const lines = new Set<number>()
  const most = Math.min(count, ends.length - first - 1)
  while (lines.size < most) lines.add(first + 1 + Math.floor(random() * (ends.length - first - 1)))
  return [...lines]
    .sort((a, b) => a - b)
    .map((line) => ({
      ...session,
      name: `${session.name}@${line}`,
      bytes: session.bytes.subarray(0, ends[line - 1]),
    }))
}

function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = []
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends.push(at + 1)
  return ends
}

/** Numbers from 0 to 1 that follow from a name (linear congruence: evenly spread is all that is asked). */
function seeded(name: string): () => number {
  let state = [...name].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Resumes the session as recorded once, then as each change makes it. */
export async function runCells(
  home: ClaudeHome,
  session: RecordedSession,
  changes: (original: WireRequest) => readonly Change[],
): Promise<Cell[]> {
  const file = join(home.sessions, `${session.id}.jsonl`)
  const place = (): void => {
    rmSync(join(home.sessions, session.id), { force: true, recursive: true })
    writeFileSync(file, session.bytes)
  }
  try {
    place()
    const { first: original } = await resume(home, session)
    const cells: Cell[] = []
    for (const change of changes(original)) {
      place()
      const kept = await changed(home, session, file, change)
      const { first, ...resumed } = await resume(home, session, [original])
      cells.push({ name: session.name, change, ...resumed, ...comparison(original, first, kept) })
    }
    return cells
  } finally {
    rmSync(file, { force: true })
  }
}

/** Changes the file in its place. @returns how many thinking blocks its view holds */
async function changed(home: ClaudeHome, session: RecordedSession, file: string, change: Change): Promise<number> {
  if (change === 'doctor') {
    const fixed = join(home.root, `${session.id}.fixed`)
    await doctorSession(file, { fix: fixed, archive: join(home.root, 'archive') })
    renameSync(fixed, file)
  } else if (change === 'every rule') writeFileSync(file, economized(session.bytes, EVERY_RULE))
  else if (change === 'tasks') writeFileSync(file, economized(session.bytes, TASKS_ONLY))
  else if (change === 'default, thinking kept') writeFileSync(file, economized(session.bytes, DEFAULT_POLICY, true))
  else writeFileSync(file, economized(session.bytes, { ...DEFAULT_POLICY, name: change, rules: PRESETS[change].rules }))
  const bytes = readFileSync(file)
  // An answer that broke off behind its thinking is not sent by the binary.
  const answers = readBytes(formatOf(bytes), bytes).main.messages.filter(({ blocks }) => !blocks.every(isThought))
  return answers.flatMap(({ blocks }) => blocks.filter(isThought)).length
}

function economized(bytes: Buffer, policy: Policy, keepThinking = false): Buffer {
  const format = formatOf(bytes)
  const session = readBytes(format, bytes)
  const { edits } = economizeSession(session, policy, {
    now: 0,
    limit: limitOf(session),
    epoch: 'asked',
    repairs: format.repairs(session),
    answerLast: true,
  })
  const kept = edits.filter((edit) => edit.kind !== 'strip-thinking')
  return written(format, session, bytes, keepThinking ? kept : edits).output
}

/**
 * Resumes a session that is in its place for one question: a call and an answer. `known`: the requests that the
 * strict server has served before; without them it refuses nothing.
 */
async function resume(
  home: ClaudeHome,
  { id, model }: RecordedSession,
  known: readonly WireRequest[] = [],
): Promise<Resumed> {
  const strict = known.length > 0
  const served = await scriptedModel({ script: strict ? [LOOK, DONE, DONE] : [DONE], strict, window: NO_WINDOW })
  try {
    for (const request of known) served.learn(request)
    const run = await runClaudeCode(home, served.url, { prompt: 'Go on.', model, tools: TOOLS, resume: id })
    const first = served.requests[0]?.body
    if (!first) throw new Error(`the binary sent nothing: ${String(run.error)}`)
    return {
      first,
      requests: served.requests.length,
      refusals: served.refusals().map(({ refusal }) => `${refusal?.rule} ${refusal?.message}`),
      error: run.error,
      stripped: readFileSync(join(home.sessions, `${id}.jsonl`)).includes('"thinking_stripped"'),
    }
  } finally {
    await served.close()
  }
}

function comparison(
  original: WireRequest,
  edited: WireRequest,
  kept: number,
): Pick<Cell, 'thinking' | 'gone' | 'replaced'> {
  const { replaced, removed } = wireDifference(original, edited)
  const touched = [...replaced.map(({ from }) => from), ...removed.filter((placed) => !isThinking(placed))]
  const first = touched.reduce((least, { message }) => Math.min(least, message), Number.POSITIVE_INFINITY)
  const thinking = flatten(original).filter(isThinking)
  const left = new Set(spokenIn(edited))
  return {
    thinking: {
      recorded: thinking.length,
      behind: thinking.filter(({ message }) => message > first).length,
      kept,
      sent: thinkingIn(edited),
    },
    gone: spokenIn(original).filter((spoken) => !left.has(spoken)).length,
    replaced: replaced.length,
  }
}

export function thinkingIn(request: WireRequest): number {
  return flatten(request).filter(isThinking).length
}

function isThought(block: Block): boolean {
  return block.type === 'thinking'
}

/** Texts by their words, calls by their ids. */
function spokenIn(request: WireRequest): unknown[] {
  return flatten(request).flatMap(({ block }) => (block.type === 'text' ? block.text : (block.id ?? [])))
}

function isThinking({ block }: PlacedBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** The figures of several cells in one line. */
export function summaryOf(cells: readonly Cell[]): string {
  const sum = (of: (cell: Cell) => number): number => cells.reduce((total, cell) => total + of(cell), 0)
  const [recorded, sent] = [sum(({ thinking }) => thinking.recorded), sum(({ thinking }) => thinking.sent)]
  const refusals = sum((cell) => cell.refusals.length)
  return `${cells.length} resumes, ${refusals} refusals, ${sent} of ${recorded} thinking blocks reached the wire`
}

/** What must not be in a cell, in words; empty for a good one. */
export function faultsOf({ name, requests, refusals, error, stripped, thinking }: Cell): string[] {
  return [
    ...refusals.map((refusal) => `refused: ${refusal}`),
    ...(stripped ? ['the binary wrote thinking_stripped'] : []),
    ...(error === undefined ? [] : [`the run ended with ${String(error)}`]),
    ...(requests === 2 ? [] : [`${requests} requests instead of 2`]),
    ...(thinking.sent === thinking.kept ? [] : [`${thinking.kept} thinking blocks in the file, ${thinking.sent} sent`]),
  ].map((fault) => `${name}: ${fault}`)
}

/** Runs each piece of work in a home of its lane's own, in order of the list as far as lanes allow. */
export async function inLanes<Work, Result>(
  works: readonly Work[],
  run: (home: ClaudeHome, work: Work) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = [...works.entries()]
  const lane = async (): Promise<void> => {
    const home = createClaudeHome()
    try {
      for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await run(home, next[1])
    } finally {
      home.remove()
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}
