/**
 * How well the prompt is predicted from a view (floor + view) within one stretch, fitted on its earlier half: ours
 * beside one slope by least squares over the characters of the same view. Each session is read as it stood at the last
 * request before each compaction and at its end.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  heldOutErrors,
  type PromptPoint,
  promptPoints,
  quantile,
  stretchesOf,
  type Training,
} from '../src/core/calibration.ts'
import type { Format, Session, SourceLine } from '../src/formats/format.ts'
import { FORMATS } from '../src/formats/index.ts'
import { lineSplitter, parseLine } from '../src/formats/lines.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'

/** What we hold ourselves to: both errors at most this share of the baseline's. */
const WANTED_SHARE = 0.75
const FOLDERS = ['claude-code', 'pi', 'openclaw']
/** Entries a format is detected from. */
const DETECT_ENTRIES = 20

interface Errors {
  readonly name: string
  readonly ours: readonly number[]
  readonly baseline: readonly number[]
}

export async function benchCalibration(): Promise<void> {
  if (!hasData) return noticeMissing('the shared data')
  const sessions = FOLDERS.flatMap(sessionFiles).map(sessionErrors)
  const pooled: Errors = {
    name: 'all sessions',
    ours: sessions.flatMap((session) => session.ours),
    baseline: sessions.flatMap((session) => session.baseline),
  }
  console.log(row(['session', 'predicted', 'ours p50', 'base p50', 'ours p90', 'base p90']))
  for (const errors of [...sessions, pooled]) console.log(row(cells(errors)))
  for (const share of [0.5, 0.9]) {
    const ratio = (quantile(pooled.ours, share) ?? Number.NaN) / (quantile(pooled.baseline, share) ?? Number.NaN)
    const verdict = ratio <= WANTED_SHARE ? 'reached' : 'MISSED'
    console.log(`p${share * 100}: ${ratio.toFixed(2)} x the baseline, wanted at most ${WANTED_SHARE}: ${verdict}`)
    if (verdict === 'MISSED') process.exitCode = 1
  }
}

function sessionErrors(file: string): Errors {
  const stretches = segmentsOf(file).flatMap(stretchesOf)
  return {
    name: basename(file).replace(/\.jsonl(\.gz)?$/, ''),
    ours: stretches.flatMap((stretch) => heldOutErrors(stretch)),
    baseline: stretches.flatMap((stretch) => heldOutErrors(stretch, oneSlope)),
  }
}

/** The recorded requests of the view before each compaction and at the end. */
function segmentsOf(file: string): PromptPoint[][] {
  const lines = linesOf(file)
  const format = formatOf(lines, file)
  const whole = read(format, lines)
  const lastEntries = new Map(whole.facts.requests.map((request) => [request.segment, request.entry]))
  return [...lastEntries.values()].map((entry) => {
    const last = whole.main.links.find((link) => link.entry === entry)?.line ?? lines.length
    return promptPoints(read(format, lines.slice(0, last)).main)
  })
}

function linesOf(file: string): SourceLine[] {
  const bytes = readFileSync(file)
  const splitter = lineSplitter()
  return [...splitter.push(file.endsWith('.gz') ? gunzipSync(bytes) : bytes), ...splitter.finish()]
}

function formatOf(lines: readonly SourceLine[], file: string): Format {
  const first = lines.slice(0, DETECT_ENTRIES).flatMap((line) => parseLine(line).entries.map((entry) => entry.value))
  const format = FORMATS.find((candidate) => candidate.detect(first))
  if (!format) throw new Error(`${file} is of no known format`)
  return format
}

function read(format: Format, lines: readonly SourceLine[]): Session {
  const reader = format.reader({ sizesOnly: true })
  for (const line of lines) reader.push(line)
  return reader.finish()
}

/** Floor and one slope over the characters by ordinary least squares. */
const oneSlope: Training = (points) => {
  const meanChars = mean(points.map((point) => point.size.chars))
  const meanPrompt = mean(points.map((point) => point.prompt))
  let spread = 0
  let together = 0
  for (const { size, prompt } of points) {
    spread += (size.chars - meanChars) ** 2
    together += (size.chars - meanChars) * (prompt - meanPrompt)
  }
  const slope = spread > 0 ? together / spread : 0
  return (size) => meanPrompt + slope * (size.chars - meanChars)
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function cells({ name, ours, baseline }: Errors): string[] {
  const percent = (numbers: readonly number[], share: number): string => {
    const value = quantile(numbers, share)
    return value === null ? '-' : `${(value * 100).toFixed(2)} %`
  }
  return [
    name,
    String(ours.length),
    percent(ours, 0.5),
    percent(baseline, 0.5),
    percent(ours, 0.9),
    percent(baseline, 0.9),
  ]
}

function row([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(26) + figures.map((figure) => figure.padStart(11)).join('')
}
