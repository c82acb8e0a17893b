import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordingIn } from '../../test/support/recordings.ts'
import { EXAMPLES, hasData, noticeMissing, sessionFiles } from '../../test/support/shared.ts'
import { pricesFor, SCHEME_NAMES } from '../planning/prices.ts'
import { compare, RAW, STRATEGIES } from './index.ts'
import type { Prompt } from './prompt.ts'
import type { Recording } from './recording.ts'
import { runStrategy } from './run.ts'
import type { Strategy, Terms } from './strategy.ts'

/** Costs by comparing what was sent with what is sent, piece by piece: no sums kept, nothing remembered but the last prompt. */
function costsByComparison(recording: Recording, strategy: Strategy, { prices, window }: Terms): number[] {
  interface Piece {
    tokens: number
    version: number
  }
  const pieces: Piece[] = []
  let summary: Piece | undefined
  let sent: Piece[] = []
  let sentLength = 0
  let length = 0
  let written: number[] = []
  const whole: boolean[] = []
  const total = (): number =>
    recording.floor + (summary?.tokens ?? 0) + pieces.reduce((sum, piece) => sum + piece.tokens, 0)
  const before = (item: number): number =>
    recording.floor + (summary?.tokens ?? 0) + pieces.slice(0, item).reduce((sum, piece) => sum + piece.tokens, 0)
  const change = (item: number, tokens: number): void => {
    const old = pieces[item] ?? { tokens: 0, version: 0 }
    whole[item] = false
    if (old.tokens !== tokens) pieces[item] = { tokens, version: old.version + 1 }
  }
  const prompt: Prompt = {
    get length() {
      return length
    },
    get sent() {
      return sentLength
    },
    total,
    size: (item) => pieces[item]?.tokens ?? 0,
    before,
    sentAfter: (item) => before(sentLength) - before(item),
    isWhole: (item) => whole[item] === true,
    replace: change,
    summarise(end, tokens) {
      for (let item = 0; item < end; item++) change(item, 0)
      summary = { tokens, version: (summary?.version ?? 0) + 1 }
      written.push(tokens)
    },
  }
  const play = strategy.player(recording, { prices, window })
  return recording.calls.map(({ end, gap }, call) => {
    for (; length < end; length++) {
      pieces.push({ tokens: recording.items[length]?.tokens ?? 0, version: 0 })
      whole.push(true)
    }
    written = []
    const held = total()
    const cold = call === 0 || gap > prices.ttl
    play({ call, cold, gap }, prompt)
    const now = [summary ?? { tokens: 0, version: 0 }, ...pieces]
    let same = 0
    let cached = recording.floor
    while (same < sent.length && sent[same]?.version === now[same]?.version) {
      cached += now[same]?.tokens ?? 0
      same++
    }
    if (cold) cached = 0
    sent = now.map((piece) => ({ ...piece }))
    sentLength = length
    const summaries = written.reduce((sum, tokens) => sum + prices.read * held + prices.output * tokens, 0)
    return prices.read * cached + prices.write * (total() - cached) + summaries
  })
}

const files = [
  join(EXAMPLES, 'long.jsonl'),
  join(EXAMPLES, 'damaged.jsonl'),
  ...sessionFiles('claude-code').filter((file) => /erk-(92|1d|3a|94|b9|c6|dd)|entire-(37|5b|63|90)/.test(file)),
]
const WINDOWS = [30_000, 60_000, 200_000]

describe('replay', () => {
  it('costs what comparing the prompts piece by piece says, whatever the strategy, prices and window', () => {
    let replays = 0
    for (const recording of files.map(recordingIn)) {
      STRATEGIES.forEach((strategy, index) => {
        const scheme = SCHEME_NAMES[index % SCHEME_NAMES.length] ?? 'anthropic-5m'
        for (const window of WINDOWS) {
          const terms = { prices: pricesFor(scheme).prices, window }
          const run = runStrategy(recording, strategy, terms)
          const costs = costsByComparison(recording, strategy, terms)
          replays++
          const apart = costs.findIndex((cost, call) => Math.abs(cost - (run.costs[call] ?? 0)) > 1e-6 * (1 + cost))
          expect({ strategy: strategy.name, recording: recording.name, window, apart }).toMatchObject({ apart: -1 })
        }
      })
    }
    expect(replays).toBeGreaterThanOrEqual(hasData ? 300 : 90)
  }, 300_000)

  it('raw pays the cached price for all it sent before, and full price after a pause', () => {
    const item = { kind: 'result' as const, tokens: 1000, turn: 0, chars: 4000 }
    const recording = {
      ...recordingIn(join(EXAMPLES, 'long.jsonl')),
      floor: 500,
      items: [item, item, item],
      calls: [
        { end: 1, gap: 0 },
        { end: 2, gap: 1000 },
        { end: 3, gap: 400_000 },
      ],
      needles: [],
    }
    const { costs } = runStrategy(recording, RAW, { prices: pricesFor('anthropic-5m').prices, window: 200_000 })
    expect([...costs]).toEqual([1.25 * 1500, 0.1 * 1500 + 1.25 * 1000, 1.25 * 3500])
  })

  it('ours loses nothing for good and never sends more than the window where the floor leaves room', () => {
    const recording = recordingIn(join(EXAMPLES, 'long.jsonl'))
    const terms = { prices: pricesFor('anthropic-5m').prices, window: recording.floor + 40_000 }
    const { rows } = compare([recording], STRATEGIES, terms)
    for (const row of rows.filter(({ name }) => ['careful', 'default', 'long', 'lean', 'seed'].includes(name))) {
      expect(row).toMatchObject({ recoverable: 1, overWindow: 0 })
    }
    expect(rows.find(({ name }) => name === 'raw')).toMatchObject({ costShare: 1, visible: 1, dearerThanRaw: 0 })
  })
})

if (!hasData) noticeMissing('../shared/data')
