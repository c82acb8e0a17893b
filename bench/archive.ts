/**
 * What the archive costs: how fast removed content goes in and comes out, how long a search takes, how large the file
 * is. On the tool results of the recorded Claude Code sessions; see docs/archive.md.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants, deflateRawSync, gunzipSync } from 'node:zlib'
import { type Archive, openArchive, type UndoSplice } from '../src/archive/index.ts'
import type { Removed } from '../src/core/edits.ts'
import { digestOf, referenceOf } from '../src/core/reference.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'

const MEGABYTE = 1e6
const LEAST_CHARS = 200
const SEARCHES = 200
const ROUNDS = 3

interface Corpus {
  readonly sessionBytes: number
  readonly removed: readonly Removed[]
  readonly removedBytes: number
  readonly splices: readonly UndoSplice[]
  readonly originalBytes: number
}

export async function benchArchive(): Promise<void> {
  if (!hasData) return noticeMissing('the shared data')
  const corpus = readCorpus()
  print('sessions', `${mb(corpus.sessionBytes)} MB in ${sessionFiles('claude-code').length} files`)
  print(
    'taken out',
    `${corpus.removed.length} results of ${LEAST_CHARS} characters and more, ${mb(corpus.removedBytes)} MB`,
  )
  print('undo record', `${corpus.splices.length} splices, ${mb(corpus.originalBytes)} MB of original bytes`)
  comparePackings(corpus)
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'))
  try {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++)
      best = Math.min(best, await putOnce(join(folder, String(round)), corpus))
    const parsed = fastest(() => parseEveryLine())
    print(
      'put, with fsync',
      `${best.toFixed(0)} ms: ${rate(corpus.removedBytes, best)} of content, ${rate(corpus.sessionBytes, best)} of session`,
    )
    print('JSON.parse of the sessions', `${parsed.toFixed(0)} ms: put takes ${(best / parsed).toFixed(2)} times that`)
    const archive = await openArchive(join(folder, '0'), { readOnly: true })
    measureReading(archive, corpus)
    archive.close()
    print('archive.sqlite', `${mb(statSync(join(folder, '0', 'archive.sqlite')).size)} MB`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readCorpus(): Corpus {
  const removed: Removed[] = []
  const splices: UndoSplice[] = []
  const corpus = { sessionBytes: 0, removedBytes: 0, originalBytes: 0 }
  let at = 0
  eachEntry((entry, bytes) => {
    corpus.sessionBytes += bytes
    const { message, toolUseResult } = entry as { message?: { content?: unknown }; toolUseResult?: unknown }
    for (const block of Array.isArray(message?.content) ? message.content : []) {
      const text = block?.type === 'tool_result' && typeof block.content === 'string' ? block.content : ''
      if (text.length < LEAST_CHARS) continue
      corpus.removedBytes += Buffer.byteLength(text)
      removed.push({
        ref: referenceOf(text),
        content: text,
        mediaType: 'text/plain',
        class: 'rerunnable',
        tool: 'Read',
        target: `src/file-${removed.length}.ts`,
        rule: 'results',
        at: { thread: 'main', entry: removed.length },
      })
      for (const value of [text, toolUseResult]) {
        const original = Buffer.from(JSON.stringify(value ?? null))
        corpus.originalBytes += original.length
        splices.push({ start: at, end: at + 80, original })
        at += 100
      }
    }
  })
  return { ...corpus, removed, splices }
}

function eachEntry(use: (entry: unknown, bytes: number) => void): void {
  for (const file of sessionFiles('claude-code')) {
    for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
      let entry: unknown
      try {
        entry = JSON.parse(line)
      } catch {
        continue
      }
      use(entry, Buffer.byteLength(line))
    }
  }
}

function parseEveryLine(): () => void {
  const lines: string[] = []
  eachEntry((entry) => lines.push(JSON.stringify(entry)))
  return () => {
    for (const line of lines) JSON.parse(line)
  }
}

async function putOnce(folder: string, corpus: Corpus): Promise<number> {
  const archive = await openArchive(folder)
  const before = { bytes: corpus.sessionBytes, sha256: digestOf('before') }
  const after = { bytes: corpus.splices.length * 100, sha256: digestOf('after') }
  const undos = [{ source: '/session.jsonl', output: '/session.compact.jsonl', before, after, splices: corpus.splices }]
  const start = performance.now()
  archive.put({ session: 'bench', source: '/session.jsonl', time: 1, removed: corpus.removed, undos })
  const elapsed = performance.now() - start
  archive.close()
  return elapsed
}

function measureReading(archive: Archive, corpus: Corpus): void {
  const got = fastest(() => () => {
    for (const { ref } of corpus.removed) archive.get(ref)
  })
  print(
    'get, hash verified',
    `${rate(corpus.removedBytes, got)}, ${((got / corpus.removed.length) * 1000).toFixed(0)} us each`,
  )
  const words = uniqueWords(corpus, SEARCHES)
  let found = 0
  const times = words.map(({ word, ref }) => {
    const start = performance.now()
    const hits = archive.search({ words: word, limit: 3 })
    if (hits.some((hit) => hit.ref === ref)) found++
    return performance.now() - start
  })
  times.sort((one, other) => one - other)
  const percentile = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(1)} ms`
  print(`${words.length} words of one object each`, `${found} found among the first three hits`)
  print('a search', `median ${percentile(0.5)}, 90th percentile ${percentile(0.9)}`)
}

/** Words that one content alone holds, spread evenly over all of them. */
function uniqueWords(corpus: Corpus, count: number): { word: string; ref: string }[] {
  const holders = new Map<string, string | undefined>()
  for (const [ref, content] of new Map(corpus.removed.map((removed) => [removed.ref, String(removed.content)]))) {
    for (const word of new Set(content.match(/[A-Za-z_][A-Za-z0-9_]{4,}/g))) {
      holders.set(word, holders.has(word) ? undefined : ref)
    }
  }
  const unique = [...holders].flatMap(([word, ref]) => (ref === undefined ? [] : [{ word, ref }]))
  return unique.filter((_, at) => at % Math.ceil(unique.length / count) === 0)
}

/** Why the archive packs as it does (src/archive/packing.ts). */
function comparePackings(corpus: Corpus): void {
  const contents = corpus.removed.map((removed) => Buffer.from(String(removed.content)))
  const brotli = (quality: number) => (bytes: Buffer) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.max(10, Math.ceil(Math.log2(bytes.length)))),
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    })
  const packings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    'deflate 1': (bytes) => deflateRawSync(bytes, { level: 1 }),
    'deflate 3': (bytes) => deflateRawSync(bytes, { level: 3 }),
    'deflate 6': (bytes) => deflateRawSync(bytes, { level: 6 }),
    'brotli 0': brotli(0),
    'brotli 1': brotli(1),
    'brotli 3': brotli(3),
  }
  for (const [name, pack] of Object.entries(packings)) {
    let packed = 0
    const elapsed = fastest(() => () => {
      packed = 0
      for (const bytes of contents) packed += pack(bytes).length
    })
    print(name, `${rate(corpus.removedBytes, elapsed)}, to ${((packed / corpus.removedBytes) * 100).toFixed(1)} %`)
  }
}

/** Milliseconds of the fastest of some rounds: the others were disturbed. */
function fastest(prepare: () => () => void): number {
  const work = prepare()
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    work()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

function rate(bytes: number, milliseconds: number): string {
  return `${(bytes / 1000 / milliseconds).toFixed(0)} MB/s`
}

function mb(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1)
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(30)} ${figure}\n`)
}
