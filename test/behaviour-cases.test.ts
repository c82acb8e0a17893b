/**
 * The labelled behaviour cases: sessions in, what was kept, dropped, changed and healed out, with each case's own
 * options. A `keep` case must come out as flower's does; a `defect` must be absent and the result legal.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { check } from '../src/core/legality/index.ts'
import { isSpillwayText, pointerReference } from '../src/core/pointer.ts'
import { chooseAll, type Policy } from '../src/core/policy.ts'
import { exchangesOf } from '../src/core/transcript.ts'
import { claudeCode } from '../src/formats/claude-code/index.ts'
import { economizeSession } from '../src/sessions/economize-session.ts'
import { readBytes, written } from './support/session-bytes.ts'
import { CASES, hasCases, noticeMissing } from './support/shared.ts'

type Json = Record<string, unknown>

interface Case {
  readonly id: string
  readonly verdict: 'keep' | 'neutral' | 'defect'
  readonly options?: {
    readonly fn?: string
    readonly keep_denials?: number
    readonly ephemeral?: { readonly keep_recent?: number }
    readonly trim?: { readonly keep_recent?: number; readonly min_chars?: number }
  }
  readonly input?: readonly Json[]
  readonly flower?: { readonly outcome?: FlowerOutcome }
}

interface FlowerOutcome {
  readonly order: readonly string[]
  readonly dropped_entries: readonly string[]
  readonly tool_results: Readonly<Record<string, readonly unknown[]>>
}

const FLOWER_KEEP_DENIALS = 1
const FLOWER_KEEP_GLANCES = 6
const FLOWER_GLANCE_CHARS = 2000

function policyOf({ keep_denials, ephemeral, trim }: NonNullable<Case['options']>): Policy {
  const keep = trim?.keep_recent ?? 20
  return {
    name: 'case',
    rules: {
      debris: {},
      dangling: {},
      denials: { keep: keep_denials ?? FLOWER_KEEP_DENIALS },
      glances: { keep: ephemeral?.keep_recent ?? FLOWER_KEEP_GLANCES, maxChars: FLOWER_GLANCE_CHARS },
      ...(trim ? { results: { keep, keepReads: keep, minChars: trim.min_chars ?? 2000 } } : {}),
    },
    // The cases' windows reach to the very end; ours never does by default.
    newestTurns: 0,
    choose: chooseAll,
  }
}

/** Strings over 300 characters are written as `{repeat, chars}`. */
function expanded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expanded)
  if (value === null || typeof value !== 'object') return value
  const { repeat, chars } = value as Json
  if (typeof repeat === 'string' && typeof chars === 'number')
    return repeat.repeat(chars / repeat.length + 1).slice(0, chars)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expanded(member)]))
}

interface Outcome {
  /** uuids of the file in order; an entry of ours is `heal:<uuid of its call's entry>`. */
  readonly order: string[]
  readonly states: Record<string, string>
  readonly words: Record<string, string>
  readonly failed: Record<string, boolean>
  readonly violations: string[]
  readonly said: string
}

function run(given: Case): Outcome {
  const entries = expanded(given.input) as Json[]
  const bytes = Buffer.from(`${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
  const session = readBytes(claudeCode, bytes)
  const context = { now: 0, limit: 184_000, repairs: claudeCode.repairs(session), answerLast: true }
  const out = economizeSession(session, policyOf(given.options ?? {}), context)
  const { output } = written(claudeCode, session, bytes, out.edits)
  const again = readBytes(claudeCode, output)
  const known = new Set(entries.map((entry) => entry.uuid))
  const rows = output
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  const before = new Map(exchangesOf(session.main).map(({ call, result }) => [call.id, result]))
  const states: Record<string, string> = {}
  const words: Record<string, string> = {}
  const failed: Record<string, boolean> = {}
  for (const { call, result } of exchangesOf(again.main)) {
    const text = result?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
    words[call.id] = text
    failed[call.id] = result?.isError ?? false
    states[call.id] = stateOf(text, before.get(call.id) !== undefined)
  }
  return {
    order: rows.map((row) => {
      if (row.uuid === undefined) return '(no uuid)'
      return known.has(row.uuid) ? String(row.uuid) : `heal:${String(row.sourceToolAssistantUUID ?? row.parentUuid)}`
    }),
    states,
    words,
    failed,
    violations: [...check(again.main, { at: 'request' }), ...claudeCode.check(again, 'rest')]
      .filter((violation) => violation.severity === 'reject')
      .map((violation) => `${violation.rule} ${violation.message}`),
    said: again.main.messages
      .flatMap((message) => message.blocks.map((block) => ('text' in block ? block.text : '')))
      .join('\n'),
  }
}

function stateOf(text: string, existed: boolean): string {
  if (pointerReference(text)) return 'archived'
  if (text.startsWith('[stale')) return 'expired'
  if (text.startsWith('[interrupted: ')) return 'neutralised'
  if (isSpillwayText(text) && !existed) return 'healed'
  return 'kept'
}

function flowerState(state: unknown): string {
  const plain = typeof state === 'object' && state !== null && 'state' in state ? (state as Json).state : state
  if (typeof plain === 'string') return plain
  return plain !== null && typeof plain === 'object' && 'expired' in plain ? 'expired' : 'archived'
}

/** What each known defect must not show; every defect must also come out legal. */
const WITHOUT_FAULT: Record<string, (outcome: Outcome) => void> = {
  'interrupt-as-list': ({ states }) => expect(states).toEqual({ t: 'neutralised' }),
  'interrupt-words-in-a-real-error': ({ states }) => expect(states).toEqual({ t: 'kept' }),
  'denial-message-starts-with-a-good-result': ({ states }) => expect(Object.keys(states)).toEqual(['t1']),
  'thinking-left-alone-at-the-end': ({ order }) => expect(order).toEqual(['p']),
  'denied-call-without-uuid': ({ states }) => expect(states).toEqual({}),
  'late-result': ({ states }) => expect(states).toEqual({ t: expect.stringMatching(/kept|healed/) }),
  'result-before-call': ({ states }) => expect(states).toEqual({ t: expect.stringMatching(/kept|healed/) }),
  'duplicate-result': ({ states }) => expect(states).toEqual({ t: 'kept' }),
  'empty-content': ({ order }) => expect(order).not.toContain('n'),
  'results-split-by-text': ({ states }) => expect(states).toEqual({ t1: 'kept', t2: 'kept' }),
  'error-without-uuid': ({ said }) => expect(said).not.toContain('API Error'),
  'tool-call-then-error-then-user': ({ said }) => expect(said).not.toContain('API Error'),
  'unknown-parent-stays-broken': ({ said }) => expect(said).toContain('first'),
  'placeholder-longer-than-result': ({ states }) => expect(states).toEqual({ t: 'kept' }),
  'age-is-a-count-not-turns': ({ words }) => expect(Object.values(words).join()).not.toMatch(/\d/),
  'error-flag-survives': ({ failed, words, states }) =>
    expect(states.t === 'kept' || failed.t === false || /fail/.test(words.t ?? '')).toBe(true),
  'abandoned-branch-uses-up-the-window': ({ states }) => expect(states.t).toBe('kept'),
  'interrupted-glance-expires-before-neutralising': ({ states }) => expect(states.t).toBe('neutralised'),
  'other-block-kinds-vanish': ({ states }) => expect(states.t).toBe('kept'),
  'lone-surrogate': ({ states }) => expect(states.t).toBe('archived'),
}

const FILES = ['expire', 'trim', 'denials', 'interrupts', 'api_errors_relink', 'orphans']

describe.skipIf(!hasCases)('behaviour cases', () => {
  for (const name of FILES) {
    const file = join(CASES, 'behaviour', `${name}.json`)
    if (!existsSync(file)) continue
    const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] }
    describe(name, () => {
      for (const given of cases.filter(({ input }) => Array.isArray(input) && input.length > 0)) {
        it(`${given.verdict}: ${given.id}`, () => {
          const outcome = run(given)
          expect(outcome.violations).toEqual([])
          const flower = given.flower?.outcome
          if (given.verdict === 'keep' && flower) expectSame(given, outcome, flower)
          if (given.verdict === 'defect') WITHOUT_FAULT[given.id]?.(outcome)
        })
      }
    })
  }
})

function expectSame(given: Case, outcome: Outcome, flower: FlowerOutcome): void {
  expect(outcome.order).toEqual(flower.order)
  const states = Object.fromEntries(
    Object.entries(flower.tool_results).map(([id, [first]]) => [id, flowerState(first)]),
  )
  const side = (given.input ?? []).some((entry) => entry.isSidechain === true)
  if (!side) expect(outcome.states).toEqual(states)
}

describe.skipIf(!hasCases)('relink cases', () => {
  const file = join(CASES, 'behaviour', 'relink.json')
  const { cases } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { cases: RelinkCase[] })
    : { cases: [] }
  it.each(cases.map((given) => [given.id, given] as const))('%s', (_, given) => {
    const lines = given.entries.map(([uuid, parentUuid]) => ({
      uuid,
      parentUuid,
      type: 'user',
      message: { role: 'user', content: `says ${uuid}` },
    }))
    const bytes = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    const session = readBytes(claudeCode, bytes)
    const drops = given.drop.map((uuid) => lines.findIndex((line) => line.uuid === uuid))
    const base = { rule: 'test', reason: '', purpose: 'legality', class: 'worthless', frees: 0, removed: [] } as const
    const edits = drops.map((entry) => ({
      ...base,
      kind: 'drop-message' as const,
      at: { thread: 'main', entry },
      entries: [entry],
    }))
    const { output } = written(claudeCode, session, bytes, edits)
    const links = output
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
      .map(({ uuid, parentUuid }) => [uuid, parentUuid])
    const alive = new Set(links.map(([uuid]) => uuid))
    // In a cycle of dropped entries flower's link dangles; ours must not.
    for (const [, parent] of links) expect(parent === null || alive.has(parent)).toBe(true)
    if (given.flower.every(([, parent]) => parent === null || alive.has(parent))) expect(links).toEqual(given.flower)
  })
})

interface RelinkCase {
  readonly id: string
  readonly entries: readonly (readonly [string, string | null])[]
  readonly drop: readonly string[]
  readonly flower: readonly (readonly [string, string | null])[]
}

if (!hasCases) noticeMissing('../shared/cases')
