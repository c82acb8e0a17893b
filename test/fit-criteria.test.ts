/**
 * The criteria of the budget (issue 8; reference budget-and-schemas A1-A19), each in every shape of messages where it
 * has one. A5 and A16 are about schemas (schemas.test.ts).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRequest } from '../src/formats/legality/index.ts'
import { type FitOptions, type FitReport, type FitState, fit, memoryArchive } from '../src/index.ts'
import { shapeOf } from '../src/loops/request.ts'
import { type Item, LOOP_SHAPES, type LoopShape, spoken, step, words } from './support/loop-shapes.ts'

const TASK = 'Mend the parser in src/parser.ts. The password of the day is ZEBRA-42.'
const RULE = 'One more rule: never touch the golden files.'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-fit-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface Run {
  readonly reports: readonly FitReport[]
  readonly sent: readonly (readonly Item[])[]
  readonly state: FitState | undefined
}

/** A loop that keeps what it said itself, or what `fit` gave it. */
async function loop(
  shape: LoopShape,
  steps: readonly (readonly Item[])[],
  options: FitOptions,
  keeps: 'own' | 'fitted',
): Promise<Run> {
  let items: Item[] = []
  let state: FitState | undefined
  const reports: FitReport[] = []
  const sent: Item[][] = []
  for (const added of steps) {
    items.push(...added)
    const out = await fit(items, {
      shape: shape.name,
      model: shape.model,
      folder,
      ...options,
      ...(state ? { state } : {}),
    })
    state = out.state
    reports.push(out.report)
    sent.push(out.messages)
    if (keeps === 'fitted') items = [...out.messages]
  }
  return { reports, sent, state }
}

function refused(shape: LoopShape, items: readonly Item[]): string[] {
  const { format, holding } = shapeOf(items, { shape: shape.name, model: shape.model })
  return format
    .check(holding(items), 'request')
    .filter(({ severity }) => severity === 'reject')
    .map(({ rule, message }) => `${rule} ${message}`)
}

const history = (shape: LoopShape, count: number, tokens = 60): Item[][] => [
  shape.user(TASK),
  ...Array.from({ length: count }, (_, index) => [
    ...step(shape, index, words(`out${index}`, tokens)),
    ...(index === 3 ? shape.user(RULE) : []),
  ]),
]

describe.each(LOOP_SHAPES.map((shape) => [shape.name, shape] as const))('fit, %s', (_, shape) => {
  const keepings = ['own', 'fitted'] as const

  it.each(keepings)(
    'A11, C9: with a window of 4K it compacts, the run goes on, the task is there (keeps its %s messages)',
    async (keeps) => {
      const { reports, sent } = await loop(shape, history(shape, 80), { window: 4000 }, keeps)
      expect(reports.filter(({ outcome }) => outcome === 'rewritten').length).toBeGreaterThan(3)
      expect(reports.at(-1)?.evicted.turnsSoFar).toBeGreaterThan(40)
      sent.forEach((items, index) => {
        expect(spoken(items)).toContain('ZEBRA-42')
        expect(spoken(items).split('[spillway context note ').length).toBeLessThanOrEqual(2)
        if (index > 4) expect(spoken(items)).toContain('never touch the golden files')
        expect(refused(shape, items)).toEqual([])
        expect(reports[index]?.tokens.after).toBeLessThanOrEqual(2400)
      })
    },
  )

  it.each(keepings)(
    'a conversation in words alone keeps the user’s and one note (keeps its %s messages)',
    async (keeps) => {
      const steps = Array.from({ length: 60 }, (_, index): Item[] => [
        ...(index === 0 ? [] : shape.answer(words(`answer${index}`, 90))),
        ...shape.user(index === 0 ? TASK : `wish ${index}`),
      ])
      const { sent, reports } = await loop(shape, steps, { window: 4000 }, keeps)
      expect(reports.filter(({ evicted }) => evicted.turns > 0).length).toBeGreaterThan(2)
      expect(reports.at(-1)?.evicted.turnsSoFar).toBeGreaterThan(30)
      sent.forEach((items, index) => {
        expect(spoken(items).split('[spillway context note ').length).toBeLessThanOrEqual(2)
        for (let wish = 1; wish <= index; wish++) expect(spoken(items)).toContain(`wish ${wish}`)
        expect(refused(shape, items)).toEqual([])
      })
    },
  )

  it('A1, A2: two numbers, and the boundary is inclusive', async () => {
    const items = [
      ...shape.user(TASK),
      ...Array.from({ length: 30 }, (_, index) => step(shape, index, words('x', 300))).flat(),
    ]
    const probe = await fit(items, { shape: shape.name, model: shape.model, window: 1_000_000 })
    const size = probe.report.tokens.after
    const at = (limit: number) =>
      fit(items, { shape: shape.name, model: shape.model, window: limit, fraction: 1, trigger: 1 })
    expect((await at(size + 1)).report).toMatchObject({ outcome: 'unchanged', budget: { limit: size + 1 } })
    expect((await at(size)).report.outcome).toBe('rewritten')
    expect(probe.report.budget).toMatchObject({ budget: 600_000, limit: 480_000, fraction: 0.6, trigger: 0.8 })
  })

  it('A3, A4: the floor is told apart, and one too large is told before the first call, with numbers', async () => {
    const tools = shape.tools(['Read', 'mcp__big__a', 'mcp__big__b'], words('long', 500))
    const options = { shape: shape.name, model: shape.model, window: 3000, tools, system: words('system', 100) }
    for (const items of [[], shape.user(TASK), history(shape, 5).flat()]) {
      const { report, messages } = await fit(items, options)
      expect(report.outcome).toBe('floor-too-large')
      expect(report.shortfall).toMatchObject({ reason: 'floor-too-large', limit: 1440 })
      expect(report.shortfall?.needed).toBeGreaterThanOrEqual(report.floor.total)
      expect(report.shortfall?.says).toMatch(/\d+ tokens \(system \d+, tools \d+, pinned \d+\)/)
      expect(report.floor.byTool.map(({ name }) => name)).toEqual(['Read', 'mcp__big__a', 'mcp__big__b'])
      expect(report.floor.byServer).toMatchObject([{ name: 'big', tools: 2 }])
      expect(messages).toEqual(items)
    }
  })

  it('A6, A7: what stands before the history is not touched, and the newest turn is there word for word', async () => {
    const steps = history(shape, 40)
    const { sent } = await loop(shape, steps, { window: 4000 }, 'own')
    for (const [index, items] of sent.entries()) {
      for (const item of steps[index] ?? []) {
        if (spoken([item]).includes('step ')) expect(spoken(items)).toContain(spoken([item]).slice(1, -1))
      }
      if (index > 0) expect(spoken(items)).toContain(words(`out${index - 1}`, 60))
    }
  })

  it('A10: arguments count', async () => {
    const call = { id: 'c', tool: 'Write', input: { file_path: 'a.ts', content: words('code', 1000) } }
    const small = { ...call, input: { file_path: 'a.ts', content: '' } }
    const size = async (made: typeof call) => {
      const items = [...shape.user(TASK), ...shape.calls('', [made]), ...shape.results([{ call: made, text: 'ok' }])]
      return (await fit(items, { shape: shape.name, model: shape.model })).report.tokens.after
    }
    expect((await size(call)) - (await size(small))).toBeGreaterThan(900)
  })

  it('A12: a call that changes nothing says so, and says it again', async () => {
    const items = history(shape, 3).flat()
    const first = await fit(items, { shape: shape.name, model: shape.model })
    const second = await fit(items, { shape: shape.name, model: shape.model, state: first.state })
    for (const { report, messages } of [first, second]) {
      expect(report.outcome).toBe('unchanged')
      expect(messages.every((message, index) => message === items[index])).toBe(true)
    }
  })

  it('A13: the note states counts and tools, and nothing of what was said', async () => {
    const { sent, reports } = await loop(shape, history(shape, 60), { window: 4000 }, 'own')
    const last = spoken(sent.at(-1) ?? [])
    const so = reports.at(-1)?.evicted.turnsSoFar
    expect(last).toContain(`${so} earlier turns, ${so} calls (Bash ${so}) left the context.`)
    expect(last.match(/spillway context note/g)).toHaveLength(1)
    expect(last).not.toContain('out0')
  })

  it('A15: everything that left can be had again', async () => {
    const archive = memoryArchive()
    const steps = history(shape, 60)
    const { sent } = await loop(shape, steps, { window: 4000, archive }, 'fitted')
    const last = spoken(sent.at(-1) ?? [])
    for (let index = 0; index < 60; index++) {
      const wanted = words(`out${index}`, 60)
      if (last.includes(wanted)) continue
      const [hit] = (await archive.search?.(`out${index}`)) ?? []
      expect(hit, `out${index}`).toBeDefined()
      expect((await archive.get(hit?.ref ?? ''))?.content).toContain(wanted)
    }
    // And by reference alone: the note names a ledger, which names each turn and the ledger before it.
    const seen: string[] = []
    let ref = /context note ([a-z2-7]{12})/.exec(last)?.[1]
    while (ref) {
      const ledger = String((await archive.get(ref))?.content)
      for (const [, turn] of ledger.matchAll(/^([a-z2-7]{12}): /gm))
        seen.push(String((await archive.get(turn ?? ''))?.content))
      ref = /^Earlier turns: ([a-z2-7]{12})/.exec(ledger)?.[1]
    }
    expect(seen.join('\n')).toContain('make step-0')
    expect(seen.length).toBeGreaterThan(30)
  })

  it('A9, C6: after an eviction the next request holds task, plan, todo list with status, rules and the file as it is now', async () => {
    const file = join(folder, 'parser.ts')
    writeFileSync(file, 'const old = 1\n')
    writeFileSync(join(folder, 'PLAN.md'), '1. look\n2. mend\n')
    const call = (tool: string, input: Record<string, unknown>, id: string): Item[] => {
      const made = { id, tool, input }
      return [...shape.calls('', [made]), ...shape.results([{ call: made, text: 'ok' }])]
    }
    const todos = [
      { content: 'look', status: 'completed' },
      { content: 'mend', status: 'in_progress' },
    ]
    const steps = [
      shape.user(TASK),
      call('Write', { file_path: join(folder, 'PLAN.md'), content: '1. look' }, 'p1'),
      call('TodoWrite', { todos }, 't1'),
      call('Edit', { file_path: 'parser.ts', old_string: 'a', new_string: 'b' }, 'e1'),
      shape.user(RULE),
      ...history(shape, 30).slice(1),
    ]
    writeFileSync(file, 'const fresh = 2\n')
    for (const keeps of keepings) {
      const { sent, reports } = await loop(shape, steps, { window: 4000 }, keeps)
      const first = reports.findIndex(({ evicted }) => evicted.turns > 0)
      for (const items of [sent[first], sent.at(-1)]) {
        const text = spoken(items ?? [])
        expect(text).not.toContain('TodoWrite","')
        for (const kept of [
          'ZEBRA-42',
          '1. look\\n2. mend',
          '- [completed] look',
          '- [in_progress] mend',
          'golden files',
        ]) {
          expect(text.replaceAll('\\\\n', '\\n')).toContain(kept)
        }
        expect(text).toContain('const fresh = 2')
        expect(text).not.toContain('const old = 1')
      }
      expect(reports[first]?.putBack.headings).toHaveLength(5)
    }
  })

  it('A19: every cap says what it cut', async () => {
    const putBack = { file: () => ({ path: 'big.ts', content: words('line', 5000) }), plan: () => 'short plan' }
    const { reports, sent } = await loop(shape, history(shape, 40), { window: 4000, putBack }, 'own')
    const first = reports.findIndex(({ evicted }) => evicted.turns > 0)
    expect(spoken(sent[first] ?? [])).toMatch(/cut here: [\d,]+ characters of [\d,]+ characters left out/)
    expect(reports[first]?.putBack.cuts.join()).toMatch(/File being edited.*cut here/)
    expect(spoken(sent[first] ?? [])).toContain('short plan')
  })

  it('A14: it acts only at the trigger, and says what it did', async () => {
    const { reports } = await loop(shape, history(shape, 40), { window: 4000 }, 'own')
    for (const { outcome, tokens, explanation, budget } of reports) {
      if (outcome === 'unchanged') expect(tokens.before).toBeLessThan(budget.limit)
      else expect(explanation.join()).toMatch(/\d+ -> \d+ tokens of 2400 \(acts at 1920\)/)
    }
  })

  it('A17: what only an earlier attempt knows is there in the third, by the summary that is carried on', async () => {
    const summarize = (evicted: readonly unknown[], earlier: string | undefined): string => {
      const found = /attempt-one-knows-[a-z]+/.exec(spoken(evicted))?.[0]
      return [earlier, found].filter((part) => part !== undefined).join('\n')
    }
    const steps = history(shape, 60)
    steps.splice(1, 0, step(shape, 1000, 'failed: attempt-one-knows-secret'))
    for (const keeps of keepings) {
      const { sent, reports } = await loop(shape, steps, { window: 4000, summarize }, keeps)
      expect(reports.filter(({ evicted }) => evicted.turns > 0).length).toBeGreaterThan(3)
      expect(spoken(sent.at(-1) ?? []).match(/attempt-one-knows-secret/g)).toHaveLength(1)
    }
  })
})

describe('fit', () => {
  it('no user message behind a tool’s result where the provider refuses that (F15)', async () => {
    const shape = LOOP_SHAPES.find(({ name }) => name === 'chat') as LoopShape
    const behind = (items: readonly Item[]) =>
      checkRequest('mistral', { model: 'mistral-large', messages: items }).filter(({ rule }) => rule === 'F15')
    for (const keeps of ['own', 'fitted'] as const) {
      const steps = history(shape, 40).filter((items) => !spoken(items).includes(RULE))
      const { sent, reports } = await loop(shape, steps, { window: 4000, model: 'mistral-large' }, keeps)
      expect(reports.at(-1)?.evicted.turnsSoFar).toBeGreaterThan(10)
      for (const items of sent) expect(behind(items)).toEqual([])
    }
  })

  it('a summary that fails is told, and the note stands without it', async () => {
    const [shape] = LOOP_SHAPES as [LoopShape]
    const summarize = () => Promise.reject(new Error('no model'))
    const { reports, sent } = await loop(shape, history(shape, 40), { window: 4000, summarize }, 'own')
    const evicting = reports.filter(({ evicted }) => evicted.turns > 0)
    expect(evicting.length).toBeGreaterThan(0)
    for (const { putBack } of evicting) expect(putBack.cuts.join()).toContain('not written (no model)')
    expect(spoken(sent.at(-1) ?? [])).toContain('ZEBRA-42')
  })
})

describe('delegated work', () => {
  const [shape] = LOOP_SHAPES as [LoopShape]
  const task = (id: string, answer: string): Item[] => {
    const call = { id, tool: 'Task', input: { description: `survey ${id}`, prompt: words(`brief-${id}`, 200) } }
    return [...shape.calls('', [call]), ...shape.results([{ call, text: answer }])]
  }
  const RUNNING = 'Async agent launched successfully.\nagentId: a1b2c3d\nThe agent is working in the background.'

  it('a running task stays word for word, a finished one folds into its record first', async () => {
    const steps = [
      shape.user(TASK),
      task('done', words('report-of-done', 300)),
      task('open', RUNNING),
      ...history(shape, 80, 300).slice(1),
    ]
    const { reports, sent } = await loop(shape, steps, { window: 10_000 }, 'own')
    expect(reports.some(({ byRule }) => byRule.tasks !== undefined)).toBe(true)
    expect(reports.at(-1)?.evicted.turnsSoFar).toBeGreaterThan(20)
    for (const items of sent.slice(2)) expect(spoken(items)).toContain(words('brief-open', 200))
    expect(spoken(sent.at(-1) ?? [])).not.toContain('brief-done word word word word')
  })
})
