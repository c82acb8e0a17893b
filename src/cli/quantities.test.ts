import { describe, expect, it } from 'vitest'
import { formatBytes, formatDate, formatDuration, parseAge, parseBytes, parseCount, parseDate } from './quantities.ts'

describe('quantities', () => {
  it('reads sizes in powers of ten and of two', () => {
    expect(['0', '1048576', '500MB', '1.5 gb', '2GiB', '3k'].map(parseBytes)).toEqual([
      0,
      1048576,
      5e8,
      1.5e9,
      2 ** 31,
      3000,
    ])
    for (const words of ['', 'MB', '-1', '1TB', '1e9', '5 monkeys']) expect(() => parseBytes(words)).toThrow(/such as/)
  })

  it('reads ages', () => {
    expect(['12h', '30d', '6w', '0d'].map(parseAge)).toEqual([43_200_000, 2_592_000_000, 3_628_800_000, 0])
    for (const words of ['', '30', 'd', '5m', '-1d']) expect(() => parseAge(words)).toThrow(/such as/)
  })

  it('reads dates as local midnight and times as they are', () => {
    expect(parseDate('2026-11-30')).toBe(new Date(2026, 10, 30).getTime())
    expect(parseDate('2026-11-30T12:00:00Z')).toBe(Date.UTC(2026, 10, 30, 12))
    for (const words of ['', 'yesterday', '2026-13-01']) expect(() => parseDate(words)).toThrow(/such as/)
  })

  it('reads counts', () => {
    expect(parseCount('3')).toBe(3)
    for (const words of ['0', '1.5', 'x', '']) expect(() => parseCount(words)).toThrow(/whole number/)
  })

  it('writes durations for people', () => {
    const times = [0, 850, 12_300, 89_400, 90_000, 3_600_000, 9_000_000, 200_000_000]
    expect(times.map(formatDuration)).toEqual(['0 ms', '850 ms', '12 s', '89 s', '2 min', '60 min', '2.5 h', '2.3 d'])
  })

  it('writes sizes for people', () => {
    expect([0, 999, 1500, 2_500_000, 3e9].map(formatBytes)).toEqual(['0 B', '999 B', '1.5 kB', '2.5 MB', '3.0 GB'])
  })
})

describe('formatDate', () => {
  it('names any time that a file can have', () => {
    expect(formatDate(0)).toBe('1970-01-01T00:00:00.000Z')
    expect(formatDate(9e18)).toBe('+275760-09-13T00:00:00.000Z')
    expect(formatDate(-9e18)).toBe('-271821-04-20T00:00:00.000Z')
  })
})
