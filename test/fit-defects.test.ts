/**
 * The defects of the compactor that reference budget-and-schemas describes, each as a case: the described behaviour
 * (a stand-in of a few lines, made from the description alone) must fail it, and ours must pass.
 */
import { describe, expect, it } from 'vitest'
import { chat } from '../src/formats/chat/index.ts'
import { type FitOptions, type FitState, fit } from '../src/index.ts'
import { type Item, LOOP_SHAPES, type LoopShape, spoken, step, words } from './support/loop-shapes.ts'

const shape = LOOP_SHAPES.find(({ name }) => name === 'chat') as LoopShape
const TASK = 'Mend the parser. The password is ZEBRA-42.'
const RULE = 'Never touch the golden files.'

interface Compacted {
  readonly items: readonly Item[]
  readonly changed: boolean
}
type Compactor = (items: readonly Item[]) => Compacted | Promise<Compacted>

/** Keeps the head if it is a system message and six messages at the end; a note and the task stand for the rest. */
function described(keep = 6): Compactor {
  return (items) => {
    if (items.length <= keep + 1) return { items, changed: false }
    const head = items[0]?.role === 'system' ? items.slice(0, 1) : []
    const body = items.slice(head.length)
    const older = body.slice(0, -keep)
    const recent = body.slice(-keep)
    while (recent[0]?.role === 'tool') older.push(recent.shift() as Item)
    if (older.length === 0 || recent.length === 0) return { items, changed: false }
    const tools = older.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls : []))
    const names = [...new Set(tools.map((call) => String(call.function.name)))].sort()
    const note = `[earlier conversation, compacted]\n${older.length} earlier messages were removed. ${names.join(', ')}`
    const task = items.find(({ role }) => role === 'user')?.content
    const restored = { role: 'user', content: `[context restored after compaction]\n${String(task)}` }
    return { items: [...head, { role: 'user', content: note }, restored, ...recent], changed: true }
  }
}

/** Characters of the content and of the calls, a quarter each. */
const describedSize = (items: readonly Item[]): number =>
  Math.floor(
    items.reduce(
      (sum, { content, tool_calls: calls }) => sum + String(content ?? '').length + JSON.stringify(calls ?? '').length,
      0,
    ) / 4,
  )

function ours(options: FitOptions = { window: 4000 }): Compactor {
  let state: FitState | undefined
  return async (items) => {
    const out = await fit(items, { shape: 'chat', model: 'gpt-5', ...options, ...(state ? { state } : {}) })
    state = out.state
    return { items: out.messages, changed: out.report.outcome === 'rewritten' }
  }
}

const size = async (items: readonly Item[]) =>
  (await fit(items, { shape: 'chat', window: 10_000_000 })).report.tokens.after
const refused = (items: readonly Item[]) =>
  chat.check({ messages: items as never, model: 'gpt-5' }, 'request').filter(({ severity }) => severity === 'reject')

interface Defect {
  readonly name: string
  readonly naive: () => Compactor
  readonly fitted?: () => Compactor
  /** Passes where the defect is absent. */
  shows(compact: Compactor): Promise<void>
}

const turns = (count: number, tokens = 60): Item[] =>
  Array.from({ length: count }, (_, index) => step(shape, index, words(`out${index}`, tokens))).flat()

const DEFECTS: readonly Defect[] = [
  {
    name: 'says "changed" while it grows',
    naive: () => described(),
    async shows(compact) {
      const items = [...shape.user(TASK), ...shape.answer('ok'), ...turns(3, 4000)]
      const { items: after, changed } = await compact(items)
      if (changed) expect(await size(after)).toBeLessThan(await size(items))
    },
  },
  {
    name: 'is said to be changed by a history it cannot shrink',
    naive: () => described(),
    async shows(compact) {
      const items = [...shape.user(words('the task', 5000)), ...shape.answer('ok'), ...turns(3, 10)]
      const { changed, items: after } = await compact(items)
      if (changed) expect(await size(after)).toBeLessThan(await size(items))
    },
  },
  {
    name: 'thrashes when the floor exceeds the trigger',
    naive: () => described(),
    fitted: () => ours({ window: 4000, system: words('system', 1900) }),
    async shows(compact) {
      let items: readonly Item[] = shape.user(TASK)
      let compactions = 0
      for (let index = 0; index < 12; index++) {
        const { items: after, changed } = await compact([...items, ...step(shape, index, 'fine')])
        items = after
        if (changed) compactions++
      }
      expect(compactions).toBe(0)
    },
  },
  {
    name: 'compacts nearly every call with a high floor',
    naive: () => {
      const compact = described()
      return (items) => (8000 + describedSize(items) >= 9600 * 0.9 ? compact(items) : { items, changed: false })
    },
    fitted: () => ours({ window: 20_000, system: words('system', 8000) }),
    async shows(compact) {
      let items: readonly Item[] = shape.user(TASK)
      let compactions = 0
      for (let index = 0; index < 60; index++) {
        const { items: after, changed } = await compact([...items, ...step(shape, index, words('x', 100))])
        items = after
        if (changed) compactions++
      }
      expect(compactions).toBeLessThan(20)
    },
  },
  {
    name: 'eight parallel results empty the tail, and nothing leaves',
    naive: () => described(),
    async shows(compact) {
      const calls = Array.from({ length: 8 }, (_, index) => ({
        id: `p${index}`,
        tool: 'Read',
        input: { path: `f${index}` },
      }))
      const parallel = [
        ...shape.calls('', calls),
        ...shape.results(calls.map((call) => ({ call, text: words(`file ${call.id}`, 30) }))),
      ]
      const { items, changed } = await compact([...shape.user(TASK), ...turns(50), ...parallel])
      expect(changed).toBe(true)
      expect(refused(items)).toEqual([])
      for (const { id } of calls) expect(spoken(items)).toContain(`file ${id}`)
    },
  },
  {
    name: 'results of eight parallel calls are not foreseen',
    naive: () => described(),
    async shows(compact) {
      const calls = Array.from({ length: 8 }, (_, index) => ({
        id: `p${index}`,
        tool: 'Read',
        input: { path: `f${index}` },
      }))
      const parallel = [
        ...shape.calls('', calls),
        ...shape.results(calls.map((call) => ({ call, text: words(`file ${call.id}`, 2000) }))),
      ]
      const { items } = await compact([...shape.user(TASK), ...parallel])
      expect(await size(items)).toBeLessThanOrEqual(2400)
      for (const { id } of calls) expect(spoken(items)).toContain(id)
    },
  },
  {
    name: 'the user’s rules are lost',
    naive: () => described(),
    async shows(compact) {
      const { items, changed } = await compact([
        ...shape.user(TASK),
        ...shape.answer('yes?'),
        ...shape.user(RULE),
        ...turns(50),
      ])
      expect(changed).toBe(true)
      expect(spoken(items)).toContain(RULE)
    },
  },
  {
    name: 'a second compaction loses what the first one said',
    naive: () => described(),
    async shows(compact) {
      const read = (index: number) => step(shape, 1000 + index, words('read', 60), 'ReadOnlyOnce')
      const first = await compact([...shape.user(TASK), ...read(0), ...turns(50)])
      const more = Array.from({ length: 50 }, (_, index) => step(shape, 200 + index, words('later', 60))).flat()
      const second = await compact([...first.items, ...more])
      expect([first.changed, second.changed]).toEqual([true, true])
      const text = spoken(second.items)
      expect(text).toContain('ReadOnlyOnce')
      expect(Number(/(\d+) earlier (?:turns|messages)/.exec(text)?.[1])).toBeGreaterThan(51)
      expect(text.match(/earlier (?:turns|messages)/g)).toHaveLength(1)
    },
  },
  {
    name: 'what was restored before stands there twice',
    naive: () => {
      let calls = 0
      return (items) => described(calls++ % 2 === 0 ? 2 : items.length - 2)(items)
    },
    async shows(compact) {
      let items: readonly Item[] = [{ role: 'system', content: 'Be brief.' }, ...shape.user(TASK)]
      for (let index = 0; index < 40; index++) {
        ;({ items } = await compact([...items, ...step(shape, index, words('x', 60))]))
        expect(spoken(items).match(/context (?:restored|note )/g)?.length ?? 0).toBeLessThanOrEqual(1)
      }
    },
  },
  {
    name: 'neighbouring messages of the user',
    naive: () => described(),
    async shows(compact) {
      const said = [...shape.user(TASK), ...turns(20), ...shape.user(RULE), ...turns(20), ...shape.user('And now?')]
      const { items, changed } = await compact(said)
      expect(changed).toBe(true)
      const roles = items.map(({ role }) => role)
      expect(roles.filter((role, index) => role === 'user' && roles[index - 1] === 'user')).toEqual([])
    },
  },
  {
    name: 'an orphan in the middle of the tail stays, and so does an open call at the end',
    naive: () => described(),
    async shows(compact) {
      const open = { id: 'open', tool: 'Bash', input: {} }
      const items = [
        ...shape.user(TASK),
        ...turns(50),
        ...shape.answer('so'),
        { role: 'tool', tool_call_id: 'nobody', content: 'orphan words' },
        ...shape.answer('then'),
        ...shape.calls('', [open]),
      ]
      const { items: after } = await compact(items)
      expect(refused(after)).toEqual([])
      expect(spoken(after)).toContain('orphan words')
    },
  },
  {
    name: 'a `developer` head and later system messages are dropped',
    naive: () => described(),
    async shows(compact) {
      const items = [
        { role: 'developer', content: 'You are an agent.' },
        ...shape.user(TASK),
        ...turns(10),
        { role: 'system', content: 'A later system message.' },
        ...turns(40),
      ]
      const { items: after, changed } = await compact(items)
      expect(changed).toBe(true)
      expect(after[0]).toEqual(items[0])
      expect(spoken(after)).toContain('A later system message.')
    },
  },
  {
    name: 'the cut goes through a batch of parallel results',
    naive: () => (items) => ({ items: [...items.slice(0, 1), ...items.slice(-7)], changed: true }),
    async shows(compact) {
      const batch = (index: number): Item[] => {
        const calls = Array.from({ length: 3 }, (_, part) => ({ id: `b${index}_${part}`, tool: 'Read', input: {} }))
        return [...shape.calls('', calls), ...shape.results(calls.map((call) => ({ call, text: words('x', 40) })))]
      }
      const items = [...shape.user(TASK), ...Array.from({ length: 30 }, (_, index) => batch(index)).flat()]
      expect(refused((await compact(items)).items)).toEqual([])
    },
  },
]

describe.each(DEFECTS.map((defect) => [defect.name, defect] as const))('%s', (_, { naive, fitted, shows }) => {
  it('is what was described', async () => {
    await expect(shows(naive())).rejects.toThrow()
  })

  it('is not what fit does', async () => {
    await shows(fitted ? fitted() : ours())
  })
})

describe('sizes', () => {
  it('CJK is not counted at a quarter', async () => {
    const text = '字'.repeat(1000)
    expect(describedSize(shape.user(text))).toBeLessThan(260)
    expect(await size(shape.user(text))).toBeGreaterThan(900)
  })

  it('images count by their pixels, not by their characters', async () => {
    const url = `data:image/png;base64,${'A'.repeat(400_000)}`
    const items = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    const tokens = await size(items)
    expect(tokens).toBeGreaterThan(500)
    expect(tokens).toBeLessThan(6000)
  })

  it('a provider that reports no usage is compacted all the same', async () => {
    const { report } = await fit([...shape.user(TASK), ...turns(50)], { window: 4000, shape: 'chat' })
    expect(report.outcome).toBe('rewritten')
  })

  it('usage that is passed back calibrates what follows', async () => {
    const items = [...shape.user(TASK), ...turns(5)]
    const first = await fit(items, { shape: 'chat', window: 100_000 })
    const counted = first.report.tokens.after * 2
    const next = [...items, ...turns(1)]
    for (const usage of [{ prompt_tokens: counted }, { usage: { input_tokens: counted } }]) {
      const second = await fit(next, { shape: 'chat', window: 100_000, state: first.state, usage })
      expect(second.report.scale).toBeCloseTo(2, 1)
      expect(second.report.tokens.after).toBeGreaterThan(counted)
    }
  })

  it('usage that stands on the newest answer calibrates too, once', async () => {
    const options = { shape: 'chat', window: 100_000 } as const
    const items = [...shape.user(TASK), ...turns(5)]
    const first = await fit(items, options)
    const usage = { prompt_tokens: first.report.tokens.after * 2 }
    const next = [...items, { role: 'assistant', content: 'so', usage }]
    const second = await fit(next, { ...options, state: first.state })
    expect(second.report.scale).toBeCloseTo(2, 1)
    expect((await fit(next, { ...options, state: first.state })).report.scale).toBe(second.report.scale)
    expect((await fit(next, { ...options, state: second.state })).state.ratios).toHaveLength(1)
  })

  it('a refusal teaches the window, and what was refused is compacted', async () => {
    const items = [...shape.user(TASK), ...turns(60)]
    const first = await fit(items, { shape: 'chat', model: 'my-model' })
    expect(first.report).toMatchObject({ outcome: 'unchanged', window: { source: 'assumed' } })
    expect(first.report.explanation.join()).toContain('is not known')
    const error = new Error('prompt is too long: 6200 tokens > 4000 maximum')
    const second = await fit(items, { shape: 'chat', model: 'my-model', state: first.state, error })
    expect(second.report).toMatchObject({ outcome: 'rewritten', window: { tokens: 4000, source: 'error' } })
    const silent = new Error('Your input exceeds the context window of this model')
    const third = await fit(items, { shape: 'chat', model: 'my-model', state: first.state, error: silent })
    expect(third.report.outcome).toBe('rewritten')
    expect(third.report.tokens.after).toBeLessThan(first.report.tokens.after / 2)
  })
})
