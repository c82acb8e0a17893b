import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Splice } from './format.ts'
import { lineSplitter } from './lines.ts'
import { composeSplices, sessionRenamer } from './session-id.ts'

function renamed(text: string, to: string, format = 'claude-code'): { output: string; splices: readonly Splice[] } {
  const renamer = sessionRenamer(format, to)
  const splitter = lineSplitter()
  const lines = [...splitter.push(Buffer.from(text)), ...splitter.finish()]
  return { output: Buffer.concat(lines.map(renamer.push)).toString(), splices: renamer.splices }
}

function undo(output: Buffer, splices: readonly Splice[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const { start, end, original } of splices) {
    expect(start).toBeGreaterThanOrEqual(at)
    pieces.push(output.subarray(at, start), original)
    at = end
  }
  return Buffer.concat([...pieces, output.subarray(at)])
}

describe('sessionRenamer', () => {
  it('rewrites the id of the line and nothing else', () => {
    const text = '{"n":1.0,"sessionId":"old","message":{"sessionId":"old","content":"\\"sessionId\\":\\"old\\""}}\r\n'
    expect(renamed(text, 'new-one').output).toBe(text.replace('"sessionId":"old"', '"sessionId":"new-one"'))
  })

  it('finds the id behind a nested one and behind wide characters', () => {
    const text = '{"data":{"sessionId":"old"},"title":"é漢😀","sessionId":"old"}\n'
    expect(renamed(text, 'new').output).toBe('{"data":{"sessionId":"old"},"title":"é漢😀","sessionId":"new"}\n')
  })

  it('rewrites the header of a pi session only', () => {
    const text = '{"type":"session","id":"old"}\n{"type":"message","id":"old"}\n'
    expect(renamed(text, 'new', 'pi').output).toBe('{"type":"session","id":"new"}\n{"type":"message","id":"old"}\n')
  })

  it('gives joined objects one id and leaves what is no JSON as it is', () => {
    const text = '{"sessionId":"old"}{"sessionId":"other"}\nnot json "sessionId":"old"\n{"sessionId":"old"'
    const expected = '{"sessionId":"new"}{"sessionId":"new"}\nnot json "sessionId":"old"\n{"sessionId":"old"'
    expect(renamed(text, 'new').output).toBe(expected)
  })

  it('gives splices that bring the input back', () => {
    const text = '{"sessionId":"old","a":"ü"}\n{"b":1}\n{"sessionId":"old"}'
    const { output, splices } = renamed(text, 'a-longer-id')
    expect(output).not.toBe(text)
    expect(undo(Buffer.from(output), splices).toString()).toBe(text)
  })
})

describe('composeSplices', () => {
  /** Cuts of a text into kept and replaced stretches. */
  const rewriting = fc.array(
    fc.record({ kept: fc.nat(12), dropped: fc.nat(6), put: fc.string({ maxLength: 8, unit: 'grapheme-ascii' }) }),
    { maxLength: 8 },
  )

  function rewrite(input: Buffer, steps: readonly { kept: number; dropped: number; put: string }[]) {
    const output: Buffer[] = []
    const splices: Splice[] = []
    let at = 0
    let written = 0
    for (const { kept, dropped, put } of steps) {
      output.push(input.subarray(at, at + kept))
      written += Math.min(kept, Math.max(0, input.length - at))
      at += kept
      const original = input.subarray(at, at + dropped)
      output.push(Buffer.from(put))
      splices.push({ start: written, end: written + put.length, original })
      written += put.length
      at += dropped
    }
    output.push(input.subarray(at))
    return { output: Buffer.concat(output), splices }
  }

  it('undoes an edit and the renaming after it in one step', () => {
    const words = fc.array(fc.constantFrom('ab', '#ID#', 'x', ' '), { maxLength: 30 })
    fc.assert(
      fc.property(words, rewriting, (parts, steps) => {
        const input = Buffer.from(parts.join(''))
        const first = rewrite(input, steps)
        const second = renameIn(first.output, first.splices)
        const composed = composeSplices(first.splices, second.splices)
        expect(undo(second.output, composed).toString()).toBe(input.toString())
      }),
      { numRuns: 2000 },
    )
  })

  it('undoes any two rewritings in a row in one step, however they overlap', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'grapheme-ascii' }), rewriting, rewriting, (text, one, two) => {
        const input = Buffer.from(text)
        const first = rewrite(input, one)
        const second = rewrite(first.output, two)
        const composed = composeSplices(first.splices, second.splices)
        expect(undo(second.output, composed).toString()).toBe(text)
      }),
      { numRuns: 5000 },
    )
  })

  /** Replaces every `#ID#` that no edit cuts in two, as a fork does with ids. */
  function renameIn(middle: Buffer, edits: readonly Splice[]) {
    const splices: Splice[] = []
    const pieces: Buffer[] = []
    let at = 0
    let written = 0
    for (let found = middle.indexOf('#ID#'); found >= 0; found = middle.indexOf('#ID#', found + 4)) {
      const crossed = edits.some(({ start, end }) => {
        const touches = start < found + 4 && end > found
        const contains = start <= found && end >= found + 4
        const splits = start === end && start > found && start < found + 4
        return (touches && !contains) || splits
      })
      if (crossed) continue
      pieces.push(middle.subarray(at, found), Buffer.from('#LONGER-ID#'))
      written += found - at
      splices.push({ start: written, end: written + 11, original: middle.subarray(found, found + 4) })
      written += 11
      at = found + 4
    }
    return { output: Buffer.concat([...pieces, middle.subarray(at)]), splices }
  }
})
