import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../core/tokens.ts'
import { headOf, isNote, noteText, readNote } from './note.ts'

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])/
const facts = { ref: 'abcdefghijkl', turns: 42, calls: 87, byTool: { Bash: 40, Read: 30, Edit: 17 } }

describe('the note', () => {
  it('states counts and tools, how it comes back, and what is put back', () => {
    const { text, headings, cuts } = noteText(facts, [{ heading: 'Plan', body: '1. look\n2. mend' }], 1000)
    expect(text).toBe(
      '[spillway context note abcdefghijkl: 42 earlier turns, 87 calls (Bash 40, Read 30, Edit 17) left the context.]\n' +
        'Nothing is lost: every turn is archived. Back: spillway recall abcdefghijkl\n' +
        '=== Plan ===\n1. look\n2. mend\n[end of the context note]',
    )
    expect({ headings, cuts }).toEqual({ headings: ['Plan'], cuts: [] })
  })

  it('reads back what it says', () => {
    const sections = [
      { heading: 'Plan', body: '1. look\n\n2. mend' },
      { heading: 'Todo list', body: '- [pending] x' },
    ]
    const read = readNote(noteText(facts, sections, 1000).text)
    expect(read?.facts).toEqual(facts)
    expect([...(read?.sections ?? [])]).toEqual(sections.map(({ heading, body }) => [heading, body]))
  })

  it('sums up the tools beyond the twelfth', () => {
    const byTool = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`tool${index}`, 20 - index]))
    const { text } = noteText({ ...facts, byTool }, [], 1000)
    expect(text).toContain('tool11 9, others 36)')
    expect(Object.keys(readNote(text)?.facts.byTool ?? {})).toHaveLength(13)
  })

  it('every cap says what it cut, and a large file takes nothing from a short plan', () => {
    const plan = '1. look 2. mend'
    const { text, cuts } = noteText(
      facts,
      [
        { heading: 'Plan', body: plan },
        { heading: 'File', body: 'line of the file\n'.repeat(500) },
        { heading: 'Task', body: 'word '.repeat(2000), otherwise: 'It stands above.' },
      ],
      300,
    )
    expect(text).toContain(plan)
    expect(text).toMatch(/\[cut here: [\d,]+ characters of 8,500 characters left out\]/)
    expect(text).toContain('It stands above.')
    expect(cuts).toHaveLength(2)
    expect(estimateTokens(text)).toBeLessThanOrEqual(300 + 30)
  })

  it('only whole notes are notes', () => {
    const { text } = noteText(facts, [], 100)
    expect(isNote(text)).toBe(true)
    for (const other of [
      `${text} and more`,
      ` ${text}`,
      'quoted: [spillway context note abcdefghijkl',
      text.slice(0, -1),
    ]) {
      expect(isNote(other)).toBe(false)
      expect(readNote(other)).toBeUndefined()
    }
  })

  it('headOf never exceeds its tokens and never halves a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 1, max: 60 }), (text, tokens) => {
        const head = headOf(text, tokens)
        expect(estimateTokens(head)).toBeLessThanOrEqual(tokens)
        expect(text.startsWith(head)).toBe(true)
        expect(head).not.toMatch(HALF)
      }),
    )
    expect(headOf('😀'.repeat(100), 9)).not.toMatch(HALF)
    expect(headOf('字'.repeat(4000), 100).length).toBeLessThanOrEqual(100)
  })
})
