/**
 * What `compact` saves on real sessions: each shared Claude Code session as it stood just before each recorded
 * compaction and at its end, views of 100 turns and more, beside flower's trim (results of 2,000 characters and
 * more outside the newest 20).
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { economize } from '../src/core/economy.ts'
import { DEFAULT_POLICY } from '../src/core/policy.ts'
import { estimateTokens } from '../src/core/tokens.ts'
import { type Block, exchangesOf, type Transcript, turnsOf } from '../src/core/transcript.ts'
import { claudeCodeReader } from '../src/formats/claude-code/index.ts'
import type { SourceLine } from '../src/formats/format.ts'
import { lineSplitter } from '../src/formats/lines.ts'
import { sessionFiles } from '../test/support/shared.ts'

const FEWEST_TURNS = 100
const TRIM_CHARS = 2000
const TRIM_KEEP = 20
const LARGEST_KEPT = 3

interface Saving {
  readonly name: string
  readonly turns: number
  readonly before: number
  readonly after: number
  readonly share: number
  readonly trimShare: number
  readonly largestKept: readonly string[]
}

export function savingsOf(file: string): Saving[] {
  const lines = linesOf(file)
  const isBoundary = (line: SourceLine): boolean => line.bytes.includes('"compact_boundary"')
  const cuts = [...lines.keys()].filter((index) => isBoundary(lines[index] as SourceLine))
  return [...cuts, lines.length].flatMap((cut, segment) => {
    const transcript = read(lines.slice(0, cut))
    const turns = turnsOf(transcript).length
    return turns < FEWEST_TURNS ? [] : [measure(`${basename(file, '.jsonl.gz')}#${segment}`, turns, transcript)]
  })
}

function linesOf(file: string): SourceLine[] {
  const splitter = lineSplitter()
  const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
  return [...splitter.push(bytes), ...splitter.finish()]
}

function read(lines: readonly SourceLine[]): Transcript {
  const reader = claudeCodeReader()
  for (const line of lines) reader.push(line)
  return reader.finish().main
}

function measure(name: string, turns: number, transcript: Transcript): Saving {
  const out = economize(transcript, DEFAULT_POLICY, { now: 0, limit: 184_000, epoch: 'asked' })
  const { before, after } = out.report.tokens
  const kept = out.transcript.messages.flatMap((message) => message.blocks).sort((a, b) => b.tokens - a.tokens)
  return {
    name,
    turns,
    before,
    after,
    share: 1 - after / before,
    trimShare: trimmed(transcript) / before,
    largestKept: kept.slice(0, LARGEST_KEPT).map(describe),
  }
}

/** What flower's trim would free: a pointer and nothing else stays of an old, long result. */
function trimmed(transcript: Transcript): number {
  const pointer = estimateTokens('[archived: .flower/spill/0123456789abcdef.txt (12345 characters)]')
  const results = exchangesOf(transcript).flatMap(({ result }) => (result ? [result] : []))
  return results
    .slice(0, Math.max(0, results.length - TRIM_KEEP))
    .filter((result) => result.chars >= TRIM_CHARS)
    .reduce((sum, result) => sum + result.tokens - pointer, 0)
}

function describe(block: Block): string {
  const what = block.type === 'call' ? `${block.tool} call` : block.type
  return `${what} ${block.tokens}`
}

export async function benchSavings(): Promise<void> {
  const savings = sessionFiles('claude-code').flatMap(savingsOf)
  if (savings.length === 0) throw new Error('no session of 100 turns and more in ../shared/data/claude-code')
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
  console.log('view                          turns   before    after    saved   trim   largest kept (tokens)')
  for (const { name, turns, before, after, share, trimShare, largestKept } of savings) {
    const numbers = [String(turns).padStart(5), String(before).padStart(9), String(after).padStart(8)].join('')
    console.log(
      `${name.padEnd(30)}${numbers}${percent(share).padStart(9)}${percent(trimShare).padStart(9)}   ${largestKept.join(', ')}`,
    )
  }
  const shares = savings.map(({ share }) => share).sort((a, b) => a - b)
  const middle = shares.length / 2
  const median = ((shares[Math.floor(middle - 0.5)] ?? 0) + (shares[Math.floor(middle)] ?? 0)) / 2
  const beaten = savings.filter(({ share, trimShare }) => share > trimShare).length
  console.log(
    `median ${percent(median)} over ${savings.length} views; more than trim in ${beaten} of ${savings.length}`,
  )
}
