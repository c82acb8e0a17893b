import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piFiles, readPi, restored, someEdits, words, writePi } from '../../../test/support/pi.ts'
import { hasData, noticeMissing, sessionFiles } from '../../../test/support/shared.ts'
import { apply } from '../../core/apply.ts'
import { pi } from './index.ts'

const RUNS = Number(process.env.PI_RUNS ?? 600)
const numbers = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 40 })

function agree(bytes: Buffer, choices: readonly number[]): void {
  const session = readPi(bytes)
  const edits = someEdits(session.main, choices)
  const { output, splices } = writePi(bytes, edits)
  expect(restored(output, splices).equals(bytes)).toBe(true)
  const after = readPi(output)
  expect(words(after.main)).toEqual(words(apply(session.main, edits)))
  const faults = (of: typeof session): string[] => pi.check(of, 'rest').map(({ rule }) => rule)
  const before = new Set(faults(session))
  expect(faults(after).filter((rule) => !before.has(rule))).toEqual([])
  expect(after.facts.badLines.length).toBeLessThanOrEqual(session.facts.badLines.length)
}

describe('piWriter on generated sessions', () => {
  it('changes no byte without edits', () => {
    fc.assert(
      fc.property(piFiles, (file) => {
        const bytes = Buffer.from(file)
        const { output, splices } = writePi(bytes, [])
        expect(output.equals(bytes)).toBe(true)
        expect(splices).toEqual([])
        expect(pi.check(readPi(bytes), 'rest')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('does what apply does, and its splices give the input back', () => {
    fc.assert(
      fc.property(piFiles, numbers, (file, choices) => agree(Buffer.from(file), choices)),
      { numRuns: RUNS },
    )
  })
})

describe.skipIf(!hasData)('piWriter on recorded sessions', () => {
  if (!hasData) noticeMissing('../shared/data')
  const files = ['pi', 'openclaw', 'openclaw-probe'].flatMap(sessionFiles)
  it.each(files.map((file) => [file.split('/').slice(-2).join('/'), file]))('%s', (_, file) => {
    const recorded = readFileSync(file)
    const bytes = file.endsWith('.gz') ? gunzipSync(recorded) : recorded
    const { output, splices } = writePi(bytes, [])
    expect(output.equals(bytes)).toBe(true)
    expect(splices).toEqual([])
    expect(pi.check(readPi(bytes), 'rest')).toEqual([])
    for (let seed = 1; seed <= 3; seed++) agree(bytes, [seed, seed * 31, seed * 77, 5])
  })
})
