import { describe, expect, it } from 'vitest'
import { judge } from './scoring.ts'

const score = (text: string, literal: string) => judge(text, [{ literal, weight: 1 }]).score

describe('judge', () => {
  it('prefers a word between blanks over one beside punctuation', () => {
    expect(score('scripts.', 'scripts.')).toBeGreaterThan(score('scripts.py scripts.ts '.repeat(20), 'scripts.'))
    expect(judge('run parser', [{ literal: 'parser', weight: 1 }]).apart).toBe(true)
    expect(judge('(parser)', [{ literal: 'parser', weight: 1 }])).toMatchObject({ apart: false, whole: true })
  })

  it('prefers a run of its own over the inside of another', () => {
    expect(score('get_user2', 'user')).toBeGreaterThan(score('superuser superusers', 'user'))
    expect(score('v2026b', '2026')).toBeGreaterThan(score('120261 120261', '2026'))
  })

  it('prefers a whole word over a part over another case over nothing', () => {
    const whole = score('the parser failed', 'parser')
    const part = score('my_parser2 failed, parsers too, subparser', 'parser')
    const otherCase = score('PARSER Parser PARSER Parser', 'parser')
    expect(whole).toBeGreaterThan(part)
    expect(part).toBeGreaterThan(otherCase)
    expect(otherCase).toBeGreaterThan(score('nothing here', 'parser'))
    expect(score('nothing here', 'parser')).toBe(0)
  })

  it('sees a whole word after many parts', () => {
    expect(judge(`${'xparser '.repeat(100)} parser`, [{ literal: 'parser', weight: 1 }]).whole).toBe(true)
  })

  it('prefers words that stand together as they were asked for, and points there', () => {
    const words = ['git', 'status'].map((literal) => ({ literal, weight: 1 }))
    const together = judge('a git repository: git status', words)
    expect(together.score).toBeGreaterThan(judge('git git git has a status status status', words).score)
    expect(together.at).toBe('a git repository: '.length)
    expect(judge('git has a status', words)).toMatchObject({ apart: false, whole: true })
  })

  it('counts repetition, inside its step', () => {
    expect(score('word word word', 'word')).toBeGreaterThan(score('word', 'word'))
    expect(score('word', 'word')).toBeGreaterThan(score('xword '.repeat(50), 'word'))
  })

  it('takes punctuation at the edge of a sought word as its edge', () => {
    expect(judge('a->b', [{ literal: '->', weight: 1 }]).whole).toBe(true)
    expect(judge('see src/a.ts:12', [{ literal: 'src/a.ts', weight: 1 }]).whole).toBe(true)
  })

  it('points at the rarest word', () => {
    const text = 'the end of a needle'
    const words = [
      { literal: 'the', weight: 0.1 },
      { literal: 'needle', weight: 3 },
    ]
    expect(judge(text, words).at).toBe(text.indexOf('needle'))
  })

  it('weighs rare words more, and every word a little', () => {
    const words = [
      { literal: 'common', weight: 0.1 },
      { literal: 'rare', weight: 5 },
    ]
    expect(judge('rare', words).score).toBeGreaterThan(judge('common', words).score)
    expect(judge('common', words).score).toBeGreaterThan(0)
    expect(judge('common', [{ literal: 'common', weight: 0 }]).score).toBeGreaterThan(0)
  })
})
