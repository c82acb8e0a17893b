import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { removed, temporaryFolder, undoInput } from '../../test/support/archive.ts'
import type { ContentClass } from '../core/edits.ts'
import { referenceOf } from '../core/reference.ts'
import { type Archive, openArchive } from './archive.ts'
import type { CollectInput } from './retention.ts'

const NOTHING = { refs: new Set<string>(), undos: new Set<number>() }
const HOUR = 3_600_000

/** Content that does not compress, so that sizes are what they seem. */
function noise(name: string, bytes: number): string {
  let text = name
  while (text.length < bytes) text += referenceOf(text.slice(-60) + text.length)
  return text
}

function put(archive: Archive, name: string, klass: ContentClass, time: number, session = 's'): string {
  const content = noise(name, 20_000)
  archive.put({ session, source: `/${session}`, time, removed: [removed(content, { class: klass })] })
  return referenceOf(content)
}

const collect = (archive: Archive, input: Partial<CollectInput>) =>
  archive.collect({ needed: NOTHING, now: 1_000 * HOUR, ...input })

describe('collect', () => {
  it('lets worthless content go first, then what can be run again, then the rest, oldest first', async () => {
    const archive = await openArchive(temporaryFolder())
    const order = [
      put(archive, 'a', 'worthless', 5),
      put(archive, 'b', 'worthless', 6),
      put(archive, 'c', 'rerunnable', 3),
      put(archive, 'd', 'rerunnable', 4),
      put(archive, 'e', 'restorable', 1),
      put(archive, 'f', 'restorable', 2),
    ]
    let bytes = collect(archive, { maxBytes: Number.POSITIVE_INFINITY }).bytesBefore
    for (let gone = 1; gone <= order.length; gone++) {
      const report = collect(archive, { maxBytes: bytes - 1 })
      expect(order.map((ref) => archive.get(ref) === undefined)).toEqual(order.map((_, at) => at < gone))
      bytes = report.bytesAfter
    }
    archive.close()
  })

  it('makes the file really smaller and removes no more than asked', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const refs = Array.from({ length: 60 }, (_, at) => put(archive, `object ${at}`, 'rerunnable', at))
    const { bytesBefore, bytesAfter } = collect(archive, { maxBytes: 700_000 })
    expect(bytesBefore).toBeGreaterThan(700_000)
    expect(bytesAfter).toBeLessThanOrEqual(700_000)
    expect(bytesAfter).toBeGreaterThan(500_000)
    expect(refs.filter((ref) => archive.get(ref)).length).toBeGreaterThan(10)
    archive.close()
    expect(statSync(`${folder}/archive.sqlite`).size).toBe(bytesAfter)
  })

  it('finds no word of what was removed, and every word of what was kept', async () => {
    const archive = await openArchive(temporaryFolder())
    const gone = removed('a vanishing needle', { target: 'cat vanishing.txt' })
    archive.put({ session: 's', source: '/s', time: 1, removed: [gone] })
    archive.put({ session: 's', source: '/s', time: 9, removed: [removed('a lasting needle')] })
    collect(archive, { before: 5 })
    expect(archive.search({ words: 'vanishing' })).toEqual([])
    expect(archive.search({ words: 'anishin' })).toEqual([])
    expect(archive.search({ words: 'needle' }).map((hit) => hit.ref)).toEqual([referenceOf('a lasting needle')])
    // Row numbers may come again; the words must not.
    collect(archive, { before: 10 })
    archive.put({ session: 's', source: '/s', time: 11, removed: [removed('new', { target: 'new' })] })
    expect(archive.search({ words: 'vanishing' })).toEqual([])
    expect(archive.search({ words: 'new' })).toHaveLength(1)
    archive.close()
  })

  it('keeps what is needed unless forced', async () => {
    const archive = await openArchive(temporaryFolder())
    const needed = put(archive, 'needed', 'worthless', 1)
    const unneeded = put(archive, 'unneeded', 'restorable', 2)
    const undo = undoInput('/s', Buffer.from('before'), Buffer.from('after'), [
      { start: 0, end: 5, original: Buffer.from('x') },
    ])
    archive.put({ session: 's', source: '/s', time: 1, removed: [], undos: [undo] })
    const [record] = archive.undoRecords()
    const keep = { refs: new Set([needed]), undos: new Set([record?.id ?? 0]) }
    const report = collect(archive, { maxBytes: 0, needed: keep })
    expect(report).toMatchObject({ needed: 2, removed: { undos: 0, objects: { worthless: 0, restorable: 1 } } })
    expect(archive.get(unneeded)).toBeUndefined()
    expect(archive.get(needed)).toBeDefined()
    expect(archive.undoRecords()).toHaveLength(1)
    expect(collect(archive, { maxBytes: 0, needed: keep, force: true })).toMatchObject({
      needed: 0,
      removed: { undos: 1, objects: { worthless: 1 } },
    })
    expect(archive.get(needed)).toBeUndefined()
    expect(archive.undoRecords()).toEqual([])
    expect(archive.sessionFiles()).toEqual([])
    archive.close()
  })

  it('takes only what the session alone gave', async () => {
    const archive = await openArchive(temporaryFolder())
    const own = put(archive, 'own', 'restorable', 1, 'session-1')
    const shared = put(archive, 'shared', 'restorable', 1, 'session-1')
    put(archive, 'shared', 'restorable', 2, 'session-2')
    const others = put(archive, 'others', 'restorable', 1, 'session-2')
    expect(() => collect(archive, { session: 'session' })).toThrow(/2 sessions in the archive start like this/)
    expect(() => collect(archive, { session: 'nobody' })).toThrow(/no such session/)
    collect(archive, { session: 'session-1' })
    expect([own, shared, others].map((ref) => archive.get(ref) !== undefined)).toEqual([false, true, true])
    archive.close()
  })

  it('counts age from the last time content was archived', async () => {
    const archive = await openArchive(temporaryFolder())
    const old = put(archive, 'old', 'restorable', 1)
    const again = put(archive, 'again', 'restorable', 1)
    put(archive, 'again', 'restorable', 100)
    collect(archive, { before: 50 })
    expect([old, again].map((ref) => archive.get(ref) !== undefined)).toEqual([false, true])
    archive.close()
  })

  it('lets readable copies go first', async () => {
    const archive = await openArchive(temporaryFolder())
    const ref = put(archive, 'spilled', 'worthless', 1)
    const path = archive.spill(ref)
    const { bytesBefore } = collect(archive, { maxBytes: Number.POSITIVE_INFINITY })
    expect(collect(archive, { maxBytes: bytesBefore - 1 }).removed).toMatchObject({
      spills: 1,
      objects: { worthless: 0 },
    })
    expect(existsSync(path)).toBe(false)
    expect(archive.get(ref)).toBeDefined()
    archive.close()
  })

  it('leaves a copy alone that the database has not taken in yet', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const other = await openArchive(folder)
    const path = other.keep({ session: 's', source: '/s.jsonl', time: 1, removed: removed('just spilled elsewhere') })
    expect(collect(archive, { maxBytes: 0 }).removed.spills).toBe(0)
    expect(existsSync(path)).toBe(true)
    other.close()
    archive.close()
  })

  it('only tells in a dry run', async () => {
    const archive = await openArchive(temporaryFolder())
    const ref = put(archive, 'content', 'worthless', 1)
    const path = archive.spill(ref)
    const report = collect(archive, { maxBytes: 0, dryRun: true })
    expect(report.removed).toMatchObject({ spills: 1, objects: { worthless: 1 } })
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore)
    expect(archive.get(ref)).toBeDefined()
    expect(existsSync(path)).toBe(true)
    archive.close()
  })

  it('leaves alone what a running process has just stored: its output may not be written yet', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const ref = put(archive, 'content', 'worthless', 1)
    const database = new Sqlite(join(folder, 'archive.sqlite'))
    database.prepare('UPDATE puts SET writer = ?').run(process.ppid)
    database.close()
    expect(collect(archive, { maxBytes: 0, now: 1_000 })).toMatchObject({
      needed: 1,
      removed: { objects: { worthless: 0 } },
    })
    expect(archive.get(ref)).toBeDefined()
    collect(archive, { maxBytes: 0, now: HOUR })
    expect(archive.get(ref)).toBeUndefined()
    archive.close()
  })
})
