import { expect, it } from 'vitest'
import { table } from './terminal.ts'

const COLUMNS = [
  { title: 'name', flexible: true },
  { title: 'tokens', align: 'right' },
] as const

it('a table has its titles on top, and the flexible column gives way', () => {
  const lines = table(COLUMNS, [['a'.repeat(200), '1,000']]).split('\n')
  expect(lines[0]).toMatch(/^name +tokens$/)
  expect(lines[1]).toMatch(/^a+….*a +1,000$/)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
})

it('of a table of hundreds of thousands of rows the first and the last are shown', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [`n${index}`, '1'])
  const lines = table(COLUMNS, rows).split('\n')
  expect(lines).toHaveLength(4002)
  expect(lines[1]).toMatch(/^n0 /)
  expect(lines.at(-1)).toMatch(/^n199999 /)
  expect(lines[2001]).toBe('… 196,000 more rows; --json has all')
})
