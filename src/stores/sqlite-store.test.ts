import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/archive.ts'
import { KEY, told, WORKER } from '../../test/support/stored-sessions.ts'
import { openDatabase } from '../archive/index.ts'
import { entryText } from './entry-text.ts'
import {
  type FoldSummary,
  type SessionStoreEntry,
  SqliteSessionStore,
  type SqliteSessionStoreOptions,
} from './index.ts'
import { prepareSchema, SCHEMA_STEPS, STORE_KIND } from './sqlite-schema.ts'

const MANY = 260_000

function storeAt(file: string, options: SqliteSessionStoreOptions = {}): SqliteSessionStore {
  const store = new SqliteSessionStore(file, options)
  onTestFinished(() => store.close())
  return store
}

function storeFile(): string {
  return join(temporaryFolder(), 'deep', 'sessions.sqlite')
}

/** Counts, so that what is folded twice or not at all shows. */
const counting: FoldSummary = (previous, key, entries, { mtime = 0 } = {}) => ({
  sessionId: key.sessionId,
  mtime,
  data: { entries: Number(previous?.data.entries ?? 0) + entries.length },
})

describe('the file', () => {
  it('is private, and made with the first call', async () => {
    const file = storeFile()
    const store = storeAt(file)
    expect(existsSync(file)).toBe(false)
    await store.append(KEY, told(1))
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(dirname(file))) expect(statSync(join(dirname(file), name)).mode & 0o777).toBe(0o600)
  })

  it('is opened again after it was closed', async () => {
    const store = storeAt(storeFile())
    await store.append(KEY, told(1))
    await store.close()
    expect(await store.load(KEY)).toEqual(told(1))
  })

  it('is refused where it is no session store, newer, damaged, a link or a folder', async () => {
    const folder = temporaryFolder()
    const foreign = new Sqlite(join(folder, 'foreign.sqlite'))
    foreign.exec('CREATE TABLE t(a)')
    foreign.close()
    const newer = join(folder, 'newer.sqlite')
    await storeAt(newer).append(KEY, told(1))
    const changed = new Sqlite(newer)
    changed.pragma(`user_version = ${SCHEMA_STEPS.length + 1}`)
    changed.close()
    writeFileSync(join(folder, 'damaged.sqlite'), 'no database at all, but long enough to be looked at by SQLite')
    symlinkSync(newer, join(folder, 'link.sqlite'))
    mkdirSync(join(folder, 'folder.sqlite'))
    for (const [name, code, words] of [
      ['foreign', 'unreadable', 'no session store of Spillway'],
      ['newer', 'newer-version', 'update spillway'],
      ['damaged', 'unreadable', 'is damaged or no session store'],
      ['link', 'unreadable', 'is a symbolic link'],
      ['folder', 'unwritable', 'cannot be opened'],
    ] as const) {
      const load = storeAt(join(folder, `${name}.sqlite`)).load(KEY)
      await expect(load).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    }
  })

  it('says in one line what is missing, and tries again the next time', async () => {
    const missing = openDatabase('/nowhere', false, () => Promise.reject(new Error('no such package')), STORE_KIND)
    await expect(missing).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the session store needs better-sqlite3: npm install better-sqlite3',
    })
    const blocker = join(temporaryFolder(), 'blocker')
    writeFileSync(blocker, '')
    const store = storeAt(join(blocker, 'store.sqlite'))
    await expect(store.append(KEY, told(1))).rejects.toMatchObject({ code: 'unwritable' })
    rmSync(blocker)
    await store.append(KEY, told(1))
    expect(await store.load(KEY)).toEqual(told(1))
  })
})

describe('append', () => {
  it(`takes ${MANY} entries at once`, async () => {
    const store = storeAt(storeFile())
    const entries = Array.from({ length: MANY }, (_, index): SessionStoreEntry => ({ type: 'user', uuid: `u${index}` }))
    await store.append(KEY, entries)
    await store.append(KEY, entries.slice(-1000))
    expect(await store.load(KEY)).toHaveLength(MANY)
  })

  it('stores nothing of a batch that holds what is no JSON', async () => {
    const store = storeAt(storeFile())
    const cycle: SessionStoreEntry = { type: 'user', uuid: 'b' }
    cycle.self = cycle
    for (const broken of [cycle, { type: 'user', uuid: 'b', big: 1n }]) {
      const append = store.append(KEY, [...told(1), broken])
      await expect(append).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/entry 5 of the batch/),
      })
    }
    expect(await store.load(KEY)).toBeNull()
  })

  it('stores nothing of a batch that the disk cannot take', async () => {
    const file = storeFile()
    const store = storeAt(file)
    await store.append(KEY, told(1))
    const other = new Sqlite(file)
    other.exec(
      "CREATE TRIGGER full BEFORE INSERT ON entries WHEN new.uuid = 'r5' BEGIN SELECT raise(ABORT, 'full'); END",
    )
    other.close()
    await expect(store.append(KEY, told(9, { from: 1 }))).rejects.toThrow('full')
    expect(await store.load(KEY)).toEqual(told(1))
  })

  it('refuses an empty subpath', async () => {
    await expect(storeAt(storeFile()).append({ ...KEY, subpath: '' }, told(1))).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('summaries', () => {
  it('are not offered without the fold', () => {
    expect(storeAt(storeFile()).listSessionSummaries).toBeUndefined()
  })

  it('fold what arrives twice once', async () => {
    const store = storeAt(storeFile(), { foldSummary: counting })
    await store.append(KEY, told(2))
    await store.append(KEY, told(3))
    await store.append(WORKER, told(2))
    expect(await store.listSessionSummaries?.(KEY.projectKey)).toMatchObject([{ data: { entries: told(3).length } }])
  })

  it('take in what was appended while none were kept', async () => {
    const file = storeFile()
    const [without, store] = [storeAt(file), storeAt(file, { foldSummary: counting })]
    await without.append(KEY, told(2))
    const entries = async () => (await store.listSessionSummaries?.(KEY.projectKey))?.map(({ data }) => data.entries)
    expect(await entries()).toEqual([told(2).length])
    await without.append(KEY, told(2, { from: 2 }))
    await store.append(KEY, told(1, { from: 4 }))
    expect(await entries()).toEqual([told(5).length])
  })
})

describe('migration', () => {
  const next = [...SCHEMA_STEPS, 'ALTER TABLE transcripts ADD COLUMN note TEXT']

  async function opened(file: string) {
    const database = await openDatabase(file, false, undefined, STORE_KIND)
    onTestFinished(() => {
      database.close()
    })
    return database
  }

  it('keeps what is there, and a copy of the file as it was', async () => {
    const file = storeFile()
    const store = storeAt(file)
    await store.append(KEY, told(3))
    await store.close()
    const database = await opened(file)
    prepareSchema(database, file, next)
    expect(database.pragma('user_version', { simple: true })).toBe(next.length)
    expect(database.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(told(3).length)
    const copies = readdirSync(dirname(file)).filter((name) => name.includes('.version-1-'))
    expect(copies).toHaveLength(1)
    const copy = join(dirname(file), copies[0] ?? '')
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(await storeAt(copy).load(KEY)).toEqual(told(3))
    await expect(store.load(KEY)).rejects.toMatchObject({ code: 'newer-version' })
  })

  it('that fails leaves the file as it was', async () => {
    const file = storeFile()
    const store = storeAt(file)
    await store.append(KEY, told(3))
    const database = await opened(file)
    expect(() => prepareSchema(database, file, [...next, 'no SQL'])).toThrow()
    expect(await store.load(KEY)).toEqual(told(3))
  })

  it('happens once, also when another process was first', async () => {
    const file = storeFile()
    const store = storeAt(file)
    await store.append(KEY, told(1))
    await store.close()
    const [one, two] = [await opened(file), await opened(file)]
    prepareSchema(one, file, next)
    prepareSchema(two, file, next)
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.version-'))).toHaveLength(1)
  })
})

describe('entryText', () => {
  it('is the same JSON, in ASCII where a few escapes do it', () => {
    fc.assert(
      fc.property(fc.object({ values: [fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)] }), (entry) => {
        expect(JSON.parse(entryText(entry))).toEqual(JSON.parse(JSON.stringify(entry)))
      }),
    )
    expect(entryText({ text: `${'plain '.repeat(20)}— ✓` })).toMatch(/^[\x20-\x7e]*$/)
    expect(entryText({ text: '你好'.repeat(20) })).toContain('你好')
  })
})

it('keeps the bytes of a real transcript', async () => {
  const lines = readFileSync(new URL('../../examples/long.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const store = storeAt(storeFile())
  await store.append(
    KEY,
    lines.map((line) => JSON.parse(line)),
  )
  expect((await store.load(KEY))?.map((entry) => JSON.stringify(entry))).toEqual(lines)
})
