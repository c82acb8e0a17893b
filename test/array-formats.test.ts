/**
 * The array formats over generated requests: the writer does what `apply` does, touches nothing else, leaves its
 * input alone, and what is economized or repaired is legal.
 */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { apply } from '../src/core/apply.ts'
import { economize } from '../src/core/economy.ts'
import { answerOf, type Edit } from '../src/core/edits.ts'
import { chooseAll, type EconomyContext, type Policy } from '../src/core/policy.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import type { EconomyState } from '../src/core/state.ts'
import type { JsonObject, JsonValue, Transcript } from '../src/core/transcript.ts'
import { aiSdk, aiSdkUi } from '../src/formats/ai-sdk/index.ts'
import type { ArrayFormat } from '../src/formats/array-format.ts'
import { ARRAY_FORMATS } from '../src/formats/array-formats.ts'
import { chat } from '../src/formats/chat/index.ts'
import { messages } from '../src/formats/messages/index.ts'
import { responses } from '../src/formats/responses/index.ts'
import {
  asChat,
  asMessages,
  asModelMessages,
  asResponses,
  asUiMessages,
  damaged,
  healthy,
  type WrittenAs,
} from './support/generated-requests.ts'
import { someEdits } from './support/pi.ts'
import { spokenBy } from './support/transcripts.ts'

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 600)
vi.setConfig({ testTimeout: 120_000 * Math.max(1, RUNS / 600) })
const CONTEXT: EconomyContext = { now: 0, limit: 184_000, epoch: 'asked', answerLast: true }
const numbers = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 40 })

const KINDS: readonly (readonly [string, ArrayFormat, WrittenAs])[] = [
  ['messages', messages, asMessages],
  ['chat', chat, asChat],
  ['responses', responses, (told) => asResponses(told)],
  ['responses of an unknown model', responses, (told) => asResponses(told, 'unheard-of')],
  ['ai-sdk', aiSdk, asModelMessages],
  ['ai-sdk-ui', aiSdkUi, asUiMessages],
]

const policies: fc.Arbitrary<Policy> = fc
  .record({ keep: fc.nat(3), keepReads: fc.nat(5), afterTurns: fc.nat(2) })
  .map(({ keep, keepReads, afterTurns }) => ({
    name: `keep-${keep}`,
    rules: {
      ...DEFAULT_RULES,
      images: { keep, keepReads, minChars: 0, afterTurns },
      results: { keep, keepReads, minChars: 0 },
      arguments: { minTokens: 50, afterTurns },
    },
    choose: chooseAll,
  }))

/**
 * What both sides say. An error flag where the format has none is left out; Chat keeps an answer's words before its
 * calls, and a UIMessage its results in the order of the calls.
 */
function said(format: ArrayFormat, transcript: Transcript): string[] {
  const lines = spokenBy(transcript)
  if (format === aiSdkUi) return lines.sort()
  if (format === responses) return lines.map(withoutFlag)
  if (format !== chat) return lines
  const answers = transcript.messages.map((message) => spokenBy({ ...transcript, messages: [message] }))
  return answers.flatMap((own) => own.map(withoutFlag).sort())
}

const withoutFlag = (line: string): string => line.replace(/^(user: #\S+) failed/, '$1')

/** Edits that a format cannot be asked for: see docs/formats-arrays.md. */
function possible(format: ArrayFormat, transcript: Transcript): (edit: Edit) => boolean {
  const roles = new Map(transcript.messages.flatMap((message) => message.entries.map((entry) => [entry, message.role])))
  return (edit) => {
    if (edit.kind === 'reorder') return format !== chat && format !== aiSdkUi
    if (edit.kind === 'insert-message') return format !== aiSdkUi || roles.get(edit.at.entry) === 'user'
    return true
  }
}

/** Unknown fields are the caller's: no edit adds or removes one. */
const CALLERS = new Set(['A01'])

function rejections(format: ArrayFormat, value: JsonValue): string[] {
  return format
    .check(value, 'request')
    .filter(({ rule, severity }) => severity === 'reject' && !CALLERS.has(rule))
    .map((violation) => `${violation.rule} ${violation.at?.entry}: ${violation.message}`)
}

/** The same object, or the same but for the id that asked for a reasoning item which left (B23). */
function isKept(item: JsonValue, after: ReadonlySet<JsonValue>): boolean {
  if (after.has(item)) return true
  const { id, ...rest } = item as JsonObject
  const text = JSON.stringify(rest)
  return id !== undefined && [...after].some((each) => JSON.stringify(each) === text)
}

/** The messages or items of a value. */
function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  const request = value as Record<string, JsonValue>
  return (request.messages ?? request.input ?? []) as readonly JsonValue[]
}

describe.each(KINDS)('%s', (_, format, written) => {
  it('is told from the other formats', () => {
    const told = [
      { kind: 'user', text: 'q', picture: true } as const,
      {
        kind: 'turn',
        thinking: 'signed',
        text: 'a',
        calls: [{ tool: 'Bash', big: false, answer: 'short' }],
        server: false,
      } as const,
    ]
    const value = written(told)
    expect(ARRAY_FORMATS.filter((candidate) => candidate.detect(value)).map(({ name }) => name)).toEqual([format.name])
  })

  it('does what apply does, changes no other place and not its input', () => {
    fc.assert(
      fc.property(fc.oneof(healthy, damaged), numbers, (told, choices) => {
        const value = written(told)
        const copy = structuredClone(value)
        const { transcript, native } = format.read(value)
        const edits = someEdits(transcript, choices).filter(possible(format, transcript))
        const output = format.write(native, edits)
        expect(value).toEqual(copy)
        const applied = apply(transcript, edits)
        expect(said(format, format.read(output).transcript)).toEqual(said(format, applied))
        // An item none of whose entries an edit names is the same object.
        const named = new Set(edits.flatMap((edit) => (edit.kind === 'drop-message' ? edit.entries : [edit.at.entry])))
        for (const edit of edits) named.add(answerOf(edit)?.entry ?? edit.at.entry)
        const together = transcript.messages.filter(({ entries }) => entries.every((entry) => !named.has(entry)))
        const items = itemsOf(value)
        const after = new Set(itemsOf(output))
        if (format === aiSdkUi) return
        for (const message of together) {
          for (const entry of message.entries) expect(isKept(items[entry] as JsonValue, after)).toBe(true)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('is the same value without edits', () => {
    fc.assert(
      fc.property(fc.oneof(healthy, damaged), (told) => {
        const value = written(told)
        expect(format.write(format.read(value).native, [])).toBe(value)
      }),
      { numRuns: 50 },
    )
  })

  it('is legal after economy and repair, whatever it was, and settles', () => {
    fc.assert(
      fc.property(fc.oneof(healthy, damaged), policies, (told, policy) => {
        const value = written(told)
        const { transcript, native } = format.read(value)
        const out = economize(transcript, policy, { ...CONTEXT, repairs: format.repairs(native) })
        const output = format.write(native, out.edits)
        expect(rejections(format, output)).toEqual([])
        const again = format.read(output)
        const second = economize(again.transcript, policy, { ...CONTEXT, repairs: format.repairs(again.native) })
        expect(second.edits.map((edit) => `${edit.rule} ${edit.kind} ${edit.reason}`)).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  it('over any number of epochs every request is legal, and what was sent between them stays as it was', () => {
    fc.assert(
      fc.property(
        healthy,
        policies,
        fc.array(fc.boolean(), { minLength: 3, maxLength: 12 }),
        (told, policy, epochs) => {
          let state: EconomyState | undefined
          let sent: readonly JsonValue[] = []
          for (let length = 1; length < told.length; length++) {
            const isEpoch = epochs[length % epochs.length] === true
            const value = written([...told.slice(0, length), { kind: 'user', text: `round ${length}`, picture: false }])
            const { transcript, native } = format.read(value)
            const wait: Policy = { ...policy, choose: (edits) => ({ edits: [], waiting: edits }) }
            const out = economize(transcript, isEpoch ? policy : wait, CONTEXT, state)
            state = out.state
            const output = format.write(native, out.edits)
            expect(rejections(format, output)).toEqual([])
            const items = itemsOf(output)
            // The question of the round is not part of the history; a UIMessage grows with every step.
            if (!isEpoch && format !== aiSdkUi) expect(items.slice(0, sent.length)).toEqual(sent)
            sent = items.slice(0, -1)
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 6) },
    )
  })

  it('whatever stands in the array, nothing throws', () => {
    const key = fc.constantFrom(
      'role',
      'content',
      'type',
      'text',
      'parts',
      'tool_calls',
      'toolCallId',
      'output',
      'state',
    )
    const odd = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.constantFrom('assistant', 'tool', 'text', 'tool-x')))
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), odd)), numbers, (items, choices) => {
        const value = items as JsonValue[]
        const { transcript, native } = format.read(value)
        format.check(value, 'request')
        format.check(value, 'rest')
        const repairs = format.repairs(native)
        const { edits } = economize(transcript, { name: 'x', rules: DEFAULT_RULES, choose: chooseAll }, CONTEXT)
        format.write(native, [...repairs, ...edits])
        format.write(native, someEdits(transcript, choices))
      }),
      { numRuns: RUNS },
    )
  })

  it('healthy requests need no repair', () => {
    fc.assert(
      fc.property(healthy, (told) => {
        const value = written(told)
        expect(rejections(format, value)).toEqual([])
        expect(format.repairs(format.read(value).native)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
