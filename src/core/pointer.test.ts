import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countOf,
  elide,
  isSpillwayText,
  POINTER_TOKENS,
  POINTER_TOKENS_WITH_PATH,
  pointerReference,
  pointerTo,
  referencesIn,
  spillPointers,
} from './pointer.ts'
import { referenceOf } from './reference.ts'
import { estimateTokens } from './tokens.ts'

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }))

describe('pointers', () => {
  it('name reference, tool, target, size and the way back', () => {
    const facts = { ref: 'abcdefghijkl', tool: 'Read', target: 'src/a.ts', size: countOf(5120, 'characters') }
    expect(pointerTo(facts)).toBe(
      '[spillway abcdefghijkl: Read src/a.ts, 5,120 characters. Back: spillway recall abcdefghijkl]',
    )
    expect(pointerTo({ ...facts, path: '.spillway/spill/abcdefghijkl.txt' })).toMatch(
      /Back: \.spillway\/spill\/abcdefghijkl\.txt\]$/,
    )
  })

  it('are one line of their grammar, whatever tool and target are called, and keep their limit', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(), (tool, target, chars) => {
        const ref = referenceOf(target)
        const text = pointerTo({ ref, tool, target, size: countOf(chars, 'characters') })
        expect(pointerReference(text)).toBe(ref)
        expect(text).not.toContain('\n')
        expect(referencesIn(`${text} ${text}`)).toEqual([ref, ref])
        const bare = pointerTo({ ref, tool, size: countOf(chars, 'characters') })
        expect(estimateTokens(text)).toBeLessThanOrEqual(Math.max(POINTER_TOKENS, estimateTokens(bare)))
      }),
      { numRuns: 500 },
    )
  })

  it('with an ordinary tool name keep 40 tokens, 60 with a spill path', () => {
    fc.assert(
      fc.property(fc.constantFrom('Read', 'Bash', 'mcp__github__get_issue'), anyText, (tool, target) => {
        const facts = { ref: 'abcdefghijkl', tool, target, size: countOf(1234567, 'characters') }
        expect(estimateTokens(pointerTo(facts))).toBeLessThanOrEqual(POINTER_TOKENS)
        const path = '.spillway/spill/abcdefghijkl.txt'
        expect(estimateTokens(pointerTo({ ...facts, path }))).toBeLessThanOrEqual(POINTER_TOKENS_WITH_PATH)
      }),
    )
  })

  it('are known again at the start of a text only', () => {
    const pointer = pointerTo({ ref: 'abcdefghijkl', tool: 'Bash', size: '1 character' })
    expect(isSpillwayText(`${pointer}\npreview`)).toBe(true)
    expect(isSpillwayText(`see ${pointer}`)).toBe(false)
    expect(isSpillwayText('[spillway somebody wrote this]')).toBe(false)
    expect(isSpillwayText('[stale; run again: ls]')).toBe(true)
  })
})

describe('elide', () => {
  it('leaves what fits, cuts the middle of what does not, never half a character', () => {
    expect(elide('src/a.ts', 80)).toBe('src/a.ts')
    expect(elide('a  b\n c', 80)).toBe('a b c')
    expect(elide('0123456789', 5)).toBe('01…89')
    expect(elide('🙂'.repeat(10), 5)).toBe('🙂🙂…🙂🙂')
  })

  it('the quick way and the thorough one agree', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, most) => {
        const cut = elide(text, most)
        expect(Array.from(cut).length).toBeLessThanOrEqual(most)
        expect(elide(cut, most)).toBe(cut)
      }),
    )
  })
})

describe('spillPointers', () => {
  it('finds the pointers of a spilled result, also behind the line numbers of Read', () => {
    const pointer = pointerTo({
      ref: 'abcdefghijkl',
      tool: 'Read',
      size: '5 characters',
      path: '/w/.spillway/spill/abcdefghijkl.txt',
    })
    expect(spillPointers(`${pointer}\nFirst 400 characters:\nabc\n${pointer}`)).toEqual([pointer, pointer])
    expect(spillPointers(`1\t${pointer}\n2\tabc`)).toEqual([pointer])
    expect(isSpillwayText(`1\t${pointer}\n2\tabc`)).toBe(true)
    expect(isSpillwayText('1\tabc')).toBe(false)
    expect(spillPointers(`     1→${pointer}`)).toEqual([pointer])
    expect(spillPointers(`text ${pointer}`)).toEqual([])
    expect(spillPointers(`text\n${pointer}`)).toEqual([])
    const record = pointerTo({ ref: 'abcdefghijkl', tool: 'Agent', size: '5 characters' })
    expect(spillPointers(`${record}\ntask: done\n${pointer}`)).toEqual([])
  })
})
