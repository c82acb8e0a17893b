/**
 * Throughput of `analyze` and `compact` beside a bare JSON.parse of every line, on sessions of one to 64 times
 * 1 MB; peak memory of `analyze` on 1 GB; start-up. Sessions are generated from our own example.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { writeLongSession } from '../test/support/long-session.ts'
import { EXAMPLES } from '../test/support/shared.ts'

const MB = 1024 * 1024
const SIZES = [1, 4, 16, 64]
/** From this size on the promise holds: below it start-up and compilation count. */
const LARGE = 16
const LEAST_ANALYZE = 0.5
const LEAST_COMPACT = 0.15
const MOST_PEAK_MB = 500
const MOST_START = 1.5
const ROUNDS = 3
const STARTS = 30

export async function benchSpeed(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-speed-'))
  try {
    process.stdout.write('size MB   parse MB/s   analyze MB/s    x   compact MB/s    x\n')
    for (const size of SIZES) await throughput(folder, size)
    peakMemory(folder)
    startUp()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function throughput(folder: string, size: number): Promise<void> {
  const file = join(folder, `${size}.jsonl`)
  const megabytes = writeLongSession(file, join(EXAMPLES, 'long.jsonl'), size * MB) / MB
  const parse = megabytes / (await fastest(() => parseEveryLine(file)))
  const analyze = megabytes / (await fastest(() => analyzeSession(file)))
  let round = 0
  const compact =
    megabytes /
    (await fastest(() => {
      round++
      const target = { kind: 'file', path: join(folder, `${size}-${round}.out.jsonl`) } as const
      return compactSession(file, { target, archive: join(folder, `archive-${size}-${round}`) })
    }))
  const cells = [megabytes.toFixed(1).padStart(7), parse.toFixed(0).padStart(12), analyze.toFixed(0).padStart(14)]
  cells.push(
    (analyze / parse).toFixed(2).padStart(5),
    compact.toFixed(0).padStart(14),
    (compact / parse).toFixed(2).padStart(5),
  )
  process.stdout.write(`${cells.join('')}\n`)
  if (size < LARGE) return
  promise(`analyze at ${size} MB`, analyze / parse, LEAST_ANALYZE, 'least')
  promise(`compact at ${size} MB`, compact / parse, LEAST_COMPACT, 'least')
}

function parseEveryLine(file: string): number {
  let entries = 0
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue
    JSON.parse(line)
    entries++
  }
  return entries
}

/** Seconds of the fastest of some rounds: the others were disturbed. */
async function fastest(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await work()
    best = Math.min(best, performance.now() - start)
  }
  return best / 1000
}

/** In a process of its own, as a user runs it. */
function peakMemory(folder: string): void {
  const file = join(folder, 'gigabyte.jsonl')
  writeLongSession(file, join(EXAMPLES, 'long.jsonl'), 1000 * MB)
  const program = resolve('dist/cli/main.js')
  const script = `
    process.argv.push('spillway', 'analyze', ${JSON.stringify(file)}, '--json')
    const start = performance.now()
    process.on('exit', () => console.error(JSON.stringify({
      seconds: (performance.now() - start) / 1000, peak: process.resourceUsage().maxRSS / 1024 })))
    await import(${JSON.stringify(program)})`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`analyze failed: ${stderr}`)
  const answer = stderr.trim().split('\n').at(-1) ?? ''
  const { seconds, peak } = JSON.parse(answer) as { seconds: number; peak: number }
  const size = statSync(file).size / MB
  process.stdout.write(`analyze of ${size.toFixed(0)} MB: ${seconds.toFixed(1)} s, peak ${peak.toFixed(0)} MB\n`)
  promise('peak memory in MB', peak, MOST_PEAK_MB, 'most')
}

/** Alternating, so that a busy machine disturbs both alike. */
function startUp(): void {
  const commands = { node: ['-e', '0'], spillway: [resolve('dist/cli/main.js'), '--version'] }
  const best = { node: Number.POSITIVE_INFINITY, spillway: Number.POSITIVE_INFINITY }
  for (let round = 0; round < STARTS; round++) {
    for (const name of ['node', 'spillway'] as const) {
      const start = performance.now()
      spawnSync(process.execPath, commands[name])
      best[name] = Math.min(best[name], performance.now() - start)
    }
  }
  process.stdout.write(`node -e 0: ${best.node.toFixed(0)} ms, spillway --version: ${best.spillway.toFixed(0)} ms\n`)
  promise('start-up against node', best.spillway / best.node, MOST_START, 'most')
}

function promise(what: string, measured: number, bound: number, side: 'least' | 'most'): void {
  if (side === 'least' ? measured >= bound : measured <= bound) return
  process.stdout.write(`MISSED: ${what} is ${measured.toFixed(2)}, at ${side} ${bound} was promised\n`)
  process.exitCode = 1
}
