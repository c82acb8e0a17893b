/**
 * What must hold of `fit` whatever the messages, the window and the tools (issue 8): a legal request within the budget
 * that holds what is pinned, or a plain word that there is none; the same bytes with and without its memory; and never
 * more compactions than what may leave has grown.
 */
import './support/seed.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../src/core/transcript.ts'
import { itemsOf } from '../src/formats/array-format.ts'
import { type FitOptions, type FitState, fit } from '../src/index.ts'
import { SHAPES, type Shape } from '../src/loops/fit-options.ts'
import { shapeOf } from '../src/loops/request.ts'
import { isNoteBlock } from '../src/planning/budget/index.ts'
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
import { words } from './support/loop-shapes.ts'

const WRITERS: Readonly<Record<Shape, WrittenAs>> = {
  messages: asMessages,
  chat: asChat,
  responses: asResponses,
  'ai-sdk': asModelMessages,
  'ai-sdk-ui': asUiMessages,
}
const MODELS: Readonly<Record<Shape, readonly string[]>> = {
  messages: ['claude-opus-5-5', 'claude-sonnet-4-5', 'claude-opus-4-8'],
  chat: ['gpt-5', 'mistral-large', 'deepseek-chat'],
  responses: ['gpt-5'],
  'ai-sdk': ['claude-opus-5-5', 'gpt-5'],
  'ai-sdk-ui': ['gpt-5'],
}

function itemsFor(shape: Shape, conversation: Conversation): readonly JsonValue[] {
  return itemsOf(WRITERS[shape](conversation), shape === 'responses' ? 'input' : 'messages') ?? []
}

/** Texts of people, whole: what must be there in the end. */
function pinnedTexts(shape: Shape, model: string, items: readonly unknown[]): string[] {
  const { format, holding } = shapeOf(items, { shape, model })
  return format
    .read(holding(items))
    .transcript.messages.flatMap(({ role, blocks }) =>
      role === 'assistant'
        ? []
        : blocks.flatMap((block) =>
            block.type === 'text' && block.text.trim() !== '' && !isNoteBlock(block) ? [block.text] : [],
          ),
    )
}

/** The nightly run looks longer. */
const RUNS = process.env.SPILLWAY_SEED === 'random' ? 400 : 60

/** Unknown fields are the caller's: no edit adds or removes one. */
const CALLERS = 'A01'

function refused(shape: Shape, model: string, items: readonly unknown[]): string[] {
  const { format, holding } = shapeOf(items, { shape, model })
  return format
    .check(holding(items), 'request')
    .filter(({ severity, rule }) => severity === 'reject' && rule !== CALLERS)
    .map(({ rule, message }) => `${rule} ${message}`)
}

const setting = fc.record({
  window: fc.integer({ min: 200, max: 12_000 }),
  tools: fc.integer({ min: 0, max: 6 }),
  system: fc.integer({ min: 0, max: 300 }),
  model: fc.nat({ max: 2 }),
  usage: fc.option(fc.double({ min: 0.5, max: 2.5, noNaN: true }), { nil: undefined }),
  keeps: fc.constantFrom('own', 'fitted'),
  forgets: fc.boolean(),
})

describe.each(SHAPES)('fit, %s', (shape) => {
  it('a legal request within the budget that holds what is pinned, or a plain word', async () => {
    const seen = new Set<string>()
    const parts = fc.array(fc.oneof(healthy, damaged), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(parts, setting, async (conversations, given) => {
        const model = MODELS[shape][given.model % MODELS[shape].length] ?? ''
        const tools = Array.from({ length: given.tools }, (_, index) => ({
          name: `tool${index}`,
          description: words('what', 20),
          parameters: { type: 'object' },
        }))
        const base: FitOptions = { shape, model, window: given.window, tools, system: words('system', given.system) }
        let items: unknown[] = []
        let state: FitState | undefined
        let told: Conversation = []
        let usage: unknown
        for (const conversation of conversations) {
          const before = itemsFor(shape, told).length
          told = [...told, ...conversation]
          items =
            given.keeps === 'own' ? [...itemsFor(shape, told)] : [...items, ...itemsFor(shape, told).slice(before)]
          const asked = structuredClone(items)
          const out = await fit(items, { ...base, ...(state ? { state } : {}), ...(usage ? { usage } : {}) })
          expect(items).toEqual(asked)
          const { report } = out
          seen.add(report.evicted.turns > 0 ? 'evicted' : report.outcome)
          state = given.forgets ? (JSON.parse(JSON.stringify(out.state)) as FitState) : out.state
          if (given.usage !== undefined) usage = { prompt_tokens: Math.ceil(report.tokens.after * given.usage) }
          const isNone = report.outcome === 'floor-too-large' || report.outcome === 'cannot-fit'
          expect(report.shortfall !== undefined).toBe(isNone)
          if (!isNone) {
            expect(report.tokens.after).toBeLessThanOrEqual(report.budget.budget)
            const text = JSON.stringify(out.messages)
            for (const pinned of pinnedTexts(shape, model, items))
              expect(text).toContain(JSON.stringify(pinned).slice(1, -1))
          }
          expect(report.violations.filter(({ rule }) => rule !== CALLERS)).toEqual([])
          expect(refused(shape, model, out.messages)).toEqual([])
          if (given.keeps === 'fitted') items = [...out.messages]
        }
      }),
      { numRuns: RUNS },
    )
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['cannot-fit', 'evicted', 'floor-too-large', 'rewritten', 'unchanged']),
    )
  }, 60_000)
})
