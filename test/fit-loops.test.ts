/**
 * C9 against a server that refuses what a provider refuses: a window of 4K of its own counting, usage passed back as it
 * comes, in each shape that goes over a wire. The AI SDK's own loop is in the tests of its middleware.
 */
import { describe, expect, it } from 'vitest'
import { type FitReport, type FitState, fit } from '../src/index.ts'
import { answer, call, say, scriptedModel } from '../src/testing/index.ts'
import { type Item, LOOP_SHAPES, type LoopShape, spoken, words } from './support/loop-shapes.ts'

const TASK = 'Mend the parser in src/parser.ts. The password of the day is ZEBRA-42.'
const STEPS = 60
const WINDOW = 4000

interface Wire {
  readonly path: string
  body(model: string, items: readonly unknown[], tools: unknown): Record<string, unknown>
  /** What the loop keeps of an answer, and the calls in it. */
  said(answer: Record<string, unknown>): { items: Item[]; calls: { id: string; tool: string }[] }
}

type Fields = Record<string, unknown>

const WIRES: Readonly<Record<string, Wire>> = {
  messages: {
    path: '/v1/messages',
    body: (model, messages, tools) => ({ model, max_tokens: 200, messages, tools }),
    said({ content }) {
      const blocks = content as Fields[]
      const calls = blocks.filter(({ type }) => type === 'tool_use')
      return {
        items: [{ role: 'assistant', content: blocks }],
        calls: calls.map(({ id, name }) => ({ id: String(id), tool: String(name) })),
      }
    },
  },
  chat: {
    path: '/v1/chat/completions',
    body: (model, messages, tools) => ({ model, messages, tools }),
    said({ choices }) {
      const [{ message }] = choices as [{ message: Fields }]
      const calls = (message.tool_calls ?? []) as { id: string; function: { name: string } }[]
      return { items: [message], calls: calls.map(({ id, function: made }) => ({ id, tool: made.name })) }
    },
  },
  responses: {
    path: '/v1/responses',
    body: (model, input, tools) => ({ model, input, tools, store: false }),
    said({ output }) {
      const items = output as Fields[]
      const calls = items.filter(({ type }) => type === 'function_call')
      return { items, calls: calls.map(({ call_id: id, name }) => ({ id: String(id), tool: String(name) })) }
    },
  },
}

interface Outcome {
  readonly reports: FitReport[]
  readonly requests: string[]
  readonly statuses: (number | undefined)[]
}

async function run(shape: LoopShape, wire: Wire, keeps: 'own' | 'fitted'): Promise<Outcome> {
  let step = 0
  const model = await scriptedModel({
    strict: true,
    window: WINDOW,
    script: () =>
      ++step > STEPS ? answer(say('Done.')) : answer(say(`step ${step}`), call('Bash', { command: `make ${step}` })),
  })
  const reports: FitReport[] = []
  try {
    let items: Item[] = shape.user(TASK)
    let state: FitState | undefined
    let usage: unknown
    const tools = shape.tools(['Bash'])
    for (let turn = 0; turn <= STEPS; turn++) {
      const out = await fit(items, {
        shape: shape.name,
        model: shape.model,
        window: WINDOW,
        tools,
        usage,
        ...(state ? { state } : {}),
      })
      reports.push(out.report)
      state = out.state
      const response = await fetch(model.url + wire.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'dummy', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(wire.body(shape.model, out.messages, tools)),
      })
      const body = (await response.json()) as Fields
      expect(body.error ?? null).toBeNull()
      usage = body.usage
      const { items: said, calls } = wire.said(body)
      const results = calls.map(({ id, tool }) => ({ call: { id, tool, input: {} }, text: words(`out${turn}`, 80) }))
      items = [
        ...(keeps === 'own' ? items : out.messages),
        ...said,
        ...(results.length > 0 ? shape.results(results) : []),
      ]
    }
    const requests = model.requests.map(({ text }) => text)
    return { reports, requests, statuses: model.requests.map(({ status }) => status) }
  } finally {
    await model.close()
  }
}

describe.each(LOOP_SHAPES.filter(({ name }) => name in WIRES).map((shape) => [shape.name, shape] as const))(
  'a loop over %s in a window of 4K',
  (name, shape) => {
    it.each(['own', 'fitted'] as const)(
      'compacts, goes on, and never forgets its task (keeps its %s messages)',
      async (keeps) => {
        const { reports, requests, statuses } = await run(shape, WIRES[name] as Wire, keeps)
        expect(statuses.every((status) => status === 200)).toBe(true)
        expect(requests).toHaveLength(STEPS + 1)
        expect(requests.every((text) => text.includes('ZEBRA-42'))).toBe(true)
        expect(reports.filter(({ outcome }) => outcome === 'rewritten').length).toBeGreaterThan(3)
        expect(reports.at(-1)?.evicted.turnsSoFar).toBeGreaterThan(20)
        expect(reports.at(-1)?.scale).not.toBe(1)
        expect(spoken(requests)).toContain('context note')
      },
    )
  },
)
