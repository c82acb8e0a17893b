import { describe, expect, it } from 'vitest'
import { lintBrief, rulesIn } from './brief.ts'

const RULES =
  'Use a worktree for every change. Commit early and push to the branch of the request.\nNever touch the main branch.'

describe('the brief linter', () => {
  it('finds the sentences that repeat a rule, also where a word or two differ', () => {
    const brief = 'Fix the parser of dates in src/dates.ts. Commit early and push to the branch of the request, please.'
    const lint = lintBrief(brief, [RULES])
    expect(lint.repeated).toEqual(['Commit early and push to the branch of the request, please.'])
    expect(lint.share).toBeCloseTo(lint.repeatedChars / lint.chars)
    expect(lint.chars).toBe(brief.length - 1)
  })

  it('what is specific is no repetition, nor is what is too short to tell', () => {
    expect(lintBrief('Fix the parser of dates in src/dates.ts. Run the tests.', [RULES, 'Run the tests.']).share).toBe(
      0,
    )
    expect(lintBrief('', [RULES])).toEqual({ chars: 0, repeatedChars: 0, share: 0, repeated: [] })
    expect(lintBrief('Use a worktree for every change.', []).share).toBe(0)
  })

  it('rules are what several briefs say alike', () => {
    const briefs = [
      'Do a. Use a worktree for every change.',
      'Use a worktree for every change. Do b.',
      'Do c at once and well.',
    ]
    expect(rulesIn(briefs)).toEqual(['Use a worktree for every change.'])
    expect(briefs.map((brief) => lintBrief(brief, rulesIn(briefs)).repeated.length)).toEqual([1, 1, 0])
  })

  it('a long brief is read in time in proportion to its length', () => {
    const begun = performance.now()
    lintBrief('word and more words '.repeat(50_000), ['other words here '.repeat(50_000)])
    expect(performance.now() - begun).toBeLessThan(3000)
  })
})
