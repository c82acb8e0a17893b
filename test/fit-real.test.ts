/**
 * `fit` over what real agents really said: recorded sessions as requests of two shapes, told step by step to a model
 * with a small window.
 */
import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../src/core/transcript.ts'
import { itemsOf } from '../src/formats/array-format.ts'
import { convert } from '../src/formats/conversion/index.ts'
import { type FitState, fit, memoryArchive } from '../src/index.ts'
import { shapeOf } from '../src/loops/request.ts'
import { isNoteBlock } from '../src/planning/budget/index.ts'
import { historyOf } from './support/recordings.ts'
import { DATA, hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const SOME = process.env.SPILLWAY_SEED === 'random' ? 1 : 8
const files = ['claude-code', 'pi'].flatMap(sessionFiles).filter((_, index) => index % SOME === 0)
if (!hasData) noticeMissing('../shared/data')

const SHAPES = { messages: 'claude-opus-5-5', chat: 'gpt-5' } as const
const STEPS = 25
/** Hooks and harnesses put no more than this into one message of these sessions. */
const WINDOW = 64_000

it.skipIf(!hasData)('finds the recorded sessions', () => {
  expect(files.length).toBeGreaterThan(1)
})

describe.skipIf(!hasData).each(files.map((file) => [relative(DATA, file), file] as const))('%s', (_, file) => {
  it.each(Object.entries(SHAPES))('as %s', async (name, model) => {
    const shape = name as keyof typeof SHAPES
    const items = itemsOf(convert(historyOf(file).main, shape).value, 'messages') ?? []
    const { format, holding } = shapeOf(items, { shape, model })
    const archive = memoryArchive()
    let state: FitState | undefined
    let kept: JsonValue[] = []
    for (let step = 1; step <= STEPS; step++) {
      const end = Math.ceil((items.length * step) / STEPS)
      const begin = Math.ceil((items.length * (step - 1)) / STEPS)
      kept.push(...items.slice(begin, end))
      const out = await fit(kept, { shape, model, window: WINDOW, archive, ...(state ? { state } : {}) })
      const { report } = out
      state = out.state
      const broken = format.check(holding(out.messages), 'request').filter(({ severity }) => severity === 'reject')
      expect(broken).toEqual([])
      const text = JSON.stringify(out.messages)
      for (const { role, blocks } of format.read(holding(kept)).transcript.messages) {
        if (role === 'assistant') continue
        for (const block of blocks) {
          if (block.type === 'text' && !isNoteBlock(block) && block.text.trim() !== '')
            expect(text.includes(JSON.stringify(block.text).slice(1, -1))).toBe(true)
        }
      }
      if (!report.shortfall) expect(report.tokens.after).toBeLessThanOrEqual(report.budget.budget)
      kept = [...out.messages]
    }
  })
})
