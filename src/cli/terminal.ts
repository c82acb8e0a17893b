/** What a person sees: colours on a terminal only, tables that fit 100 columns, progress of long work. */
import cliProgress from 'cli-progress'
import Table from 'cli-table3'
import pc from 'picocolors'
import { elide } from '../core/pointer.ts'
import { printableText } from './printable.ts'

const MOST_COLUMNS = 100
/** Quicker work shows no bar. */
const SHOW_PROGRESS_FROM_BYTES = 4 * 1024 * 1024

const wantsColor = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
export const paint = pc.createColors(wantsColor)

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** The column that gives way when the table would be too wide; its cells are cut in the middle. */
  readonly flexible?: boolean
}

/** Rows that are shown; nobody reads more, and the library's time grows with their square. */
const MOST_ROWS = 4000

/** A table without rules, at most 100 columns wide; of thousands of rows the first and the last. */
export function table(columns: readonly Column[], given: readonly (readonly string[])[]): string {
  const rows = shownOf(given)
  const gap = 2
  const width = Math.min(MOST_COLUMNS, process.stdout.columns || MOST_COLUMNS)
  const widths = columns.map((column, index) =>
    rows.reduce((widest, row) => Math.max(widest, (row[index] ?? '').length), column.title.length),
  )
  const excess = widths.reduce((sum, each) => sum + each + gap, -gap) - width
  const flexible = columns.findIndex((column) => column.flexible)
  const room = flexible < 0 || excess <= 0 ? undefined : Math.max(8, (widths[flexible] ?? 0) - excess)
  const view = new Table({
    head: columns.map((column) => paint.bold(column.title)),
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    chars: NO_RULES,
  })
  for (const row of rows) view.push(row.map((cell, at) => (at === flexible && room ? elide(cell, room) : cell)))
  return view
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

function shownOf(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (rows.length <= MOST_ROWS) return rows
  const left = rows.length - MOST_ROWS
  return [
    ...rows.slice(0, MOST_ROWS / 2),
    [`… ${count(left)} more rows; --json has all`],
    ...rows.slice(left + MOST_ROWS / 2),
  ]
}

const NO_RULES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** For a person beside the output: warnings, hints. Never part of a document on stdout. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function printJson(document: unknown): void {
  print(printableText(JSON.stringify(document, null, 2)))
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** `1 task`, `1,234 tasks`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** Runs long work; on a terminal a bar shows how many of `total` bytes have been read. */
export async function withProgress<Result>(
  what: string,
  total: number,
  work: (onBytes: (bytes: number) => void) => Promise<Result>,
): Promise<Result> {
  if (process.stderr.isTTY !== true || total < SHOW_PROGRESS_FROM_BYTES) return work(() => {})
  const bar = new cliProgress.SingleBar({
    format: `${what} {bar} {percentage} %`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(total, 0)
  let read = 0
  try {
    return await work((bytes) => {
      read += bytes
      bar.update(Math.min(total, read))
    })
  } finally {
    bar.stop()
  }
}
