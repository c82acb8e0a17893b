/**
 * Legal by construction, for every format and for models that bind thinking to its prefix and models that do not: a
 * legal history stays legal under any sequence of edits, epochs and repairs; a broken one becomes legal under repair
 * alone, and nothing that could be read is lost.
 */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { economize } from '../src/core/economy.ts'
import { check } from '../src/core/legality/index.ts'
import { thinkingRuleOf } from '../src/core/models.ts'
import { type EconomyContext, type Policy, REPAIR_ONLY } from '../src/core/policy.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import { addressKey, type JsonObject, type JsonValue, type Transcript } from '../src/core/transcript.ts'
import { aiSdk, aiSdkUi } from '../src/formats/ai-sdk/index.ts'
import { type ArrayFormat, itemsOf } from '../src/formats/array-format.ts'
import { chat } from '../src/formats/chat/index.ts'
import type { Format } from '../src/formats/format.ts'
import { FORMATS } from '../src/formats/index.ts'
import { messages } from '../src/formats/messages/index.ts'
import { repairRequest } from '../src/formats/repair-request.ts'
import { responses } from '../src/formats/responses/index.ts'
import { economizeSession } from '../src/sessions/economize-session.ts'
import {
  asChat,
  asMessages,
  asModelMessages,
  asResponses,
  asUiMessages,
  type Conversation,
  damaged,
  healthy,
  type WrittenAs,
} from './support/generated-requests.ts'
import { asCodex } from './support/generated-rollouts.ts'
import { asClaudeCode, asPi, type Story, story } from './support/generated-sessions.ts'
import { lostTexts } from './support/readable.ts'
import { linesOf, readBytes, written } from './support/session-bytes.ts'
import { shuffled, shuffles } from './support/shuffled.ts'

/** Sequences of each property; there are two for every format and model. */
const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 100)
vi.setConfig({ testTimeout: 120_000 * Math.max(1, RUNS / 300) })

const BOUND = 'claude-opus-5-5'
const UNBOUND = 'claude-opus-4-8'
const CONTEXT: EconomyContext = { now: 0, limit: 184_000, epoch: 'asked', answerLast: true }
/** Unknown fields are the caller's: no edit adds or removes one. */
const CALLERS = new Set(['A01'])

/** One epoch: small windows, and which of the proposed economy edits happen; none of them is a mere repair. */
const epochs: fc.Arbitrary<Policy> = fc
  .record({
    keep: fc.nat(3),
    keepReads: fc.nat(4),
    afterTurns: fc.nat(2),
    folds: fc.option(fc.nat(3), { nil: undefined }),
    moves: fc.option(fc.nat(4), { nil: undefined }),
    happens: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
  })
  .map(({ keep, keepReads, afterTurns, folds, moves, happens }) => ({
    name: 'some',
    rules: {
      ...DEFAULT_RULES,
      images: { keep, keepReads, minChars: 0, afterTurns },
      results: { keep, keepReads, minChars: 0 },
      arguments: { minTokens: 50, afterTurns },
      ...(folds === undefined ? {} : { 'call-lines': { afterTurns: folds } }),
      ...(moves === undefined ? {} : { ledger: { afterTurns: moves, keepTokens: 30 } }),
    },
    choose: (edits) => {
      const chosen = edits.filter(
        (edit, index) => edit.purpose !== 'economy' || happens[index % happens.length] === true,
      )
      return { edits: chosen, waiting: edits.filter((edit) => !chosen.includes(edit)) }
    },
  }))

/** What stands before each piece of thinking that its model binds to it, other thinking left out. */
function prefixes(transcript: Transcript, model: string): Map<string, string> {
  const found = new Map<string, string>()
  let before = ''
  for (const message of transcript.messages) {
    const isBound = thinkingRuleOf(message.model ?? transcript.model ?? model) === 'bound'
    for (const block of message.blocks) {
      if (block.type === 'thinking') {
        if (isBound) found.set(addressKey(block.at), before)
        continue
      }
      const { at: _, tokens: __, ...said } = block
      before += `${message.role} ${JSON.stringify(said)}\n`
    }
  }
  return found
}

/** A33: thinking that is left stands behind what it stood behind. */
function expectThinkingValid(before: Transcript, after: Transcript, model: string): void {
  const made = prefixes(before, model)
  for (const [place, prefix] of prefixes(after, model)) expect(prefix).toBe(made.get(place))
}

interface Kind<Told, Value> {
  readonly name: string
  readonly legal: fc.Arbitrary<Told>
  readonly broken: fc.Arbitrary<Told>
  write(told: Told, model: string): Value
  longer(told: Told, by: Told): Told
  /** The value with what `longer` has more than `shorter`. */
  grown(value: Value, longer: Value, shorter: Value): Value
  refused(value: Value): string[]
  /** Economizes; expects the thinking that is left to be valid and, of a repair, that no readable text is lost. */
  step(value: Value, policy: Policy, model: string): Value
}

function arrayKind(name: string, format: ArrayFormat, write: WrittenAs): Kind<Conversation, JsonValue> {
  const itemsIn = (value: JsonValue): readonly JsonValue[] =>
    itemsOf(value, format === responses ? 'input' : 'messages') ?? []
  return {
    name,
    legal: healthy,
    broken: damaged,
    write(told, model) {
      const value = write(told)
      if (Array.isArray(value)) return value
      return { ...(value as JsonObject), model }
    },
    longer: (told, by) => [...told, ...by],
    grown(value, longer, shorter) {
      const items = [...itemsIn(value), ...itemsIn(longer).slice(itemsIn(shorter).length)]
      if (Array.isArray(value)) return items
      return { ...(value as JsonObject), [format === responses ? 'input' : 'messages']: items }
    },
    refused: (value) =>
      format
        .check(value, 'request')
        .filter(({ rule, severity }) => severity === 'reject' && !CALLERS.has(rule))
        .map(({ rule, at, message }) => `${rule} ${at?.entry}: ${message}`),
    step(value, policy, model) {
      const { transcript, native } = format.read(value)
      if (policy === REPAIR_ONLY) {
        const repaired = repairRequest(format, value, 'request', model)
        const after = format.read(repaired.value).transcript
        const removed = repaired.edits.flatMap((edit) => edit.removed)
        expect(lostTexts(transcript, after, JSON.stringify(repaired.value), removed)).toEqual([])
        return repaired.value
      }
      const out = economize(transcript, policy, { ...CONTEXT, model, repairs: format.repairs(native) })
      expectThinkingValid(transcript, out.transcript, model)
      const output = format.write(native, out.edits)
      return output
    },
  }
}

function sessionKind(name: string, write: (told: Story) => Buffer): Kind<Story, Buffer> {
  const format = FORMATS.find((candidate) => candidate.name === name) as Format
  return {
    name,
    legal: story(6, false),
    broken: story(10, true),
    write: (told, model) => write({ ...told, model }),
    longer: (told, by) => ({ ...told, steps: [...told.steps, ...by.steps] }),
    grown: (value, longer, shorter) => Buffer.concat([value, longer.subarray(shorter.length)]),
    refused(value) {
      const session = readBytes(format, value)
      return [...check(session.main, { at: 'request' }), ...format.check(session, 'rest')]
        .filter(({ severity }) => severity === 'reject')
        .map(({ rule, line, message }) => `${rule} line ${line ?? '?'}: ${message}`)
    },
    step(value, policy, model) {
      const session = readBytes(format, value)
      const out = economizeSession(session, policy, { ...CONTEXT, model, repairs: format.repairs(session) })
      expectThinkingValid(session.main, out.transcript, model)
      const { output } = written(format, session, value, out.edits)
      if (policy === REPAIR_ONLY) {
        const after = readBytes(format, output).main
        expect(lostTexts(session.main, after, output.toString(), out.removed)).toEqual([])
      }
      return output
    },
  }
}

function holdFor<Told, Value>(kind: Kind<Told, Value>): void {
  describe.each([
    ['bound', BOUND],
    ['unbound', UNBOUND],
  ])(`${kind.name}, thinking %s`, (_, model) => {
    it('what is legal stays legal under any sequence of edits, epochs and repairs', () => {
      const rounds = fc.array(fc.record({ said: kind.legal, policy: fc.oneof(epochs, fc.constant(REPAIR_ONLY)) }), {
        minLength: 1,
        maxLength: 4,
      })
      fc.assert(
        fc.property(kind.legal, epochs, rounds, (told, first, later) => {
          let all = told
          let value = kind.write(told, model)
          value = kind.step(value, first, model)
          expect(kind.refused(value)).toEqual([])
          for (const { said, policy } of later) {
            const next = kind.longer(all, said)
            value = kind.grown(value, kind.write(next, model), kind.write(all, model))
            all = next
            value = kind.step(value, policy, model)
            expect(kind.refused(value)).toEqual([])
          }
        }),
        { numRuns: RUNS },
      )
    })

    it('what is broken becomes legal under repair alone, and nothing readable is lost', () => {
      fc.assert(
        fc.property(kind.broken, (told) => {
          const value = kind.step(kind.write(told, model), REPAIR_ONLY, model)
          expect(kind.refused(value)).toEqual([])
        }),
        { numRuns: RUNS },
      )
    })
  })
}

holdFor(sessionKind('claude-code', asClaudeCode))
holdFor(sessionKind('pi', asPi))
holdFor(sessionKind('codex', asCodex))
holdFor(arrayKind('messages', messages, asMessages))
holdFor(arrayKind('chat', chat, asChat))
holdFor(arrayKind('responses', responses, (told) => asResponses(told)))
holdFor(arrayKind('ai-sdk', aiSdk, asModelMessages))
holdFor(arrayKind('ai-sdk-ui', aiSdkUi, asUiMessages))

describe.each<readonly [string, Kind<Conversation, JsonValue>, string]>([
  ['messages', arrayKind('messages', messages, asMessages), 'messages'],
  ['chat', arrayKind('chat', chat, asChat), 'messages'],
  ['responses', arrayKind('responses', responses, (told) => asResponses(told)), 'input'],
  ['ai-sdk', arrayKind('ai-sdk', aiSdk, asModelMessages), 'messages'],
  ['ai-sdk-ui', arrayKind('ai-sdk-ui', aiSdkUi, asUiMessages), 'messages'],
])('%s, torn apart', (_, kind, key) => {
  it.each([BOUND, UNBOUND])('becomes legal under repair for %s, and nothing readable is lost', (model) => {
    fc.assert(
      fc.property(damaged, shuffles, (told, changes) => {
        const value = kind.write(told, model)
        const items = shuffled(itemsOf(value, key) ?? [], changes)
        fc.pre(items.length > 0)
        const torn = Array.isArray(value) ? items : { ...(value as JsonObject), [key]: items }
        const repaired = kind.step(torn, REPAIR_ONLY, model)
        expect(kind.refused(repaired)).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})

describe.each<readonly [string, Kind<Story, Buffer>]>([
  ['claude-code', sessionKind('claude-code', asClaudeCode)],
  ['pi', sessionKind('pi', asPi)],
  ['codex', sessionKind('codex', asCodex)],
])('%s, torn apart', (_, kind) => {
  it.each([BOUND, UNBOUND])('becomes legal under repair for %s, and nothing readable is lost', (model) => {
    fc.assert(
      fc.property(story(10, true), shuffles, (told, changes) => {
        const [head, ...lines] = linesOf(kind.write(told, model)).map(({ bytes }) => bytes)
        if (!head) return
        const torn = Buffer.concat([head, ...shuffled(lines, changes)].flatMap((line) => [line, Buffer.from('\n')]))
        expect(kind.refused(kind.step(torn, REPAIR_ONLY, model))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})
