/**
 * Runs killed at any moment: the original is untouched, nothing half-written has a name, what is left behind is
 * cleared away by the next run, and the archive is whole. Two runs on one archive at once lose nothing.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, watch } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/archive.ts'
import { builtCli, documentOf, spillway } from './support/cli.ts'
import { writeLongSession } from './support/long-session.ts'
import { EXAMPLES } from './support/shared.ts'

/** Of each kind of run: moments over the whole of it, and moments after the first byte was written. */
const ANYWHERE = 60
const WHILE_WRITING = 40
const LEAST_WHILE_WRITING = 20
const SESSION_BYTES = 1_500_000
const LEFT_BEHIND = /^\.spillway-\d+-[0-9a-f]{12}\.tmp$/

beforeAll(() => {
  builtCli()
})

describe('compact, killed', () => {
  it.each(['-o', '--in-place'])('leaves nothing half-done with %s', { timeout: 400_000 }, async (kind) => {
    const folder = temporaryFolder()
    const home = join(folder, 'home')
    mkdirSync(home)
    const master = join(folder, 'master.jsonl')
    writeLongSession(master, join(EXAMPLES, 'long.jsonl'), SESSION_BYTES)
    const original = readFileSync(master)
    const session = join(home, 'session.jsonl')
    const out = kind === '-o' ? join(home, 'out.jsonl') : session
    const words = ['compact', session, '--archive', join(folder, 'archive'), ...(kind === '-o' ? [kind, out] : [kind])]
    const prepare = () => {
      for (const name of readdirSync(home)) if (!LEFT_BEHIND.test(name)) rmSync(join(home, name))
      copyFileSync(master, session)
      utimesSync(session, 1_700_000_000, 1_700_000_000)
    }

    prepare()
    const started = performance.now()
    expect((await spillway(words, { cwd: folder })).code).toBe(0)
    const duration = performance.now() - started
    const expected = readFileSync(out)
    const window = await writingTime(words, folder, home, prepare)

    let killedWhileWriting = 0
    for (let round = 0; round < ANYWHERE + WHILE_WRITING; round++) {
      prepare()
      const before = new Set(readdirSync(home))
      const anywhere = round < ANYWHERE
      const watcher = anywhere ? undefined : watch(home)
      await spillway(words, {
        cwd: folder,
        started: (kill) => {
          if (anywhere) setTimeout(kill, Math.random() * duration)
          else watcher?.once('change', () => setTimeout(kill, Math.random() * window))
        },
      })
      watcher?.close()
      const names = readdirSync(home)
      if (names.some((name) => LEFT_BEHIND.test(name) && !before.has(name))) killedWhileWriting++
      // Every name is a file that is whole: the original, the output, or a backup of the original.
      for (const name of names.filter((one) => !LEFT_BEHIND.test(one))) {
        const bytes = readFileSync(join(home, name))
        const isWhole = bytes.equals(original) || (join(home, name) === out && bytes.equals(expected))
        expect([name, isWhole]).toEqual([name, true])
      }
      if (kind === '-o' || !existsSync(`${session}.spillway-1`)) {
        expect(readFileSync(session).equals(original)).toBe(true)
      }
      // The next run clears away what a dead one left: at most this run's own is there.
      expect(names.filter((name) => LEFT_BEHIND.test(name)).length).toBeLessThanOrEqual(before.size)
    }
    expect(killedWhileWriting).toBeGreaterThanOrEqual(LEAST_WHILE_WRITING)

    prepare()
    expect((await spillway(words, { cwd: folder })).code).toBe(0)
    expect(readdirSync(home).filter((name) => LEFT_BEHIND.test(name))).toEqual([])
    const back = join(folder, 'back.jsonl')
    const restored = await spillway(['restore', out, '-o', back, '--archive', join(folder, 'archive')], { cwd: folder })
    expect(restored.code).toBe(0)
    expect(readFileSync(back).equals(original)).toBe(true)
  })
})

/** Milliseconds from the first change in the folder to the end of the run. */
async function writingTime(words: readonly string[], cwd: string, home: string, prepare: () => void): Promise<number> {
  prepare()
  const watcher = watch(home)
  let first = 0
  watcher.once('change', () => {
    first = performance.now()
  })
  await spillway(words, { cwd })
  watcher.close()
  expect(first).toBeGreaterThan(0)
  return performance.now() - first
}

describe('two runs on one archive', () => {
  it('lose nothing', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder()
    const archive = join(folder, 'archive')
    const inputs = ['one', 'two', 'three', 'four'].map((name, index) => {
      const file = join(folder, `${name}.jsonl`)
      writeLongSession(file, join(EXAMPLES, index % 2 === 0 ? 'long.jsonl' : 'damaged.jsonl'), 400_000 * (index + 1))
      return file
    })
    const words = (file: string) => ['compact', file, '-o', `${file}.out`, '--archive', archive, '--json']
    const runs = await Promise.all(inputs.map((file) => spillway(words(file), { cwd: folder })))
    expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0])
    for (const file of inputs) {
      const restored = await spillway(
        ['restore', `${file}.out`, '-o', `${file}.back`, '--archive', archive, '--json'],
        {
          cwd: folder,
        },
      )
      expect(documentOf(restored)).toMatchObject({ sessions: [{ exact: true }] })
      expect(readFileSync(`${file}.back`).equals(readFileSync(file))).toBe(true)
      for (const ref of referencesIn(readFileSync(`${file}.out`, 'utf8')).slice(0, 5)) {
        expect((await spillway(['recall', ref, '--archive', archive], { cwd: folder })).code).toBe(0)
      }
    }
  })

  function referencesIn(text: string): string[] {
    return [...new Set([...text.matchAll(/\[spillway ([a-z2-7]{12}): /g)].map((match) => match[1] ?? ''))]
  }
})
