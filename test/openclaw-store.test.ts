/** OpenClaw's SQLite store: sessions are found, read, examined, and written back to a copy only. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressWords, eventsIn, sessionsIn } from '../src/formats/openclaw-store/index.ts'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { countCalls, describeSession, discoverSessions } from '../src/sessions/discover.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { readSession } from '../src/sessions/read.ts'
import { restoreSession } from '../src/sessions/restore.ts'
import { selectSessions } from '../src/sessions/select.ts'
import { openSource } from '../src/sessions/source.ts'
import { assistant, call, chain, header, result, user } from './support/pi.ts'

const ID = '01a22b10-8b54-7496-a688-5292bba1f30e'
const OTHER = 'b5f1ed0c-0000-4000-8000-000000000000'
/** `zstd -3` over the event `e0000004` below: what OpenClaw 2026.9.6 stores for large events. */
const FRAME =
  'KLUv/QRYNQYAQkwpKZAp6f/Hd6rOby9J3SPY5G5ENlkoaxGR3QW+/peuby+o+KQJRMXSZnZMz6PsY13yrjk38NaTwnNUYbGoQhQTF8hpC2IimmNAD2pBINA69PPtrLOdkG9mm2nq6Q9d9/wyLUgWmFUxq0B6M+StAbfWzy8390imIyAiAGIipgMPUGEkCcPRwMbzDdN+y1Y/XSFoZp02Tw/Aff6xnr4N+t6y57eR6EcCCgBfz0fguUE/KUI4aKbgnIQhbhmMaNJwKTltegE8UeVV2Q=='
const FOX = 'the quick brown fox \u2014 caf\u00e9 '.repeat(60)

/** Tables as OpenClaw 2026.9 has them, as far as they are about transcripts (reference openclaw-and-pi 2.1). */
const SCHEMA = `
  CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
    parent_session_key TEXT, spawned_by TEXT, updated_at INTEGER NOT NULL) STRICT;
  CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
    previous_session_id TEXT, reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
  CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, event_zstd BLOB,
    event_utf8_bytes INTEGER, navigation_json TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq),
    CHECK ((event_json IS NULL) <> (event_zstd IS NULL)),
    FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
  CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq)) STRICT;
  CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_id TEXT NOT NULL,
    FOREIGN KEY (session_id, seq) REFERENCES transcript_events(session_id, seq) ON DELETE CASCADE) STRICT;
  PRAGMA user_version = 23;`

const entries = [
  header(4),
  ...chain([
    user('the task'),
    assistant([{ type: 'text', text: 'Reading.' }, call('call_0', { path: 'a.txt' })]),
    result('call_0', 'short'),
    result('call_1', FOX, { toolName: 'read' }),
    assistant([{ type: 'text', text: 'Now the rest.' }, call('call_2'), call('call_3')]),
    result('call_2', 'two '.repeat(400)),
    user('never mind'),
    assistant([{ type: 'text', text: 'Fine.' }]),
  ]),
]

/** `step`: how far the numbers of neighbouring events are apart. */
function makeStore(file: string, step: number): void {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.exec(SCHEMA)
  const put = database.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, NULL, ?)')
  for (const id of [ID, OTHER]) {
    database.prepare('INSERT INTO session_windows VALUES (?, ?, NULL, ?, 1, 2)').run(id, `agent:main:${id}`, 'initial')
  }
  // Rows stand in any order; their numbers decide.
  const rows = entries.map((entry, seq) => ({ seq: seq * step, text: JSON.stringify(entry), id: String(entry.id) }))
  for (const { seq, text, id } of [...rows].reverse()) {
    const isLarge = id === 'e0000004'
    const frame = isLarge ? Buffer.from(FRAME, 'base64') : null
    put.run(ID, seq, isLarge ? null : text, frame, isLarge ? Buffer.byteLength(text) : null, 1000 + seq)
    database.prepare('INSERT INTO transcript_event_identities VALUES (?, ?, ?)').run(ID, seq, id)
    database.prepare('INSERT INTO session_transcript_active_events VALUES (?, ?)').run(ID, seq)
  }
  put.run(OTHER, 1, JSON.stringify(header(4, { id: OTHER })), null, null, 1)
  put.run(OTHER, 2, JSON.stringify(chain([user('hello')])[0]), null, null, 2)
  database.close()
}

describe('the store', () => {
  let home = ''
  const database = () => join(home, '.openclaw/agents/main/agent/openclaw-agent.sqlite')
  const session = () => addressWords({ database: database(), session: ID })
  const path = (name: string) => join(home, name)
  const archive = () => path('archive')
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'spillway-store-'))
    mkdirSync(join(home, '.openclaw/agents/main/agent'), { recursive: true })
    makeStore(database(), 2)
  })
  afterAll(() => rmSync(home, { recursive: true }))

  const idsIn = (file: string) =>
    eventsIn({ database: file, session: ID }).map(({ seq, text }) => [seq, JSON.parse(text).id ?? ''])

  it('gives the events as lines, in order, compressed ones too', async () => {
    expect(idsIn(database()).map(([, id]) => id)).toEqual(entries.map(({ id }) => id))
    const large = JSON.parse(eventsIn({ database: database(), session: ID })[4]?.text ?? '')
    expect(large).toEqual({ ...entries[4], timestamp: large.timestamp })
    const { session: read } = await readSession(await openSource(session()))
    expect(read.facts).toMatchObject({ format: 'openclaw', id: ID, cwd: '/w', badLines: [] })
  })

  it('its sessions are listed, described, and named by their ids', () => {
    const machine = { environment: {}, home, cwd: '/w' }
    const found = discoverSessions(machine)
    expect(found.map(({ id, format, here }) => [id, format, here])).toEqual([
      [ID, 'openclaw', true],
      [OTHER, 'openclaw', true],
    ])
    const [first] = found
    if (!first) throw new Error('nothing found')
    expect(describeSession(first)).toMatchObject({ cwd: '/w', model: 'm', tokens: 11 })
    expect(countCalls(first, machine)).toBe(3)
    expect(selectSessions([ID.slice(0, 8)], machine)).toMatchObject([{ file: session() }])
    expect(selectSessions([database()], machine)).toHaveLength(2)
    expect(sessionsIn(database()).map(({ modified }) => modified)).toEqual([1016, 2])
  })

  it('is analyzed and examined', async () => {
    const analysis = await analyzeSession(session())
    expect(analysis.tokens.total).toBeGreaterThan(100)
    const report = await doctorSession(session())
    expect(report.violations.map(({ rule }) => rule).sort()).toEqual(['A09', 'A11'])
  })

  it('is written back to a copy; rows keep their numbers until something is put in', async () => {
    const before = readFileSync(database())
    const copy = path('copy.sqlite')
    const report = await doctorSession(session(), { fix: copy, archive: archive() })
    expect(report.remaining?.filter(({ severity }) => severity === 'reject')).toEqual([])
    expect(readFileSync(database()).equals(before)).toBe(true)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const after = await doctorSession(addressWords({ database: copy, session: ID }))
    expect(after.violations).toEqual([])
    const ids = new Map(idsIn(database()).map(([seq, id]) => [id, seq]))
    const moved = idsIn(copy).filter(([seq, id]) => ids.has(id) && ids.get(id) !== seq)
    expect(moved).toEqual([])
    expect(idsIn(copy)).toHaveLength(entries.length + 1)
    const open = new Database(copy, { readonly: true })
    expect(open.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(open.pragma('foreign_key_check')).toEqual([])
    expect(open.prepare('SELECT event_json FROM transcript_events WHERE session_id = ?').all(OTHER)).toHaveLength(2)
    open.close()
  })

  it('is compacted into a copy, and restored from it', async () => {
    const copy = path('compact.sqlite')
    const options = { target: { kind: 'file', path: copy }, archive: archive() } as const
    const report = await compactSession(session(), options)
    expect(report.violations.after).toBe(0)
    const lines = (file: string) => eventsIn({ database: file, session: ID }).map(({ text }) => text)
    expect(lines(copy)).not.toEqual(lines(database()))
    const restoring = await restoreSession(addressWords({ database: copy, session: ID }), {
      out: path('restored.sqlite'),
      archive: archive(),
    })
    expect(restoring.exact).toBe(true)
    expect(lines(path('restored.sqlite'))).toEqual(lines(database()))
  })

  it('or into a file of its lines', async () => {
    const out = path('lines.jsonl')
    await compactSession(session(), { target: { kind: 'file', path: out }, archive: archive(), rules: ['none'] })
    const lines = eventsIn({ database: database(), session: ID }).map(({ text }) => `${text}\n`)
    expect(readFileSync(out, 'utf8')).toBe(lines.join(''))
  })

  it('makes room where the numbers are tight, in every table that counts by them', async () => {
    const tight = path('tight.sqlite')
    makeStore(tight, 1)
    const copy = path('roomy.sqlite')
    await doctorSession(addressWords({ database: tight, session: ID }), { fix: copy, archive: archive() })
    const after = new Database(copy, { readonly: true })
    const rows = after
      .prepare(
        `SELECT json_extract(event_json, '$.id') AS stored, event_id AS named FROM transcript_event_identities
         JOIN transcript_events USING (session_id, seq) WHERE event_json IS NOT NULL`,
      )
      .all() as { stored: string; named: string }[]
    expect(rows.length).toBeGreaterThan(entries.length - 2)
    expect(rows.filter(({ stored, named }) => stored !== named)).toEqual([])
    expect(after.pragma('foreign_key_check')).toEqual([])
    after.close()
  })

  it('says what is wrong', async () => {
    const codeOf = async (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (error) => error.code,
      )
    expect(await codeOf(openSource(database()))).toBe('usage')
    expect(await codeOf(openSource(path('none.sqlite')))).toBe('not-found')
    expect(await codeOf(doctorSession(`${database()}#nobody`))).toBe('not-found')
    writeFileSync(path('no.sqlite'), 'not a database')
    expect(await codeOf(openSource(path('no.sqlite')))).toBe('unreadable')
    expect(await codeOf(compactSession(session(), { target: { kind: 'fork' } }))).toBe('usage')
    expect(await codeOf(compactSession(session(), { target: { kind: 'in-place', force: true } }))).toBe('usage')
    writeFileSync(path('plain.jsonl'), `${JSON.stringify(entries[0])}\n`)
    const target = { kind: 'file', path: path('x.sqlite') } as const
    expect(await codeOf(compactSession(path('plain.jsonl'), { target, archive: archive() }))).toBe('usage')
    const damaged = path('damaged.sqlite')
    copyFileSync(database(), damaged)
    const open = new Database(damaged)
    open
      .prepare('UPDATE transcript_events SET event_zstd = ? WHERE event_zstd IS NOT NULL')
      .run(Buffer.from('no frame'))
    open.close()
    expect(await codeOf(doctorSession(`${damaged}#${ID}`))).toBe('unreadable')
  })
})
