import { describe, expect, it } from 'vitest'
import { conversations } from './conversations.ts'
import type { FitReport } from './fit-report.ts'

const OUTPUT = 'a line of output. '.repeat(60)
const task = (text: string) => [{ role: 'user', content: text }]
const round = (id: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: OUTPUT },
]
const request = (messages: readonly unknown[]) => ({ messages, shape: 'chat' as const, model: 'gpt-5.2' })

describe('conversations', () => {
  it('are told apart by their first answers, and what the first request showed is kept', async () => {
    const of = conversations({ window: 100_000 })
    const [opening] = [task('Count.')]
    const first = of(opening)
    await first.fitted(request(opening))
    first.counted({ prompt_tokens: 12 })
    const one = [...opening, ...round('call_1')]
    expect(of(one)).toBe(first)
    expect(of([...one, ...round('call_2')])).toBe(first)
    expect(of([...opening, ...round('call_9')])).not.toBe(first)
    expect(of(task('Another.'))).not.toBe(first)
  })

  it('share one archive, and each goes on from its own state', async () => {
    const reports: FitReport[] = []
    const of = conversations({ window: 4_096, onReport: (report) => reports.push(report) })
    const threads = ['herons', 'storks'].map((bird) => [...task(`Count the ${bird}.`), ...round(`call_${bird}`)])
    for (let step = 0; step < 16; step++) {
      for (const [index, thread] of threads.entries()) {
        thread.push(...round(`call_${index}_${step}`))
        const { messages } = await of(thread).fitted(request(thread))
        expect(JSON.stringify(messages)).toContain(index === 0 ? 'herons' : 'storks')
      }
    }
    expect(reports.filter(({ outcome }) => outcome === 'rewritten').length).toBeGreaterThan(2)
  })

  it('are told apart by pictures in bytes, which are not written out', () => {
    const of = conversations({})
    const picture = (first: number): unknown[] => {
      const bytes = Buffer.alloc(8_000_000, 7)
      bytes[0] = first
      return [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: bytes }] }]
    }
    const timed = (work: () => unknown): number => {
      const start = performance.now()
      work()
      return performance.now() - start
    }
    expect(of(picture(1))).toBe(of(picture(1)))
    expect(of(picture(1))).not.toBe(of(picture(2)))
    expect(timed(() => of(picture(3)))).toBeLessThan(timed(() => JSON.stringify(picture(3))))
  })

  it('forgets the one not used for longest', () => {
    const of = conversations({})
    const first = of(task('first'))
    for (let index = 0; index < 255; index++) of(task(`${index}`))
    expect(of(task('first'))).toBe(first)
    for (let index = 0; index < 256; index++) of(task(`more ${index}`))
    expect(of(task('first'))).not.toBe(first)
  })

  it('refuse what cannot fit before it is sent, with numbers, and report it', async () => {
    const reports: FitReport[] = []
    const of = conversations({ window: 200, onReport: (report) => reports.push(report) })
    const messages = task('x '.repeat(500))
    const tools = [{ type: 'function', function: { name: 'look', description: 'y '.repeat(500) } }]
    const failing = of(messages).fitted({ ...request(messages), tools })
    await expect(failing).rejects.toMatchObject({ code: 'floor-too-large', message: expect.stringMatching(/\d/) })
    expect(reports.map(({ outcome }) => outcome)).toEqual(['floor-too-large'])
  })

  it('send tools on diet only where asked', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', title: 'Look' } } }]
    const messages = task('Count.')
    const whole = await conversations({})(messages).fitted({ ...request(messages), tools })
    expect(whole.tools).toBe(tools)
    const slim = await conversations({ diet: true })(messages).fitted({ ...request(messages), tools })
    expect(slim.tools).toEqual([{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }])
  })
})
