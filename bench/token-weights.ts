/**
 * Where the weights of core/tokens come from: non-negative, robust least squares of how recorded prompts grew on how
 * often each class of character starts or goes on in what was said meanwhile. Prints them beside those in use, and
 * how well sessions are predicted whose own growths were left out of the fit.
 */
import { basename } from 'node:path'
import { heldOutErrors, type PromptPoint, promptPoints, quantile, stretchesOf } from '../src/core/calibration.ts'
import { CHARACTER_CLASSES, CHARACTER_WEIGHTS, characterClass, WORD_BEHIND_SPACE } from '../src/core/tokens.ts'
import type { Block, Transcript } from '../src/core/transcript.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'
import { nonNegativeRidge } from './non-negative-ridge.ts'
import { segmentsOf } from './session-segments.ts'

const CLASSES = CHARACTER_CLASSES.length
const [SPACE, LOWER, NEWLINE] = [
  CHARACTER_CLASSES.indexOf('space'),
  CHARACTER_CLASSES.indexOf('lower'),
  CHARACTER_CLASSES.indexOf('newline'),
]
/** Columns: per class start and further, the word behind a space, frames, thinking, the request itself. */
const WORD = 2 * CLASSES
const FRAMES: readonly Block['type'][] = ['call', 'result', 'text']
const FRAME = WORD + 1
const THINKING = FRAME + FRAMES.length
const COLUMNS = THINKING + 1

/** Held at these weights (tokens), since the recordings hardly have them or only mixed with others. */
const ASSUMED: readonly (readonly [column: number, weight: number, hold: number])[] = [
  ...assumed('alphabet', 1, 0.5, 20),
  ...assumed('ideograph', 1.1, 1.1, 20),
  ...assumed('other', 1.5, 1, 20),
  ...assumed('surrogate', 1.7, 1.3, 3),
  ...assumed('symbol', 1.5, 0.8, 3),
  [WORD, 0.75, 1000],
  [2 * LOWER + 1, 0.08, 1000],
]

function assumed(name: (typeof CHARACTER_CLASSES)[number], start: number, further: number, hold: number) {
  const column = 2 * CHARACTER_CLASSES.indexOf(name)
  return [[column, start, hold] as const, [column + 1, further, hold] as const]
}

interface Counted {
  readonly point: PromptPoint
  /** Cumulative, as the sizes of a point. */
  readonly counts: Float64Array
}

export async function benchTokenWeights(): Promise<void> {
  if (!hasData) return noticeMissing('the shared data')
  const sessions = sessionFiles('claude-code').map((file) => ({
    name: basename(file),
    stretches: segmentsOf(file).flatMap(countedStretches),
  }))
  const all = sessions.flatMap((session) => session.stretches)
  printWeights(fitWeights(all), all)
  const errors = sessions.flatMap((session) => {
    const weights = fitWeights(sessions.flatMap((other) => (other === session ? [] : other.stretches)))
    return session.stretches.flatMap((stretch) => heldOutErrors(stretch.map((counted) => weighed(counted, weights))))
  })
  const percent = (share: number): string => `${((quantile(errors, share) ?? Number.NaN) * 100).toFixed(2)} %`
  console.log(
    `each session with weights of the others: p50 ${percent(0.5)}, p90 ${percent(0.9)} (${errors.length} points)`,
  )
}

function countedStretches(transcript: Transcript): Counted[][] {
  const counts = countsBeforeRequests(transcript)
  return stretchesOf(promptPoints(transcript)).map((stretch) =>
    stretch.map((point) => ({ point, counts: counts[point.size.requests] ?? new Float64Array(COLUMNS) })),
  )
}

/** For each number of requests the counts of everything before the next one. */
function countsBeforeRequests(transcript: Transcript): Float64Array[] {
  const before: Float64Array[] = []
  const sum = new Float64Array(COLUMNS)
  let previousId: string | undefined
  for (const message of transcript.messages) {
    const isRequest = message.role === 'assistant' && message.kind !== 'api-error'
    if (isRequest && (message.id === undefined || message.id !== previousId)) before.push(sum.slice())
    if (isRequest) previousId = message.id
    for (const block of message.blocks) countBlock(block, sum)
  }
  return before
}

function countBlock(block: Block, sum: Float64Array): void {
  const frame = FRAMES.indexOf(block.type)
  if (frame >= 0) add(sum, FRAME + frame, 1)
  if (block.type === 'thinking') add(sum, THINKING, block.tokens)
  else for (const text of textsOf(block)) countCharacters(text, sum)
}

function textsOf(block: Block): string[] {
  switch (block.type) {
    case 'text':
      return [block.text]
    case 'call': {
      const texts = [block.tool, JSON.stringify(block.input)]
      // Of a call that is recorded larger than it is sent, only the name is known.
      return texts.join('').length === block.chars ? texts : [block.tool]
    }
    case 'result':
      return block.parts.flatMap((part) => (part.type === 'text' ? part.text : []))
    default:
      return []
  }
}

function countCharacters(text: string, sum: Float64Array): void {
  let previous = NEWLINE
  for (let at = 0; at < text.length; at++) {
    const current = characterClass(text.charCodeAt(at))
    const column = previous === SPACE && current === LOWER ? WORD : 2 * current + (previous === current ? 1 : 0)
    add(sum, column, 1)
    previous = current
  }
}

function add(sum: Float64Array, column: number, amount: number): void {
  sum[column] = (sum[column] ?? 0) + amount
}

function fitWeights(stretches: readonly (readonly Counted[])[]): number[] {
  const rows: Float64Array[] = []
  const growths: number[] = []
  for (const stretch of stretches) {
    stretch.slice(1).forEach(({ point, counts }, index) => {
      const before = stretch[index]
      if (!before || point.prompt <= before.point.prompt) return
      rows.push(counts.map((count, column) => count - (before.counts[column] ?? 0)))
      growths.push(point.prompt - before.point.prompt)
    })
  }
  return nonNegativeRidge(rows, growths, ASSUMED)
}

/** The same point with its tokens by other weights. */
function weighed({ point, counts }: Counted, weights: readonly number[]): PromptPoint {
  let tokens = 0
  for (let column = 0; column < THINKING; column++) tokens += (counts[column] ?? 0) * (weights[column] ?? 0)
  return { ...point, size: { ...point.size, tokens } }
}

function printWeights(weights: readonly number[], stretches: readonly (readonly Counted[])[]): void {
  const total = new Float64Array(COLUMNS)
  for (const stretch of stretches) {
    for (const [column, count] of stretch.at(-1)?.counts.entries() ?? []) add(total, column, count)
  }
  const milli = (column: number): number => Math.round((weights[column] ?? 0) * 1000)
  const row = (name: string, figures: readonly (string | number)[]): void =>
    console.log(name.padEnd(18) + figures.map((figure) => String(figure).padStart(12)).join(''))
  row('thousandths', ['start', 'in use', 'seen', 'further', 'in use', 'seen'])
  CHARACTER_CLASSES.forEach((name, index) => {
    const [start, further] = CHARACTER_WEIGHTS[name]
    row(name, [
      milli(2 * index),
      start,
      total[2 * index] ?? 0,
      milli(2 * index + 1),
      further,
      total[2 * index + 1] ?? 0,
    ])
  })
  row('word behind space', [milli(WORD), WORD_BEHIND_SPACE, total[WORD] ?? 0])
  FRAMES.forEach((name, index) => {
    row(`around a ${name}`, [milli(FRAME + index), '', total[FRAME + index] ?? 0])
  })
  row('thinking', [milli(THINKING)])
}
