import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  byteOffsets,
  elementsAt,
  type JsonPath,
  longStringsAt,
  membersAt,
  removeChildren,
  skipValue,
  spanOf,
  spliceText,
} from './json-spans.ts'

type Value = null | boolean | number | string | Value[] | { [key: string]: Value }

/** Renders a value the way other writers might: whitespace, escapes, number spellings, duplicate keys. */
function render(value: Value, choose: () => number): string {
  const space = () => ['', '', ' ', '\t', ' \r '][choose() % 5] ?? ''
  const string = (text: string): string => {
    let result = ''
    for (let index = 0; index < text.length; index++) {
      const unit = text[index] ?? ''
      if (choose() % 4 === 0) result += `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      else if (unit === '/' && choose() % 2 === 0) result += '\\/'
      else result += JSON.stringify(unit).slice(1, -1)
    }
    return `"${result}"`
  }
  if (typeof value === 'string') return string(value)
  if (typeof value === 'number' && Number.isSafeInteger(value) && choose() % 3 === 0)
    return `${JSON.stringify(value)}.0`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) {
    return `[${space()}${value.map((each) => render(each, choose) + space()).join(`,${space()}`)}]`
  }
  const members = Object.entries(value).map(
    ([key, each]) => `${string(key)}${space()}:${space()}${render(each, choose)}${space()}`,
  )
  const first = Object.keys(value)[0]
  if (first !== undefined && choose() % 3 === 0) members.unshift(`${string(first)}:[9007199254740993]`)
  return `{${space()}${members.join(`,${space()}`)}}`
}

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '/', '\u00e9', '\ud83d\ude00', '\ud800', '1', '\n') })
const json = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Value>(null, true, 0, 1, -5, 1e21, 2 ** 53, 1.5),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('0', '10', '__proto__')), tie('value'), { maxKeys: 4 }),
  ),
})).value
const rendered = fc.tuple(json, fc.infiniteStream(fc.nat(100))).map(([value, stream]) => {
  const choose = (): number => stream.next().value ?? 0
  return ` ${render(value, choose)} `
})

/** Every path in a value. */
function paths(value: unknown, at: JsonPath = []): JsonPath[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((each, index) => paths(each, [...at, index]))]
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, each]) => paths(each, [...at, key]))]
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((each, step) => (each as Record<string, unknown>)[step], value)
}

describe('spanOf', () => {
  it('finds the value that JSON.parse finds, at every path', () => {
    fc.assert(
      fc.property(rendered, (source) => {
        const value: unknown = JSON.parse(source)
        for (const path of paths(value)) {
          const span = spanOf(source, path)
          expect(JSON.parse(source.slice(span?.start, span?.end))).toEqual(valueAt(value, path))
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('changes the value at a path and nothing else', () => {
    fc.assert(
      fc.property(rendered, text, fc.nat(), (source, replacement, pick) => {
        const all = paths(JSON.parse(source))
        const path = all[pick % all.length] ?? []
        const span = spanOf(source, path) ?? { start: 0, end: 0 }
        const edited = spliceText(source, [{ ...span, text: JSON.stringify(replacement) }])
        expect(edited.startsWith(source.slice(0, span.start))).toBe(true)
        expect(edited.endsWith(source.slice(span.end))).toBe(true)
        expect(valueAt(JSON.parse(edited), path)).toBe(replacement)
        const others = all.filter((other) => !path.every((step, index) => other[index] === step))
        for (const other of others.filter((each) => !each.every((step, index) => path[index] === step))) {
          const span = spanOf(edited, other)
          const original = spanOf(source, other)
          expect(edited.slice(span?.start, span?.end)).toBe(source.slice(original?.start, original?.end))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('knows escaped keys, integer-like keys and the last of duplicates', () => {
    const source = '{"\\u0061":1.0,"10":9007199254740993,"a":"\\/","2":{"x":1,"x":2}}'
    const raw = (path: JsonPath) => {
      const span = spanOf(source, path)
      return span && source.slice(span.start, span.end)
    }
    expect(raw(['a'])).toBe('"\\/"')
    expect(raw(['10'])).toBe('9007199254740993')
    expect(raw(['2', 'x'])).toBe('2')
    expect(raw(['b'])).toBeUndefined()
    expect(raw(['a', 'b'])).toBeUndefined()
  })

  it('does not run out of stack', () => {
    const levels = 100_000
    const source = `{"a":${'['.repeat(levels)}${']'.repeat(levels)},"b":2}`
    expect(spanOf(source, ['b'])).toEqual({ start: source.length - 2, end: source.length - 1 })
  })
})

describe('removeChildren', () => {
  it('takes out any choice of elements', () => {
    fc.assert(
      fc.property(rendered, fc.infiniteStream(fc.boolean()), (body, stream) => {
        const source = `{"k":[${body},${body},${body}],"z":1.0}`
        const span = spanOf(source, ['k'])
        const elements = elementsAt(source, span?.start ?? 0)
        const leaves = elements.map(() => stream.next().value === true)
        const edited = spliceText(
          source,
          removeChildren(elements, (index) => leaves[index] === true),
        )
        const kept = leaves.filter((each) => !each).map(() => JSON.parse(body) as unknown)
        expect(JSON.parse(edited)).toEqual({ k: kept, z: 1 })
        expect(edited.endsWith(',"z":1.0}')).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('takes out a key with its duplicates', () => {
    const source = '{ "a":1 , "b":2,"\\u0061":3, "c":1.0}'
    const members = membersAt(source, 0)
    const edited = spliceText(
      source,
      removeChildren(members, (index) => members[index]?.key === 'a'),
    )
    expect(edited).toBe('{ "b":2, "c":1.0}')
  })
})

describe('spliceText and byteOffsets', () => {
  it('refuses overlapping splices', () => {
    const splices = [
      { start: 0, end: 3, text: '' },
      { start: 2, end: 4, text: '' },
    ]
    expect(() => spliceText('abcdef', splices)).toThrow(/overlap/)
  })

  it('counts bytes as UTF-8 does', () => {
    const source = '{"\u00e9":"\ud83d\ude00x","b":1}'
    const bytes = Buffer.from(source)
    const offsets = [0, 3, source.indexOf('x'), source.length]
    expect(byteOffsets(source, bytes.length, offsets)).toEqual(
      offsets.map((offset) => Buffer.byteLength(source.slice(0, offset))),
    )
  })

  it('tells a whole value from a cut one', () => {
    expect(skipValue('[1,"]"] ', 0)).toEqual({ end: 7, state: 'whole' })
    expect(skipValue('["a', 0).state).toBe('in-string')
    expect(skipValue('[1', 0).state).toBe('in-container')
    expect(skipValue('[[[', 0, 2).state).toBe('deep')
  })
})

describe('longStringsAt', () => {
  it('finds string values over a length, decoded, and never keys', () => {
    const source = '{"kkkkkkkk":["aaaa","aaaaa","\\u0061\\u0061",{"b" : "ccccc\\""}],"d":"eeeee"}'
    const found = longStringsAt(source, spanOf(source, ['kkkkkkkk'])?.start ?? 0, 4)
    expect(found.map(({ start, end }) => source.slice(start, end))).toEqual(['"aaaaa"', '"ccccc\\""'])
  })
})
