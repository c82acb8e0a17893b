/** Sizes, ages and dates as people write them on a command line. */
import { InvalidArgumentError } from 'commander'

const BYTE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
}
const HOUR = 3_600_000
const AGE_UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR }

/** `500MB`, `2 GiB`, `1048576` in bytes. */
export function parseBytes(words: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(words.trim())
  const unit = BYTE_UNITS[(match?.[2] ?? '').toLowerCase()]
  if (!match || unit === undefined) throw new InvalidArgumentError('Expected a size such as 500MB or 2GiB.')
  return Math.floor(Number(match[1]) * unit)
}

/** `12h`, `30d`, `6w` in milliseconds. */
export function parseAge(words: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([hdw])$/i.exec(words.trim())
  const unit = AGE_UNITS[(match?.[2] ?? '').toLowerCase()]
  if (!match || unit === undefined) throw new InvalidArgumentError('Expected an age such as 12h, 30d or 6w.')
  return Number(match[1]) * unit
}

/** `2026-11-30` (midnight, local time) or a whole ISO time, in milliseconds since the epoch. */
export function parseDate(words: string): number {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(words.trim()) ? new Date(`${words.trim()}T00:00`) : new Date(words)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('Expected a date such as 2026-11-30.')
  return date.getTime()
}

export function parseCount(words: string): number {
  const value = Number(words)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Expected a whole number from 1.')
  return value
}

/** Dollars above zero: `0.5`, `$20`. */
export function parseMoney(words: string): number {
  const value = Number(words.trim().replace(/^\$/, ''))
  if (!(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('Expected an amount in dollars such as 2.50.')
  return value
}

export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`
  for (const [unit, size] of [
    ['kB', 1e3],
    ['MB', 1e6],
  ] as const) {
    if (bytes < size * 1e3) return `${(bytes / size).toFixed(1)} ${unit}`
  }
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** `850 ms`, `12 s`, `3 min`, `2.5 h`, `1.2 d`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  const hours = seconds / 3600
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`
}

/** Milliseconds from 1970 to the last moment that a date can name. */
const LATEST_DATE = 8.64e15

/** ISO 8601; file systems can hold times that no date can, these become the nearest one. */
export function formatDate(milliseconds: number): string {
  return new Date(Math.max(-LATEST_DATE, Math.min(LATEST_DATE, milliseconds))).toISOString()
}
