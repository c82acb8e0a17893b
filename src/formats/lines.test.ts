import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceLine } from './format.ts'
import { lineSplitter, MOST_LINE_BYTES, MOST_NESTING, parseLine } from './lines.ts'

function split(bytes: Buffer, sizes: readonly number[]): SourceLine[] {
  const splitter = lineSplitter()
  const lines: SourceLine[] = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1)
    lines.push(...splitter.push(bytes.subarray(at, at + size)))
    at += size
  }
  return [...lines, ...splitter.finish()]
}

function line(content: string | Buffer, number = 12): SourceLine {
  return { number, offset: 0, bytes: Buffer.from(content as string), end: '\n' }
}

describe('lineSplitter', () => {
  it('loses no byte whatever the chunks, and numbers and places every line', () => {
    const piece = fc.constantFrom('\n', '\r', '\r\n', 'a', '{"b":1}', '\u00e9', '\u2028', '')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 5 })), (pieces, sizes) => {
        const bytes = Buffer.from(pieces.join(''))
        const lines = split(bytes, sizes)
        expect(Buffer.concat(lines.flatMap((each) => [each.bytes, Buffer.from(each.end)]))).toEqual(bytes)
        lines.forEach((each, index) => {
          expect(each.number).toBe(index + 1)
          expect(bytes.subarray(each.offset, each.offset + each.bytes.length)).toEqual(each.bytes)
          expect(each.bytes.includes('\n')).toBe(false)
          if (index < lines.length - 1) expect(each.end).not.toBe('')
        })
        expect(lines).toEqual(split(bytes, []))
      }),
      { numRuns: 500 },
    )
  })

  it('takes a CR into the end only directly before the LF, also across chunks', () => {
    expect(split(Buffer.from('a\rb\r\nc\r'), [4, 1]).map((each) => [each.bytes.toString(), each.end])).toEqual([
      ['a\rb', '\r\n'],
      ['c\r', ''],
    ])
  })

  it('needs time in proportion for one long line in small chunks', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const run = (chunks: number): number => {
      const splitter = lineSplitter()
      const began = performance.now()
      for (let count = 0; count < chunks; count++) splitter.push(chunk)
      expect(splitter.finish()[0]?.bytes.length).toBe(chunks * chunk.length)
      return performance.now() - began
    }
    run(100)
    // A splitter that joins at every chunk would need 6,400 times a growing copy: minutes.
    expect(run(1600)).toBeLessThan(5000)
  })
})

describe('parseLine', () => {
  it('reads one object and its place', () => {
    const { text, entries, problem } = parseLine(line(' {"a":"\u00e9"} '))
    expect(entries.map((entry) => entry.value)).toEqual([{ a: '\u00e9' }])
    expect(text.slice(entries[0]?.start, entries[0]?.end)).toBe(text)
    expect(problem).toBeUndefined()
  })

  it('finds every object that was joined on a line, and says so', () => {
    const { text, entries, problem } = parseLine(line('{"a":"}{"} {"b":[{}]}{"c":"\\""}'))
    expect(entries.map((entry) => entry.value)).toEqual([{ a: '}{' }, { b: [{}] }, { c: '"' }])
    expect(entries.map((entry) => text.slice(entry.start, entry.end))).toEqual([
      '{"a":"}{"}',
      '{"b":[{}]}',
      '{"c":"\\""}',
    ])
    expect(problem).toBe('3 JSON objects joined on one line (expected one JSON object)')
  })

  it('passes over empty lines silently', () => {
    for (const empty of ['', '  ', '\t \r']) expect(parseLine(line(empty))).toMatchObject({ entries: [] })
    for (const empty of ['', '  ', '\t \r']) expect(parseLine(line(empty)).problem).toBeUndefined()
  })

  it('leaves a BOM on the first line out of the object, and only there', () => {
    const first = parseLine(line('\ufeff{"a":1}', 1))
    expect(first.entries).toEqual([{ value: { a: 1 }, start: 1, end: 8 }])
    expect(first.problem).toBeUndefined()
    expect(parseLine(line('\ufeff{"a":1}', 2)).problem).toMatch(/no JSON at column 1/)
  })

  it.each([
    ['{"a":"b', 'cut in the middle of a string (expected one JSON object)'],
    ['{"a":"b\\"', 'cut in the middle of a string (expected one JSON object)'],
    ['{"a":[1', 'cut in the middle of an object or array (expected one JSON object)'],
    ['{"a":1}{"b"', 'after 1 whole JSON object(s): cut in the middle of an object or array (expected one JSON object)'],
    ['{"a":1,}', 'no JSON at column 8 (expected one JSON object)'],
    ['\0\0\0', 'NUL at column 1 (expected one JSON object)'],
    ['{"a":"\0"}', 'NUL at column 7 (expected one JSON object)'],
    ['{"a":\0\0', 'NUL at column 6 (expected one JSON object)'],
    ['[1]', 'an array (expected one JSON object)'],
    ['42', 'a number (expected one JSON object)'],
    ['null', 'null (expected one JSON object)'],
    ['}', 'no JSON at column 1 (expected one JSON object)'],
    ['hello', 'no JSON at column 1 (expected one JSON object)'],
  ])('reports %j', (content, problem) => {
    expect(parseLine(line(content)).problem).toBe(problem)
  })

  it('returns the whole objects before the damage', () => {
    expect(parseLine(line('{"a":1}{"b"')).entries.map((entry) => entry.value)).toEqual([{ a: 1 }])
  })

  it('reports invalid UTF-8, surrogates written as bytes too, and accepts escaped ones', () => {
    expect(parseLine(line(Buffer.from([0x7b, 0xff, 0x7d]))).problem).toMatch(/invalid UTF-8/)
    expect(parseLine(line(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).problem).toMatch(/invalid UTF-8/)
    expect(parseLine(line('{"a":"\\ud800"}')).entries[0]?.value).toEqual({ a: '\ud800' })
  })

  it('reports values too deep to walk, whole, cut or huge, without running out of stack', () => {
    const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(parseLine(line(deep(MOST_NESTING - 1))).problem).toBeUndefined()
    expect(parseLine(line(deep(MOST_NESTING))).problem).toMatch(/nested deeper/)
    expect(parseLine(line(deep(10_000))).problem).toMatch(/nested deeper/)
    expect(parseLine(line(`{"a":${'{"a":'.repeat(10_000)}`)).problem).toMatch(/nested deeper/)
    expect(parseLine(line('['.repeat(5_000_000))).problem).toMatch(/nested deeper/)
  })

  it('reports a line over the limit without reading it', () => {
    const bytes = Buffer.alloc(MOST_LINE_BYTES + 1, ' ')
    expect(parseLine({ number: 1, offset: 0, bytes, end: '\n' }).problem).toMatch(/more than/)
  })

  it('never throws', () => {
    const damage = fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', '\0', ' ', 'true', '\ufeff'))
    fc.assert(
      fc.property(damage, (pieces) => {
        const { entries, problem } = parseLine(line(pieces.join('')))
        if (pieces.join('').trim() !== '' && entries.length !== 1) expect(problem).toBeDefined()
      }),
      { numRuns: 2000 },
    )
  })
})
