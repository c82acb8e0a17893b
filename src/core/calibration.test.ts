import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  calibrate,
  fitPrompt,
  heldOutErrors,
  type PromptPoint,
  predictPrompt,
  promptPoints,
  quantile,
  stretchesOf,
  viewSize,
} from './calibration.ts'
import type { Block, Message, Transcript, Usage } from './transcript.ts'

const TRUTH = { intercept: 30_000, scale: 1.3, thinkingScale: 0.8, perRequest: 40 }

/** Requests of a session whose provider counts as TRUTH says, plus what `unexplained` adds to a growth. */
function session(
  sizes: readonly [tokens: number, thinking: number][],
  unexplained: (index: number) => number = () => 0,
) {
  let tokens = 0
  let thinking = 0
  let extra = 0
  return sizes.map(([moreTokens, moreThinking], requests): PromptPoint => {
    tokens += moreTokens
    thinking += moreThinking
    extra += unexplained(requests)
    const size = { chars: tokens * 3, tokens, thinking, requests }
    return { size, prompt: predictPrompt(TRUTH, size) + extra }
  })
}

const growth = fc.tuple(fc.integer({ min: 50, max: 9000 }), fc.integer({ min: 0, max: 2000 }))
const varied = Array.from({ length: 40 }, (_, index): [number, number] => [
  200 + ((index * 7919) % 5000),
  (index * 104_729) % 900,
])

function usage(prompt: number): Usage {
  return { input: 5, cacheRead: prompt - 105, cacheWrite: 100, output: 50 }
}

function block(type: 'text' | 'thinking', entry: number, tokens: number): Block {
  const measured = { at: { thread: 'main', entry, block: 0 }, chars: tokens * 4, tokens, text: '' }
  return type === 'text' ? { ...measured, type } : { ...measured, type, redacted: false, signed: true }
}

function transcript(messages: readonly Message[]): Transcript {
  return { thread: 'main', format: 'test', messages, links: [], tools: { reads: new Set(), shells: new Set() } }
}

function asked(entry: number, tokens: number): Message {
  return { role: 'user', blocks: [block('text', entry, tokens)], entries: [entry] }
}

function answered(entry: number, id: string, prompt: number, thinking = 0): Message {
  const blocks = [...(thinking > 0 ? [block('thinking', entry, thinking)] : []), block('text', entry, 100)]
  return { role: 'assistant', blocks, entries: [entry], id, usage: usage(prompt) }
}

describe('fitPrompt', () => {
  it('finds the factors of a session that differs from the expected ones', () => {
    const fitted = fitPrompt(session(varied))
    expect(fitted?.scale).toBeCloseTo(TRUTH.scale, 1)
    expect(fitted?.thinkingScale).toBeLessThan(0.9)
    expect(Math.abs((fitted?.intercept ?? 0) - TRUTH.intercept)).toBeLessThan(3_000)
  })

  it('predicts what comes from what was', () => {
    const errors = heldOutErrors(session(varied))
    expect(errors).toHaveLength(20)
    expect(Math.max(...errors)).toBeLessThan(0.02)
  })

  it('is exact at the last request', () => {
    fc.assert(
      fc.property(fc.array(growth, { minLength: 1, maxLength: 60 }), (sizes) => {
        const points = session(sizes)
        const last = points.at(-1)
        const fitted = fitPrompt(points)
        if (!last || !fitted) throw new Error('no fit')
        expect(predictPrompt(fitted, last.size)).toBeCloseTo(last.prompt, 3)
      }),
    )
  })

  it('gives finite factors for any growths, never below zero for what is seen', () => {
    const wild = fc.record({
      chars: fc.nat(1e9),
      tokens: fc.nat(1e9),
      thinking: fc.nat(1e9),
      requests: fc.nat(1e6),
      prompt: fc.integer({ min: 1, max: 1e9 }),
    })
    fc.assert(
      fc.property(fc.array(wild, { minLength: 1, maxLength: 30 }), (points) => {
        const fitted = fitPrompt(points.map(({ prompt, ...size }) => ({ size, prompt })))
        for (const factor of Object.values(fitted ?? { none: Number.NaN })) expect(factor).toSatisfy(Number.isFinite)
        expect(fitted?.scale).toBeGreaterThanOrEqual(0)
        expect(fitted?.thinkingScale).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('takes the expected factors while there is one request only', () => {
    expect(fitPrompt([{ size: { chars: 10, tokens: 500, thinking: 0, requests: 0 }, prompt: 20_500 }])).toEqual({
      intercept: 20_000,
      scale: 1,
      thinkingScale: 1,
      perRequest: 0,
    })
    expect(fitPrompt([])).toBeUndefined()
  })

  it('lets growths that nothing explains count less', () => {
    const shocks = (index: number): number => (index % 10 === 5 ? 6_000 : 0)
    const disturbed = fitPrompt(session(varied, shocks))
    expect(Math.abs((disturbed?.scale ?? 0) - TRUTH.scale)).toBeLessThan(0.12)
    expect(Math.abs((disturbed?.perRequest ?? 0) - TRUTH.perRequest)).toBeLessThan(150)
  })

  it('does not learn from a fall of usage', () => {
    const fallen = session(varied, (index) => (index === 20 ? -60_000 : 0))
    expect(stretchesOf(fallen).map((stretch) => stretch.length)).toEqual([20, 20])
    expect(fitPrompt(fallen)?.scale).toBeCloseTo(TRUTH.scale, 1)
  })
})

describe('promptPoints', () => {
  it('measures what stands before each request and adds up the prompt', () => {
    const messages = [asked(0, 1000), answered(1, 'a', 20_000, 300), asked(2, 50), answered(3, 'b', 21_500)]
    const points = promptPoints(transcript(messages))
    expect(points.map((point) => point.prompt)).toEqual([20_000, 21_500])
    expect(points.map((point) => point.size.requests)).toEqual([0, 1])
    expect(points.map((point) => point.size.thinking)).toEqual([0, 300])
    expect(points[0]?.size.chars).toBe(4000)
    expect(viewSize(transcript(messages)).requests).toBe(2)
  })

  it('counts a request once though several messages carry its id and usage', () => {
    const messages = [asked(0, 10), answered(1, 'a', 20_000), asked(2, 10), answered(3, 'a', 20_000)]
    expect(promptPoints(transcript(messages))).toHaveLength(1)
  })

  it('leaves out API errors and requests without usage', () => {
    const failed: Message = { ...answered(1, 'e', 20_000), kind: 'api-error' }
    const { usage: _, ...silent } = answered(2, 's', 20_000)
    expect(promptPoints(transcript([asked(0, 10), failed, silent]))).toEqual([])
  })
})

describe('calibrate', () => {
  it('is undefined without recorded usage', () => {
    expect(calibrate(transcript([asked(0, 100)]))).toBeUndefined()
  })

  it('has no error to tell below four requests', () => {
    const calibration = calibrate(transcript([asked(0, 1000), answered(1, 'a', 21_000)]))
    expect(calibration).toMatchObject({ p50Error: null, p90Error: null })
    expect(calibration?.floor).toBeGreaterThan(19_000)
  })

  it('reports floor, characters a token and held-out errors', () => {
    const messages: Message[] = []
    let prompt = 20_000
    for (let index = 0; index < 20; index++) {
      const tokens = 500 + ((index * 7919) % 3000)
      prompt += tokens + 100 + 40
      messages.push(asked(2 * index, tokens), answered(2 * index + 1, `id${index}`, prompt))
    }
    const calibration = calibrate(transcript(messages))
    expect(calibration?.floor).toBeGreaterThan(19_000)
    expect(calibration?.floor).toBeLessThan(21_000)
    expect(calibration?.charsPerToken).toBeGreaterThan(3.5)
    expect(calibration?.charsPerToken).toBeLessThan(4.2)
    expect(calibration?.p50Error).toBeLessThan(0.01)
    expect(calibration?.p90Error).toBeLessThan(0.01)
  })

  it('never reports a floor below zero', () => {
    const messages = [asked(0, 50_000), answered(1, 'a', 1_000)]
    expect(calibrate(transcript(messages))?.floor).toBe(0)
  })
})

describe('quantile', () => {
  it('is the nearest rank', () => {
    expect(quantile([5, 1, 3, 2, 4], 0.5)).toBe(3)
    expect(quantile([5, 1, 3, 2, 4], 0.9)).toBe(5)
    expect(quantile([], 0.5)).toBeNull()
  })
})
