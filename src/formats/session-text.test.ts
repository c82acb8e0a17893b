import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceLine, Splice } from './format.ts'
import { lineSplitter } from './lines.ts'
import { sessionText } from './session-text.ts'

function linesOf(bytes: Buffer): SourceLine[] {
  const splitter = lineSplitter()
  return [...splitter.push(bytes), ...splitter.finish()]
}

/** Carries splices out backwards on the output. */
function restored(output: Buffer, splices: readonly Splice[]): Buffer {
  return splices.reduceRight(
    (bytes, { start, end, original }) => Buffer.concat([bytes.subarray(0, start), original, bytes.subarray(end)]),
    output,
  )
}

describe('sessionText', () => {
  it('gives back the input from the output and the splices, whatever was done', () => {
    const source = fc
      .array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
      .map((lines) => lines.map(([text, end]) => text.replaceAll(/[\r\n]/g, '') + end).join(''))
    const action = fc.record({
      kind: fc.constantFrom('keep', 'keep', 'change', 'remove', 'add'),
      from: fc.nat(),
      length: fc.nat(3),
      text: fc.string({ unit: 'grapheme', maxLength: 4 }),
    })
    fc.assert(
      fc.property(source, fc.boolean(), fc.array(action, { minLength: 1 }), (text, ended, actions) => {
        const bytes = Buffer.from(ended ? text : text.replace(/\r?\n$/, ''))
        const lines = linesOf(bytes)
        const out = sessionText()
        const pieces = lines.flatMap((line, index) => {
          const step = actions[index % actions.length]
          const decoded = line.bytes.toString()
          if (step === undefined || step.kind === 'keep') return out.keep(line)
          if (step.kind === 'add') return [...out.keep(line), ...out.add(step.text)]
          if (step.kind === 'remove') {
            out.remove(line)
            return []
          }
          // Offsets at code points, as token boundaries are.
          const points = [0]
          for (const point of decoded) points.push((points.at(-1) ?? 0) + point.length)
          const from = step.from % points.length
          const start = points[from] ?? 0
          const end = points[Math.min(points.length - 1, from + step.length)] ?? start
          return out.change(line, decoded, [
            { start: end, end, text: step.text },
            { start, end, text: step.text },
          ])
        })
        const output = Buffer.concat(pieces)
        expect(restored(output, out.splices)).toEqual(bytes)
        let end = -1
        for (const splice of out.splices) {
          expect(splice.start).toBeGreaterThan(end)
          expect(splice.end).toBeGreaterThanOrEqual(splice.start)
          end = splice.end
        }
        expect(output.length).toBeGreaterThanOrEqual(end)
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps every untouched byte and has no splices without changes', () => {
    const bytes = Buffer.from('\ufeff{"a":1.0}\r\n{"b":2}')
    const out = sessionText()
    expect(Buffer.concat(linesOf(bytes).flatMap((line) => out.keep(line)))).toEqual(bytes)
    expect(out.splices).toEqual([])
  })

  it('ends an unended last line before it adds one, with the newline of the file', () => {
    const out = sessionText()
    const pieces = linesOf(Buffer.from('a\r\nb')).flatMap((line) => out.keep(line))
    expect(Buffer.concat([...pieces, ...out.add('c')]).toString()).toBe('a\r\nb\r\nc\r\n')
    expect(out.splices).toEqual([{ start: 4, end: 9, original: Buffer.alloc(0) }])
  })
})
