import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { removed, temporaryFolder, undoInput } from '../../test/support/archive.ts'
import { type Archive, openArchive, storeSource, type UndoInput } from '../archive/index.ts'
import { pointerTo } from '../core/pointer.ts'
import { referenceOf } from '../core/reference.ts'
import { collectGarbage } from './collect-garbage.ts'

const pointer = (content: string) => pointerTo({ ref: referenceOf(content), tool: 'Read', size: '9 characters' })
const line = (text: string) => `${JSON.stringify({ type: 'user', text })}\n`

async function garbageIn(root: string) {
  const folder = join(root, 'archive')
  const archive = await openArchive(folder)
  const collect = (limits: object) =>
    collectGarbage({ archive: folder, workingFolder: root, environment: {}, now: Date.now(), maxBytes: 0, ...limits })
  return { archive, collect }
}

function put(archive: Archive, source: string, contents: readonly string[], undos: readonly UndoInput[] = []): void {
  archive.put({ session: source, source, time: 1, removed: contents.map((content) => removed(content)), undos })
}

const held = (archive: Archive, contents: readonly string[]) =>
  contents.filter((content) => archive.get(referenceOf(content)) !== undefined)

/** Compacts a file as far as the archive can tell: one line becomes a pointer. */
function compact(archive: Archive, file: string, content: string): void {
  const before = readFileSync(file)
  const start = before.indexOf(line(content))
  const after = Buffer.from(before.toString('utf8').replace(line(content), line(pointer(content))))
  const end = start + Buffer.byteLength(line(pointer(content)))
  put(
    archive,
    file,
    [content],
    [undoInput(file, before, after, [{ start, end, original: Buffer.from(line(content)) }])],
  )
  writeFileSync(file, after)
}

describe('collectGarbage', () => {
  it('keeps what the view of a session store points to, unless it is forced', async () => {
    const { archive, collect } = await garbageIn(temporaryFolder())
    put(archive, storeSource('-home-dev-proj', 's1'), ['in a view'])
    put(archive, '/gone/session.jsonl', ['in a file that is gone'])
    await collect({})
    expect(held(archive, ['in a view', 'in a file that is gone'])).toEqual(['in a view'])
    await collect({ force: true })
    expect(held(archive, ['in a view'])).toEqual([])
    archive.close()
  })

  it('keeps what a pointer in a known session names, plain or gzipped, and lets go of the rest', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const [plain, zipped, found] = ['plain.jsonl', 'zipped.jsonl.gz', 'found.jsonl'].map((name) => join(root, name))
    put(archive, plain ?? '', ['one', 'unneeded'])
    put(archive, zipped ?? '', ['two'])
    put(archive, join(root, 'gone.jsonl'), ['three', 'copied'])
    writeFileSync(plain ?? '', line(pointer('one')))
    writeFileSync(zipped ?? '', gzipSync(line(pointer('two'))))
    writeFileSync(found ?? '', line(pointer('copied')))
    const all = ['one', 'two', 'three', 'copied', 'unneeded']
    const [report] = await collect({ sessionFiles: [found ?? ''] })
    expect(held(archive, all)).toEqual(['one', 'two', 'copied'])
    expect(report).toMatchObject({ needed: 3, removed: { objects: { restorable: 2 } } })
    await collect({ force: true })
    expect(held(archive, all)).toEqual([])
    archive.close()
  })

  it('finds a pointer that a chunk boundary cuts', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const file = join(root, 'long.jsonl')
    put(archive, file, ['one'])
    const text = pointer('one')
    for (const cut of [1, 10, 20, 24]) {
      writeFileSync(file, `${'x'.repeat(1024 * 1024 - cut)}${text}`)
      await collect({})
      expect(held(archive, ['one'])).toEqual(['one'])
    }
    archive.close()
  })

  it('keeps every record of a chain of compactions while the file begins with the last output', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const file = join(root, 'session.jsonl')
    writeFileSync(file, ['first', 'second', 'third'].map(line).join(''))
    compact(archive, file, 'first')
    writeFileSync(file, line('appended'), { flag: 'a' })
    compact(archive, file, 'second')
    writeFileSync(file, line('more'), { flag: 'a' })
    await collect({})
    expect(archive.undoRecords()).toHaveLength(2)
    expect(held(archive, ['first', 'second'])).toEqual(['first', 'second'])
    writeFileSync(file, line('something else'))
    await collect({})
    expect(archive.undoRecords()).toEqual([])
    expect(held(archive, ['first', 'second'])).toEqual([])
    archive.close()
  })

  it('keeps what a kept object itself points to', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const file = join(root, 'session.jsonl')
    const outer = `a dropped exchange: ${pointer('inner')}`
    put(archive, file, ['inner', outer])
    writeFileSync(file, line(pointer(outer)))
    await collect({})
    expect(held(archive, ['inner', outer])).toEqual(['inner', outer])
    archive.close()
  })

  it('removes nothing while a known session cannot be read', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const file = join(root, 'session.jsonl.gz')
    put(archive, file, ['one'])
    writeFileSync(file, gzipSync(Buffer.from(createHash('sha512').update('x').digest('hex'))).subarray(0, 40))
    await expect(collect({})).rejects.toMatchObject({ code: 'unreadable', message: expect.stringMatching(/--force/) })
    expect(held(archive, ['one'])).toEqual(['one'])
    rmSync(file)
    await collect({})
    expect(held(archive, ['one'])).toEqual([])
    archive.close()
  })

  it('does not wait for a session that came through a named pipe', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    const pipe = join(root, 'pipe')
    execFileSync('mkfifo', [pipe])
    put(archive, pipe, ['one'])
    expect(await collect({ dryRun: true })).toMatchObject([{ removed: { objects: { restorable: 1 } } }])
  })

  it('removes nothing without a limit, and only what is old enough with an age', async () => {
    const root = temporaryFolder()
    const { archive, collect } = await garbageIn(root)
    put(archive, join(root, 'gone'), ['one'])
    expect(await collect({ maxBytes: undefined })).toMatchObject([{ removed: { objects: { restorable: 0 } } }])
    await collect({ maxBytes: undefined, olderThan: 5, now: 6 })
    expect(held(archive, ['one'])).toEqual(['one'])
    await collect({ maxBytes: undefined, olderThan: 4, now: 6 })
    expect(held(archive, ['one'])).toEqual([])
    archive.close()
  })

  it('says when there is no archive where it was asked to look, and no such session anywhere', async () => {
    const root = temporaryFolder()
    const place = { workingFolder: root, environment: { XDG_DATA_HOME: root }, now: 1 }
    expect(await collectGarbage(place)).toEqual([])
    await expect(collectGarbage({ ...place, archive: join(root, 'none') })).rejects.toMatchObject({ code: 'not-found' })
    const { archive, collect } = await garbageIn(root)
    await expect(collect({ session: 'nobody' })).rejects.toMatchObject({ code: 'not-found' })
    archive.close()
  })
})
