/** The archive under what happens to it: other processes, kills, full disks, and the words of real sessions. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import { referenceOf } from '../src/core/reference.ts'
import { removed, temporaryFolder, undoInput } from './support/archive.ts'
import { batchContents } from './support/put-batches.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const PUT_BATCHES = fileURLToPath(new URL('./support/put-batches.ts', import.meta.url))

function putter(folder: string, name: string, batches: number, objects: number): ChildProcess {
  const words = ['--import', 'tsx', PUT_BATCHES, folder, name, String(batches), String(objects)]
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
}

function integrity(folder: string): unknown {
  const database = new Sqlite(join(folder, 'archive.sqlite'))
  const found = database.pragma('integrity_check', { simple: true })
  database.close()
  return found
}

describe('several processes at once', () => {
  it('lose nothing, also when all of them create the archive', async () => {
    const folder = join(temporaryFolder(), 'archive')
    const names = ['one', 'two', 'three']
    const children = names.map((name) => putter(folder, name, 15, 20))
    for (const child of children) child.stdout?.resume()
    const exits = await Promise.all(children.map((child) => once(child, 'exit')))
    expect(exits).toEqual(names.map(() => [0, null]))
    const archive = await openArchive(folder, { readOnly: true })
    for (const name of names) {
      for (let batch = 0; batch < 15; batch++) {
        for (const content of batchContents(name, batch, 20))
          expect(archive.get(referenceOf(content))?.content).toBe(content)
      }
    }
    const shared = archive.get(referenceOf('shared by all'))
    expect(shared?.origins.map((origin) => origin.session).sort()).toEqual(names.toSorted())
    archive.close()
    expect(integrity(folder)).toBe('ok')
  })

  it('leave whole batches behind when they are killed', async () => {
    const folder = join(temporaryFolder(), 'archive')
    const finished: string[][] = []
    for (let round = 0; round < 8; round++) {
      const name = `round-${round}`
      const child = putter(folder, name, 1000, 20)
      let said = ''
      child.stdout?.on('data', (chunk) => {
        said += String(chunk)
      })
      while (said.split('\n').length <= 2 + round) await once(child.stdout ?? child, 'data')
      await new Promise((resolve) => setTimeout(resolve, round * 3))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const lines = said.split('\n').length - 1
      for (let batch = 0; batch < lines; batch++) finished.push(batchContents(name, batch, 20))
    }
    const archive = await openArchive(folder)
    for (const contents of finished) {
      for (const content of contents) expect(archive.get(referenceOf(content))?.content).toBe(content)
    }
    // What was cut off may be there or not, but never in part.
    for (let round = 0; round < 8; round++) {
      for (let batch = 0; batch < 1000; batch++) {
        const [, ...own] = batchContents(`round-${round}`, batch, 20)
        const there = own.filter((content) => archive.get(referenceOf(content))).length
        expect([0, own.length]).toContain(there)
        if (there === 0) break
      }
    }
    archive.close()
    expect(integrity(folder)).toBe('ok')
  })
})

const MOUNT = 'mount'
const UNMOUNT = 'umount'

/** A file system of this size, where this user may mount one. */
function smallDisk(bytes: number): string | undefined {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => {
    execFileSync(UNMOUNT, ['-l', folder])
  })
  return folder
}

describe('where nothing can be written', () => {
  it('a full disk stores nothing of the batch, says so in one line, and keeps what was there', async ({ skip }) => {
    const disk = smallDisk(1_000_000)
    if (disk === undefined) {
      noticeMissing('the right to mount a small disk')
      return skip()
    }
    const folder = join(disk, 'archive')
    const archive = await openArchive(folder)
    archive.put({ session: 's', source: '/s', time: 1, removed: [removed('stored before')] })
    const large = Array.from({ length: 40 }, (_, at) => removed(Buffer.from(randomLooking(at, 40_000))))
    const output = Buffer.from('after')
    const undos = [undoInput('/s', Buffer.from('before'), output, [{ start: 0, end: 5, original: Buffer.from('b') }])]
    const put = () => archive.put({ session: 's', source: '/s', time: 2, removed: large, undos })
    expect(put).toThrow(
      expect.objectContaining({ code: 'unwritable', message: expect.stringMatching(/the disk is full; nothing/) }),
    )
    expect(archive.undoRecords()).toEqual([])
    expect(large.filter((one) => archive.get(one.ref))).toEqual([])
    expect(archive.get(referenceOf('stored before'))?.content).toBe('stored before')
    archive.put({ session: 's', source: '/s', time: 3, removed: [removed('stored after')] })
    archive.close()
    const again = await openArchive(folder, { readOnly: true })
    expect(again.get(referenceOf('stored after'))?.content).toBe('stored after')
    again.close()
  })

  it('a disk too full for an archive at all is one clear error', async ({ skip }) => {
    const disk = smallDisk(16_384)
    if (disk === undefined) {
      noticeMissing('the right to mount a small disk')
      return skip()
    }
    await expect(openArchive(join(disk, 'archive'))).rejects.toMatchObject({ code: 'unwritable' })
  })

  it('a file in place of the folder, or of its parent, is one clear error', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, 'mine')
    for (const folder of [file, join(file, 'inside')]) {
      await expect(openArchive(folder)).rejects.toMatchObject({
        code: 'unwritable',
        message: expect.not.stringContaining('\n'),
      })
    }
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  it('a folder in place of the database is one clear error', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'archive.sqlite'))
    await expect(openArchive(folder)).rejects.toMatchObject({ code: 'unwritable' })
    rmSync(join(folder, 'archive.sqlite'), { recursive: true })
  })
})

/** Bytes that do not compress, the same in every run. */
function randomLooking(seed: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed + 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Texts of the tool results in a recorded Claude Code session, without the formats' reader: what a person would see. */
function resultTexts(file: string): string[] {
  const texts: string[] = []
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    let entry: { message?: { content?: unknown } }
    try {
      entry = JSON.parse(line)
    } catch {
      continue
    }
    const content = entry.message?.content
    for (const block of Array.isArray(content) ? content : []) {
      if (block?.type === 'tool_result' && typeof block.content === 'string') texts.push(block.content)
    }
  }
  return texts
}

/** Words in exactly one of the texts, `count` of them, spread evenly over all. */
function uniqueWords(texts: readonly string[], pattern: RegExp, count: number): { word: string; text: string }[] {
  const holders = new Map<string, string | undefined>()
  for (const text of texts) {
    for (const word of new Set(text.match(pattern))) holders.set(word, holders.has(word) ? undefined : text)
  }
  const unique = [...holders].flatMap(([word, text]) => (text === undefined ? [] : [{ word, text }]))
  return Array.from(
    { length: count },
    (_, at) => unique[Math.floor((at * unique.length) / count)] ?? { word: '', text: '' },
  )
}

describe.skipIf(!hasData)('words of real sessions', () => {
  it.each([
    ['identifiers', /[A-Za-z_][A-Za-z0-9_]{4,}/g],
    ['runs of letters inside them', /[A-Za-z]{5,}/g],
    ['hex and digits', /\b[0-9a-f]{6,}\b/g],
    ['digits', /[0-9]{4,}/g],
    ['whatever stands between blanks', /\S{4,}/g],
    ['letters of any script', /\p{L}{3,}/gu],
  ])('%s in exactly one object find it among the first three hits', async (_, pattern) => {
    const texts = [...new Set(sessionFiles('claude-code').flatMap(resultTexts))].filter((text) => text.length > 0)
    const archive = await openArchive(join(temporaryFolder(), 'archive'))
    archive.put({ session: 's', source: '/s', time: 1, removed: texts.map((text) => removed(text)) })
    const samples = uniqueWords(texts, pattern, 200)
    const missed = samples.filter(({ word, text }) => {
      const hits = archive.search({ words: word, limit: 3 })
      return !hits.some((hit) => hit.ref === referenceOf(text))
    })
    archive.close()
    expect(samples.every(({ word }) => word !== '')).toBe(true)
    expect(missed.map(({ word }) => word)).toEqual([])
  })
})

if (!hasData) noticeMissing('the shared data')
