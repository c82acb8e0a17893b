import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PrefixMatcher, type UndoRecord, type UndoSplice, undone } from './undo.ts'

function record(id: number, output: Buffer): UndoRecord {
  const digest = { bytes: output.length, sha256: createHash('sha256').update(output).digest() }
  return { id, session: 's', source: '/s', time: id, before: digest, after: digest, splices: 1, stored: 1 }
}

function match(records: readonly UndoRecord[], file: Buffer, chunkBytes: number): number | undefined {
  const matcher = new PrefixMatcher(records)
  for (let at = 0; at < file.length; at += chunkBytes) matcher.push(file.subarray(at, at + chunkBytes))
  return matcher.finish()?.id
}

describe('PrefixMatcher', () => {
  const file = Buffer.from('first line\nsecond line\nthird line\n')

  it('finds the output that a file begins with, whatever the chunks', () => {
    const records = [
      record(3, Buffer.from('other')),
      record(2, file.subarray(0, 11)),
      record(1, Buffer.from('first line!')),
    ]
    for (let chunk = 1; chunk <= file.length; chunk++) expect(match(records, file, chunk)).toBe(2)
  })

  it('takes the longest output, and the newest among equals', () => {
    expect(match([record(2, file.subarray(0, 11)), record(1, file.subarray(0, 23))], file, 7)).toBe(1)
    expect(match([record(9, file.subarray(0, 11)), record(4, file.subarray(0, 11))], file, 7)).toBe(9)
  })

  it('takes the whole file but nothing longer', () => {
    expect(match([record(1, file)], file, 8)).toBe(1)
    expect(match([record(1, Buffer.concat([file, Buffer.from('x')]))], file, 8)).toBeUndefined()
    expect(match([], file, 8)).toBeUndefined()
  })
})

/** An output made of kept and replaced stretches, its input, and the splices between them. */
const rewriting = fc
  .array(
    fc.record({
      kept: fc.uint8Array({ maxLength: 6 }),
      before: fc.uint8Array({ maxLength: 6 }),
      after: fc.uint8Array({ maxLength: 6 }),
    }),
    { maxLength: 8 },
  )
  .map((stretches) => {
    const input: Uint8Array[] = []
    const output: Uint8Array[] = []
    const splices: UndoSplice[] = []
    let at = 0
    for (const { kept, before, after } of stretches) {
      input.push(kept, before)
      output.push(kept, after)
      splices.push({ start: at + kept.length, end: at + kept.length + after.length, original: before })
      at += kept.length + after.length
    }
    return { input: Buffer.concat(input), output: Buffer.concat(output), splices }
  })

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('undone', () => {
  it('gives the input back byte for byte and keeps what was appended, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(rewriting, fc.uint8Array(), fc.integer({ min: 1, max: 20 }), async (made, later, size) => {
        const pieces: Uint8Array[] = []
        const file = Buffer.concat([made.output, later])
        for await (const piece of undone(chunksOf(file, size), made.splices)) pieces.push(piece)
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat([made.input, later]))
      }),
      { numRuns: 2_000 },
    )
  })
})
