/** The labelled cases about windows and overflows: what is known of a model, and what an error says about it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { learnedRefusal, overflowOf, windowFor } from '../src/planning/budget/index.ts'
import { CASES, hasCases, noticeMissing } from './support/shared.ts'

interface WindowCases {
  readonly cases: readonly { readonly model: string; readonly flower: number; readonly real?: number }[]
  readonly calibration: readonly { readonly remember: number; readonly window_after: number }[]
}

interface OverflowCases {
  readonly cases: readonly { readonly text: string | null; readonly want: boolean }[]
}

function casesOf<Cases>(name: string, none: Cases): Cases {
  const file = join(CASES, 'behaviour', `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Cases) : none
}

const windows = casesOf<WindowCases>('window', { cases: [], calibration: [] })
const overflows = casesOf<OverflowCases>('overflow', { cases: [] })

describe.skipIf(!hasCases)('windows', () => {
  it.each(windows.cases.filter(({ real }) => real !== undefined))('$model has $real', ({ model, real }) => {
    expect(windowFor({ model })).toMatchObject({ tokens: real })
  })

  it.each(windows.cases.filter(({ real }) => real === undefined))(
    '"$model": nobody knows it, so a guess is announced',
    ({ model }) => {
      const { source, says, tokens } = windowFor({ model })
      if (/(?<![a-z0-9])1m(?![a-z0-9])/.test(model)) expect(tokens).toBe(1_000_000)
      else expect([source, says]).toEqual(['assumed', expect.stringContaining('is not known')])
    },
  )

  it('remembers the smallest refusal', () => {
    let learned = {}
    for (const { remember, window_after } of windows.calibration) {
      learned = learnedRefusal(learned, 'prompt is too long', remember > 0 ? remember : undefined)
      expect(windowFor({ learned }).tokens).toBe(window_after)
    }
  })
})

describe.skipIf(!hasCases)('overflows', () => {
  it.each(overflows.cases.map((each) => [String(each.text), each] as const))('%s', (_, { text, want }) => {
    expect(overflowOf(text) !== undefined).toBe(want)
  })
})

if (!hasCases) noticeMissing('../shared/cases')
