import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { removed, temporaryFolder, undoInput } from '../../test/support/archive.ts'
import { SpillwayError } from '../core/errors.ts'
import { digestOf, referenceOf, referenceOfDigest } from '../core/reference.ts'
import { openArchive } from './archive.ts'
import { inTransaction, openDatabase } from './database.ts'

const BATCH = { session: 'session-1', source: '/sessions/one.jsonl', time: 1_000 }

function change(folder: string, sql: string, ...values: unknown[]): void {
  const database = new Sqlite(join(folder, 'archive.sqlite'))
  database.prepare(sql).run(...values)
  database.close()
}

describe('openArchive', () => {
  it('makes a private folder that no repository takes in', async () => {
    const folder = join(temporaryFolder(), 'deep', 'archive')
    const archive = await openArchive(folder)
    archive.put({ ...BATCH, removed: [removed('content')] })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
    expect(readdirSync(folder).some((name) => name.endsWith('-wal'))).toBe(true)
    archive.close()
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'archive.sqlite'])
  })

  it('leaves the ignore rules and the mode of a folder that was there', async () => {
    const folder = temporaryFolder()
    const project = join(folder, '.spillway')
    mkdirSync(project, { mode: 0o750 })
    ;(await openArchive(project)).close()
    expect(readFileSync(join(project, '.gitignore'), 'utf8')).toBe('*\n')
    expect(statSync(project).mode & 0o777).toBe(0o750)
    ;(await openArchive(folder)).close()
    expect(existsSync(join(folder, '.gitignore'))).toBe(false)
  })

  it('refuses what is no archive, with one line that names the file', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'archive.sqlite')
    await expect(openArchive(folder, { readOnly: true })).rejects.toMatchObject({ code: 'not-found' })
    writeFileSync(file, 'this is plain text, long enough to be looked at as a database header'.repeat(100))
    await expect(openArchive(folder)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(file),
    })
    rmSync(file)
    const foreign = new Sqlite(file)
    foreign.exec('CREATE TABLE theirs(x)')
    foreign.close()
    await expect(openArchive(folder)).rejects.toMatchObject({ code: 'unreadable' })
    rmSync(file)
    symlinkSync(join(folder, 'elsewhere.sqlite'), file)
    await expect(openArchive(folder)).rejects.toMatchObject({ code: 'unreadable' })
    expect(existsSync(join(folder, 'elsewhere.sqlite'))).toBe(false)
  })

  it('refuses a newer archive and says what to do', async () => {
    const folder = temporaryFolder()
    ;(await openArchive(folder)).close()
    const database = new Sqlite(join(folder, 'archive.sqlite'))
    database.pragma('user_version = 2')
    database.close()
    const refusal = { code: 'newer-version', message: expect.stringContaining('update spillway') }
    await expect(openArchive(folder)).rejects.toMatchObject(refusal)
    await expect(openArchive(folder, { readOnly: true })).rejects.toMatchObject(refusal)
  })

  it('says in one line that the driver is missing or was built for another Node', async () => {
    const missing = openDatabase('/nowhere', false, () =>
      Promise.reject(new Error("Cannot find package 'better-sqlite3'")),
    )
    await expect(missing).rejects.toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('\n') })
    class Unbuilt {
      constructor() {
        throw Object.assign(new Error('was compiled against a different Node.js version'), {
          code: 'ERR_DLOPEN_FAILED',
        })
      }
    }
    const unbuilt = openDatabase('/nowhere', false, () => Promise.resolve({ default: Unbuilt }))
    await expect(unbuilt).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('npm rebuild'),
    })
  })
})

describe('inTransaction', () => {
  it('holds the right to write from its start, so that what was read is still so when it writes', async () => {
    const folder = temporaryFolder()
    ;(await openArchive(folder)).close()
    const file = join(folder, 'archive.sqlite')
    const database = await openDatabase(file, false)
    const other = new Sqlite(file, { timeout: 0 })
    inTransaction(database, () => {
      expect(() => other.exec("INSERT INTO session_files VALUES ('/a', 's')")).toThrow(/locked/)
    })
    other.exec("INSERT INTO session_files VALUES ('/a', 's')")
    other.close()
    database.close()
  })
})

/** Any UTF-16 units, lone surrogates and NUL included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units))

describe('put and get', () => {
  it('give back any text and any bytes', async () => {
    const archive = await openArchive(temporaryFolder())
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 300 })), (content) => {
        archive.put({ ...BATCH, removed: [removed(content)] })
        const object = archive.get(referenceOf(content))
        const bytes = typeof object?.content === 'string' ? object.content : object && new Uint8Array(object.content)
        // The same bytes may have come as text before; then they are compared as what they are.
        if (typeof bytes === typeof content) expect(bytes).toEqual(content)
        else expect(referenceOf(bytes ?? '')).toBe(referenceOf(content))
      }),
      { numRuns: 300 },
    )
    archive.close()
  })

  it('keep one object for the same content, with every place it came from', async () => {
    const archive = await openArchive(temporaryFolder())
    const content = 'the same file, read twice'
    const first = archive.put({ ...BATCH, removed: [removed(content, { class: 'worthless' })] })
    const again = { session: 'session-2', source: '/sessions/two.jsonl', time: 2_000 }
    const second = archive.put({ ...again, removed: [removed(content, { class: 'rerunnable', target: 'cat file' })] })
    archive.put({ ...again, removed: [removed(content, { class: 'worthless', target: 'cat file' })] })
    expect([first.objects, second.objects]).toEqual([1, 0])
    const object = archive.get(referenceOf(content))
    expect(object?.class).toBe('rerunnable')
    expect(object?.origins.map((origin) => [origin.session, origin.source, origin.target, origin.time])).toEqual([
      ['session-2', '/sessions/two.jsonl', 'cat file', 2_000],
      ['session-1', '/sessions/one.jsonl', '/src/file.ts', 1_000],
    ])
    archive.close()
  })

  it('refuse content that its reference does not name, and then store nothing of the batch', async () => {
    const archive = await openArchive(temporaryFolder())
    const wrong = removed('content', { ref: referenceOf('other content') })
    expect(() => archive.put({ ...BATCH, removed: [removed('good'), wrong] })).toThrow(/does not name its content/)
    expect(archive.get(referenceOf('good'))).toBeUndefined()
    archive.put({ ...BATCH, removed: [removed('good')] })
    expect(archive.get(referenceOf('good'))?.content).toBe('good')
    archive.close()
  })

  it('tell two contents with one reference apart by more of their hash', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.put({ ...BATCH, removed: [removed('one'), removed('two')] })
    const ref = referenceOf('one')
    const insert = 'INSERT INTO objects(ref, sha256, put, kind, media_type, class, bytes, packing, stored, body)'
    const columns = 'kind, media_type, class, bytes, packing, stored, body'
    // 60 bits cannot be made to collide here: another object gets this reference and a hash that starts the same.
    const sha256 = digestOf('one')
    sha256.writeUInt8((sha256.readUInt8(31) + 1) % 256, 31)
    change(folder, `${insert} SELECT ?, ?, put, ${columns} FROM objects WHERE ref = ?`, ref, sha256, referenceOf('two'))
    expect(() => archive.get(ref)).toThrow(/names 2 different contents/)
    expect(archive.get(referenceOfDigest(digestOf('one'), 52))?.content).toBe('one')
    expect(archive.get(referenceOf('two'))?.content).toBe('two')
    archive.close()
  })

  it('never give back content that is not what was stored', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.put({ ...BATCH, removed: [removed('short'), removed('long enough to be packed '.repeat(50))] })
    change(folder, "UPDATE objects SET body = CAST('shirt' AS BLOB) WHERE bytes = 5")
    change(folder, 'UPDATE objects SET body = zeroblob(20) WHERE bytes > 5')
    for (const content of ['short', 'long enough to be packed '.repeat(50)]) {
      expect(() => archive.get(referenceOf(content))).toThrow(/the archived content is/)
    }
    archive.close()
  })

  it('survive a damaged file with one clear error', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.put({ ...BATCH, removed: Array.from({ length: 300 }, (_, at) => removed(`content ${at} `.repeat(300))) })
    archive.close()
    const file = join(folder, 'archive.sqlite')
    const bytes = readFileSync(file)
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 200)
    writeFileSync(file, bytes)
    const attempt = async () => {
      const damaged = await openArchive(folder, { readOnly: true })
      try {
        return damaged.get(referenceOf('content 7 '.repeat(300)))
      } finally {
        damaged.close()
      }
    }
    await expect(attempt()).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('survive damage anywhere: what can be read is right, the rest is one clear error', {
    timeout: 60_000,
  }, async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const contents = Array.from({ length: 40 }, (_, at) => `content ${at} `.repeat(100))
    const after = Buffer.from('short')
    const undo = undoInput('/a', Buffer.from('original'), after, [
      { start: 0, end: 5, original: Buffer.from('original') },
    ])
    archive.put({ ...BATCH, removed: contents.map((content) => removed(content)), undos: [undo] })
    archive.close()
    const file = join(folder, 'archive.sqlite')
    const sound = readFileSync(file)
    const use = async (readOnly: boolean) => {
      const damaged = await openArchive(folder, { readOnly })
      try {
        for (const content of contents)
          expect([content, undefined]).toContain(damaged.get(referenceOf(content))?.content)
        damaged.search({ words: 'content' })
        damaged.sessionFiles()
        for (const record of damaged.undoRecords()) for (const _ of damaged.splices(record.id));
      } finally {
        damaged.close()
      }
    }
    let refused = 0
    for (let at = 16; at < sound.length; at += Math.ceil(sound.length / 60)) {
      const bytes = Buffer.from(sound)
      bytes.fill(0xa5, at, at + 300)
      writeFileSync(file, bytes)
      await use(at % 2 === 0).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SpillwayError)
        refused++
      })
      for (const rest of ['-wal', '-shm', '-journal']) rmSync(file + rest, { force: true })
    }
    expect(refused).toBeGreaterThan(10)
  })
})

describe('undo records', () => {
  it('keep splices as they were and are found by length, newest first', async () => {
    const archive = await openArchive(temporaryFolder())
    const original = Buffer.from('x'.repeat(3_000_000))
    const splices = [
      { start: 0, end: 4, original },
      { start: 4, end: 4, original: Buffer.from([0, 255, 254]) },
      { start: 9, end: 12, original },
      { start: 12, end: 13, original: Buffer.alloc(0) },
    ]
    const output = Buffer.from('0123456789abcdef')
    archive.put({ ...BATCH, removed: [], undos: [undoInput('/a', Buffer.from('before'), output, splices)] })
    archive.put({ ...BATCH, time: 2, removed: [], undos: [undoInput('/b', output, Buffer.from('short'), [])] })
    expect(archive.undoRecords().map((record) => record.source)).toEqual(['/b', '/a'])
    expect(archive.undoRecords(10).map((record) => record.source)).toEqual(['/b'])
    const [record] = archive.undoRecords().slice(1)
    const restored = [...archive.splices(record?.id ?? 0)]
    expect(restored.map(({ start, end }) => [start, end])).toEqual(splices.map(({ start, end }) => [start, end]))
    for (const [at, splice] of splices.entries())
      expect(splice.original.compare(restored[at]?.original ?? new Uint8Array([1]))).toBe(0)
    expect(record?.splices).toBe(4)
    expect(archive.sessionFiles()).toEqual(['/a', '/b', '/sessions/one.jsonl'])
    archive.close()
  })

  it('are kept once when the same compaction runs again', async () => {
    const archive = await openArchive(temporaryFolder())
    const undos = [
      undoInput('/a', Buffer.from('before'), Buffer.from('after'), [{ start: 0, end: 5, original: Buffer.from('b') }]),
    ]
    expect(archive.put({ ...BATCH, removed: [], undos }).bytes).toBeGreaterThan(0)
    expect(archive.put({ ...BATCH, removed: [], undos }).bytes).toBe(0)
    expect(archive.undoRecords()).toHaveLength(1)
    archive.close()
  })

  it('refuse splices that overlap or leave the output; nothing of the batch is stored', async () => {
    const archive = await openArchive(temporaryFolder())
    const original = Buffer.from('x')
    const overlapping = [
      { start: 0, end: 3, original },
      { start: 2, end: 4, original },
    ]
    for (const splices of [overlapping, [{ start: 0, end: 6, original }], [{ start: 3, end: 2, original }]]) {
      const undos = [undoInput('/a', Buffer.from('before'), Buffer.from('after'), splices)]
      expect(() => archive.put({ ...BATCH, removed: [removed('content')], undos })).toThrow(/out of order/)
    }
    expect(archive.undoRecords()).toEqual([])
    expect(archive.get(referenceOf('content'))).toBeUndefined()
    archive.close()
  })
})

describe('spill', () => {
  it('writes a private readable copy, again where it is missing', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.put({ ...BATCH, removed: [removed('long output\n')] })
    const ref = referenceOf('long output\n')
    const path = archive.spill(ref)
    expect(path).toBe(join(folder, 'spill', `${ref}.txt`))
    expect(readFileSync(path, 'utf8')).toBe('long output\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(archive.get(ref)?.spilled).toBe(true)
    rmSync(path)
    expect(readFileSync(archive.spill(ref), 'utf8')).toBe('long output\n')
    expect(() => archive.spill('aaaaaaaaaaaa')).toThrow(/no such content/)
    archive.close()
  })
})

describe('keep', () => {
  const kept = (content: string | Uint8Array, mediaType = 'text/plain') => ({
    ...BATCH,
    removed: { ...removed(content), mediaType },
  })

  it('has the readable copy on disk when it returns, and the database at once for whoever asks', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const path = archive.keep(kept('a long output'))
    expect(readFileSync(path, 'utf8')).toBe('a long output')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'spill')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(folder, 'spill'))).toHaveLength(1)
    expect(archive.search({ words: 'output' })).toHaveLength(1)
    expect(archive.get(referenceOf('a long output'))).toMatchObject({ content: 'a long output', spilled: true })
    archive.close()
  })

  it('follows with the next turn of the event loop', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.keep(kept('one'))
    archive.keep(kept('two'))
    const objects = () => new Sqlite(join(folder, 'archive.sqlite')).prepare('SELECT ref FROM objects').all().length
    expect(objects()).toBe(0)
    await new Promise((done) => setImmediate(done))
    expect(objects()).toBe(2)
    archive.close()
  })

  it('takes in at the next opening what a crash left, and nothing that is not what its name says', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    archive.keep(kept('survivor'))
    archive.keep(kept(Buffer.from([0x89, 0x50, 1, 2]), 'image/png'))
    archive.close()
    change(folder, 'DELETE FROM objects')
    writeFileSync(join(folder, 'spill', 'aaaaaaaaaaaa.txt'), 'not what it is called')
    const again = await openArchive(folder)
    expect(again.get(referenceOf('survivor'))).toMatchObject({ content: 'survivor', spilled: true })
    expect(again.get(referenceOf(Buffer.from([0x89, 0x50, 1, 2])))).toMatchObject({ mediaType: 'image/png' })
    expect(again.get('aaaaaaaaaaaa')).toBeUndefined()
    again.close()
  })

  it('keeps nothing in an archive that was opened to be read', async () => {
    const folder = temporaryFolder()
    ;(await openArchive(folder)).close()
    const archive = await openArchive(folder, { readOnly: true })
    expect(() => archive.keep(kept('content'))).toThrow(/opened to be read/)
    expect(existsSync(join(folder, 'spill'))).toBe(false)
    archive.close()
  })

  it('writes a damaged copy anew, whole', async () => {
    const archive = await openArchive(temporaryFolder())
    const path = archive.keep(kept('all of it'))
    writeFileSync(path, 'all')
    expect(readFileSync(archive.keep(kept('all of it')), 'utf8')).toBe('all of it')
    writeFileSync(path, '')
    expect(readFileSync(archive.spill(referenceOf('all of it')), 'utf8')).toBe('all of it')
    archive.close()
  })

  it('keeps half a surrogate pair in the database, before it answers', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    const content = '\ud83dxxx'
    expect(readFileSync(archive.keep(kept(content)), 'utf8')).toBe('\ufffdxxx')
    expect(new Sqlite(join(folder, 'archive.sqlite')).prepare('SELECT ref FROM objects').all()).toHaveLength(1)
    expect(archive.get(referenceOf(content))?.content).toBe(content)
    archive.close()
  })

  it('keeps nothing where the folder is a file or leads elsewhere', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    writeFileSync(join(folder, 'spill'), '')
    expect(() => archive.keep(kept('content'))).toThrow(SpillwayError)
    rmSync(join(folder, 'spill'))
    const elsewhere = temporaryFolder()
    symlinkSync(elsewhere, join(folder, 'spill'))
    expect(() => archive.keep(kept('content'))).toThrow(/symbolic link/)
    expect(readdirSync(elsewhere)).toEqual([])
    archive.close()
  })

  it('reports a database that cannot be written; the copy stays and is taken in later', async () => {
    const folder = temporaryFolder()
    const archive = await openArchive(folder)
    change(folder, 'DROP TABLE origin_words')
    const problems: unknown[] = []
    const path = archive.keep({ ...kept('content'), onProblem: (error) => problems.push(error) })
    await new Promise((done) => setImmediate(done))
    expect(problems).toHaveLength(1)
    expect(readFileSync(path, 'utf8')).toBe('content')
    archive.close()
  })
})
