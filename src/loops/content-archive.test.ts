import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Removed } from '../core/edits.ts'
import { referenceOf } from '../core/reference.ts'
import { type ContentArchive, memoryArchive } from './content-archive.ts'
import { databaseArchive } from './database-archive.ts'
import { fileArchive } from './file-archive.ts'

let home = ''
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'spillway-loop-'))
})
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

const removed = (content: string | Uint8Array, facts: Partial<Removed> = {}): Removed => ({
  ref: referenceOf(content),
  content,
  mediaType: typeof content === 'string' ? 'text/plain' : 'image/png',
  class: 'restorable',
  rule: 'test',
  at: { thread: 'main', entry: 0 },
  ...facts,
})

const KINDS: Readonly<Record<string, (folder: string) => ContentArchive | Promise<ContentArchive>>> = {
  'in memory': () => memoryArchive(),
  'in a file': (folder) => fileArchive(folder),
  'in the database': (folder) => databaseArchive(folder, 'my-loop'),
}

describe.each(Object.entries(KINDS))('an archive %s', (name, make) => {
  const texts = ['plain words', 'lone \ud800 surrogate', 'two\nlines\r\n', '', '字'.repeat(1000)]

  it('gives every content back as it was', async () => {
    const archive = await make(join(home, name))
    const bytes = Uint8Array.from([0, 255, 10, 13])
    const all = [...texts, bytes].map((content) => removed(content, { tool: 'Bash', target: 'npm test' }))
    await archive.put(all)
    await archive.put(all)
    for (const { ref, content, mediaType } of all) {
      const found = await archive.get(ref)
      expect(found).toMatchObject({ ref, mediaType, tool: 'Bash', target: 'npm test' })
      expect(typeof content === 'string' ? found?.content : Uint8Array.from(found?.content as Uint8Array)).toEqual(
        content,
      )
    }
    expect(await archive.get('aaaaaaaaaaaa')).toBeUndefined()
  })

  it('finds by words', async () => {
    const archive = await make(join(home, `${name} words`))
    await archive.put([
      removed('the Needle lies here', { tool: 'Read', target: 'hay.txt' }),
      removed('only hay'),
      removed('needle needle'),
    ])
    const hits = (await archive.search?.('needle')) ?? []
    expect(hits.map(({ excerpt }) => excerpt.toLowerCase().includes('needle'))).toEqual([true, true])
    expect(await archive.search?.('needle lies')).toMatchObject([{ tool: 'Read', target: 'hay.txt' }])
    expect(await archive.search?.('nothing of it')).toEqual([])
  })
})

describe('an archive in a file', () => {
  it('is private, holds each content once, and is read by another process', async () => {
    const folder = join(home, 'shared')
    const [one, other] = [fileArchive(folder), fileArchive(folder)]
    await Promise.all([one.put([removed('a'), removed('b')]), one.put([removed('a')])])
    await other.put([removed('b'), removed('c')])
    const file = join(folder, 'content.jsonl')
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect((await one.get(referenceOf('c')))?.content).toBe('c')
  })

  it('survives a line that was cut off, and says when content is damaged', async () => {
    const folder = join(home, 'torn')
    const archive = fileArchive(folder)
    await archive.put([removed('kept')])
    appendFileSync(join(folder, 'content.jsonl'), '{"version":1,"ref":"aaaaaaaaaaaa","media')
    const next = fileArchive(folder)
    await next.put([removed('later')])
    expect((await next.get(referenceOf('kept')))?.content).toBe('kept')
    expect((await fileArchive(folder).get(referenceOf('later')))?.content).toBe('later')
    appendFileSync(join(folder, 'content.jsonl'), '{"version":1,"ref":"bbbbbbbbbbbb","text":"other"}\n')
    await expect(next.get('bbbbbbbbbbbb')).rejects.toThrow(/its hash differs/)
  })

  it('keeps what a line that was cut off only began, wherever it was cut', async () => {
    const folder = join(home, 'cut')
    const file = join(folder, 'content.jsonl')
    const text = '}"}\\"}\\\\"}:"}'
    await fileArchive(folder).put([removed(text)])
    const line = readFileSync(file)
    for (let length = 1; length < line.length; length++) {
      writeFileSync(file, line.subarray(0, length))
      const archive = fileArchive(folder)
      await archive.put([removed(text), removed(':')])
      expect((await archive.get(referenceOf(text)))?.content, String(length)).toBe(text)
      expect((await archive.get(referenceOf(':')))?.content).toBe(':')
    }
  })

  it('takes lines of several processes whole, however long, and reads a long one in linear time', async () => {
    const folder = join(home, 'long')
    const archives = Array.from({ length: 4 }, () => fileArchive(folder))
    const long = (name: number, round: number): string => `${name}/${round}`.repeat(400_000)
    const rounds = [0, 1, 2, 3, 4]
    await Promise.all(
      archives.map(async (archive, name) => {
        for (const round of rounds) await archive.put([removed(long(name, round))])
      }),
    )
    const reader = fileArchive(folder)
    for (const name of archives.keys()) {
      for (const round of rounds) expect((await reader.get(referenceOf(long(name, round))))?.content).toBeDefined()
    }
  })

  it('a pipe in its place makes nobody wait', async () => {
    const folder = join(home, 'pipe')
    mkdirSync(folder)
    execFileSync('mkfifo', [join(folder, 'content.jsonl')])
    await expect(fileArchive(folder).get('aaaaaaaaaaaa')).rejects.toThrow(/is no plain file/)
    await expect(fileArchive(folder).put([removed('x')])).rejects.toThrow(/is no plain file/)
  })

  it('an empty folder holds nothing, and one that cannot be written says so', async () => {
    expect(await fileArchive(join(home, 'none')).get('aaaaaaaaaaaa')).toBeUndefined()
    writeFileSync(join(home, 'a file'), '')
    await expect(fileArchive(join(home, 'a file', 'x')).put([removed('x')])).rejects.toThrow(/nothing was archived/)
  })
})
