/**
 * How well the prompt is predicted from a view (floor + view) within one stretch, fitted on its earlier half: ours
 * beside one slope by least squares over the characters of the same view. Each session is read as it stood at the last
 * request before each compaction and at its end.
 */
import { basename } from 'node:path'
import { heldOutErrors, promptPoints, quantile, stretchesOf, type Training } from '../src/core/calibration.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'
import { segmentsOf } from './session-segments.ts'

/** What we hold ourselves to: both errors at most this share of the baseline's. */
export const WANTED_SHARE = 0.75
const FOLDERS = ['claude-code', 'pi', 'openclaw']

interface Errors {
  readonly name: string
  readonly ours: readonly number[]
  readonly baseline: readonly number[]
  /** The baseline's slope, but through the last known request, as ours goes. */
  readonly anchored: readonly number[]
}

export async function benchCalibration(): Promise<void> {
  if (!hasData) return noticeMissing('the shared data')
  const { sessions, pooled } = measureCalibration()
  console.log(row(['session', 'predicted', 'ours p50', 'base p50', 'ours p90', 'base p90']))
  for (const errors of [...sessions, pooled]) console.log(row(cells(errors)))
  for (const share of [0.5, 0.9]) {
    const ratio = shareOfBaseline(pooled, share)
    const verdict = ratio <= WANTED_SHARE ? 'reached' : 'MISSED'
    console.log(`p${share * 100}: ${ratio.toFixed(2)} x the baseline, wanted at most ${WANTED_SHARE}: ${verdict}`)
    if (verdict === 'MISSED') process.exitCode = 1
  }
  const { anchored } = pooled
  console.log(
    `the baseline through the last known request: p50 ${percent(anchored, 0.5)}, p90 ${percent(anchored, 0.9)}`,
  )
}

export function measureCalibration(): { sessions: readonly Errors[]; pooled: Errors } {
  const sessions = FOLDERS.flatMap(sessionFiles).map(sessionErrors)
  const pooled: Errors = {
    name: 'all sessions',
    ours: sessions.flatMap((session) => session.ours),
    baseline: sessions.flatMap((session) => session.baseline),
    anchored: sessions.flatMap((session) => session.anchored),
  }
  return { sessions, pooled }
}

/** Our error's quantile over the baseline's; not a number without errors. */
export function shareOfBaseline({ ours, baseline }: Errors, share: number): number {
  return (quantile(ours, share) ?? Number.NaN) / (quantile(baseline, share) ?? Number.NaN)
}

function sessionErrors(file: string): Errors {
  const stretches = segmentsOf(file).flatMap((transcript) => stretchesOf(promptPoints(transcript)))
  return {
    name: basename(file).replace(/\.jsonl(\.gz)?$/, ''),
    ours: stretches.flatMap((stretch) => heldOutErrors(stretch)),
    baseline: stretches.flatMap((stretch) => heldOutErrors(stretch, oneSlope)),
    anchored: stretches.flatMap((stretch) => heldOutErrors(stretch, throughLast(oneSlope))),
  }
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

function throughLast(train: Training): Training {
  return (points) => {
    const predict = train(points)
    const last = points.at(-1)
    return predict && last && ((size) => last.prompt + predict(size) - predict(last.size))
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function percent(numbers: readonly number[], share: number): string {
  const value = quantile(numbers, share)
  return value === null ? '-' : `${(value * 100).toFixed(2)} %`
}

function cells({ name, ours, baseline }: Errors): string[] {
  const errors = [percent(ours, 0.5), percent(baseline, 0.5), percent(ours, 0.9), percent(baseline, 0.9)]
  return [name, String(ours.length), ...errors]
}

function row([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(26) + figures.map((figure) => figure.padStart(11)).join('')
}
