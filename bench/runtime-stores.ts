/**
 * What session stores cost: an append beside a bare insert and commit of the same text into SQLite, and the load of a
 * long session beside nothing but parsing its lines, which are bytes in a file or a database alike.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk'
import Sqlite from 'better-sqlite3'
import { EconomyStore, type SessionStoreEntry, SqliteSessionStore } from '../src/stores/index.ts'
import { writeLongSession } from '../test/support/long-session.ts'
import { EXAMPLES, hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'
import { median, milliseconds, print, promise } from './timing.ts'

const SESSION_BYTES = 70e6
const APPENDS = 400
const ROUNDS = 12
const MOST_APPEND = 2
const MOST_LOAD = 1.2
const KEY = { projectKey: '-home-dev-proj', sessionId: 's1' }

interface Round {
  readonly texts: number
  readonly bytes: number
  readonly load: number
  readonly view: number
  readonly decide: number
}

export async function benchStores(folder: string): Promise<void> {
  await appends(folder)
  await loads(folder, 'the example told again and again', join(EXAMPLES, 'long.jsonl'))
  const [recorded] = hasData ? sessionFiles('claude-code') : []
  if (recorded === undefined) noticeMissing('the shared data')
  else await loads(folder, 'a recorded session told again and again', recorded)
}

/** Alternating, one entry a time, as an eager flush brings them; the entries are those of the example. */
async function appends(folder: string): Promise<void> {
  const lines = readFileSync(join(EXAMPLES, 'long.jsonl'), 'utf8').split('\n').filter(Boolean)
  const bare = new Sqlite(join(folder, 'bare.sqlite'))
  bare.pragma('journal_mode = wal')
  bare.pragma('synchronous = full')
  bare.exec('CREATE TABLE entries(id INTEGER PRIMARY KEY, body TEXT NOT NULL)')
  const insert = bare.prepare('INSERT INTO entries(body) VALUES (?)')
  const store = new SqliteSessionStore(join(folder, 'plain.sqlite'))
  const summing = new SqliteSessionStore(join(folder, 'summing.sqlite'), { foldSummary: foldSessionSummary })
  const times = { bare: [] as number[], store: [] as number[], summing: [] as number[] }
  for (let count = 0; count < APPENDS; count++) {
    const entry = { ...JSON.parse(lines[count % lines.length] ?? '{}'), uuid: `entry-${count}` } as SessionStoreEntry
    const text = JSON.stringify(entry)
    times.bare.push(await milliseconds(() => insert.run(text)))
    times.store.push(await milliseconds(() => store.append(KEY, [entry])))
    times.summing.push(await milliseconds(() => summing.append(KEY, [entry])))
  }
  const shares: readonly (readonly [string, (numbers: readonly number[]) => number])[] = [
    ['half of the time', median],
    ['undisturbed (best tenth)', bestTenth],
  ]
  for (const [when, of] of shares) {
    const [one, two, three] = [of(times.bare), of(times.store), of(times.summing)]
    const ratio = (other: number): string => `${other.toFixed(3)} ms, ${(other / one).toFixed(2)} x`
    print(`a bare insert and commit, ${when}`, `${one.toFixed(3)} ms`)
    print('  an append', ratio(two))
    print('  an append that keeps summaries', ratio(three))
    promise(`an append against a bare insert and commit, ${when}`, two / one, MOST_APPEND)
  }
  bare.close()
  await store.close()
  await summing.close()
}

function bestTenth(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 10)] ?? 0
}

async function loads(folder: string, name: string, recorded: string): Promise<void> {
  const file = join(folder, 'long.jsonl')
  writeLongSession(file, recorded, SESSION_BYTES)
  const bytes = readFileSync(file)
  const lines = linesOf(bytes)
  const path = join(folder, 'long.sqlite')
  const inner = new SqliteSessionStore(path)
  await inner.append(
    KEY,
    lines.map((line) => JSON.parse(line.toString())),
  )
  const economy = (): EconomyStore => new EconomyStore(inner, { archive: join(folder, 'archive') })
  const texts = lines.map((line) => line.toString())
  const first = await milliseconds(() => economy().load(KEY))
  // The best of several rounds, all in each round: a busy machine disturbs all alike.
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const live = economy()
    rounds.push({
      texts: await milliseconds(() => texts.map((text) => JSON.parse(text))),
      load: await milliseconds(() => inner.load(KEY)),
      bytes: await milliseconds(() => lines.map((line) => JSON.parse(line.toString()))),
      view: await milliseconds(() => live.load(KEY)),
      decide: await milliseconds(() => live.decide(KEY)),
    })
  }
  const best = (what: keyof Round): number => Math.min(...rounds.map((round) => round[what]))
  const bare = best('bytes')
  const times = (what: keyof Round): string => `${best(what).toFixed(0)} ms, ${(best(what) / bare).toFixed(2)} x`
  print(name, `${(bytes.length / 1e6).toFixed(0)} MB, ${lines.length} lines`)
  print('parsing its lines', `${bare.toFixed(0)} ms`)
  print('  of which without decoding them', times('texts'))
  print('load', times('load'))
  print('load of the view, decisions replayed', times('view'))
  print('load of the view, first epoch', `${first.toFixed(0)} ms, ${(first / bare).toFixed(1)} x`)
  print('decide', times('decide'))
  promise('a load against parsing the lines', best('load') / bare, MOST_LOAD)
  await inner.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end))
    start = end < 0 ? bytes.length : end + 1
  }
  return lines
}
