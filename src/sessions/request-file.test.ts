import { describe, expect, it } from 'vitest'
import { lineOfError } from './request-file.ts'

function lineIn(text: string): number | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return lineOfError(text, error)
  }
}

describe('the line at which JSON ends to be JSON', () => {
  it.each([
    ['', 1],
    ['{"a":\n\n x}', 3],
    ['[1,\n2,\n', 3],
    ['[1,\ntru,\n2]', 2],
    ['["a\nb"]', 1],
    ['[1]\n\n[2]', 3],
    ['[-1.5e3,\n-]', 2],
    [`[${'"word",\n'.repeat(5000)}oops]`, 5001],
    [`[${'"word",\n'.repeat(5000)}"open]`, 5001],
  ])('%j', (text, line) => {
    expect(lineIn(text)).toBe(line)
  })

  it('is found in a long text in its time', () => {
    const begun = performance.now()
    expect(lineIn(`[${'"word",\n'.repeat(500_000)}oops]`)).toBe(500_001)
    expect(performance.now() - begun).toBeLessThan(15_000)
  })
})
