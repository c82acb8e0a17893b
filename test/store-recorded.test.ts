/** Every recorded Claude Code session through the stores: kept as it is, and viewed legal, no larger, and the same twice. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { check } from '../src/core/legality/index.ts'
import { claudeCode, claudeCodeReader } from '../src/formats/claude-code/index.ts'
import { EconomyStore, type SessionStoreEntry, SqliteSessionStore, type StoreEvent } from '../src/stores/index.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'
import { KEY, storedLines } from './support/stored-sessions.ts'

const FILES = ['claude-code', 'claude-code-probe'].flatMap(sessionFiles)

describe.skipIf(!hasData)('a recorded session', () => {
  let folder: string
  let inner: SqliteSessionStore
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'))
    inner = new SqliteSessionStore(join(folder, 'sessions.sqlite'))
  })
  afterAll(async () => {
    await inner.close()
    rmSync(folder, { recursive: true })
  })

  const totals = { recorded: 0, viewed: 0 }
  it.each(FILES.map((file, index) => [basename(file), file, index] as const))('%s', async (_, file, index) => {
    const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
    const entries = storedLines(bytes)
    const key = { ...KEY, sessionId: `session-${index}` }
    await inner.append(key, entries)
    const unique = (await inner.load(key)) ?? []
    expect(unique).toEqual(withoutRepeats(entries))
    const events: StoreEvent[] = []
    const store = (): EconomyStore =>
      // A clock that stands still: a cache gone cold would be one more epoch.
      new EconomyStore(inner, {
        archive: join(folder, 'archive'),
        clock: () => 0,
        onEvent: (event) => events.push(event),
      })
    const asked = store()
    asked.force(key, 'asked')
    const view = (await asked.load(key)) ?? []
    expect(events.filter(({ type }) => type === 'fallback')).toEqual([])
    expect(rejections(view)).toEqual([])
    expect(await store().load(key)).toEqual(view)
    expect(await inner.load(key)).toEqual(unique)
    totals.recorded += sizeOf(unique)
    totals.viewed += sizeOf(view)
  })

  it('is on the whole smaller', () => {
    const share = totals.viewed / totals.recorded
    process.stdout.write(`views of ${FILES.length} recorded transcripts: ${(100 * share).toFixed(1)} % of the bytes\n`)
    expect(share).toBeLessThan(1)
  })
})

function withoutRepeats(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  const known = new Set<string>()
  return entries.filter(({ uuid }) => typeof uuid !== 'string' || (!known.has(uuid) && known.add(uuid)))
}

function sizeOf(entries: readonly SessionStoreEntry[]): number {
  return JSON.stringify(entries).length
}

function rejections(entries: readonly SessionStoreEntry[]): string[] {
  const reader = claudeCodeReader()
  for (const entry of entries) reader.pushEntry(entry)
  const session = reader.finish()
  return [...check(session.main, { at: 'rest' }), ...claudeCode.check(session, 'rest')]
    .filter(({ severity }) => severity === 'reject')
    .map(({ rule, line, message }) => `${rule} ${line ?? '?'}: ${message}`)
}

if (!hasData) noticeMissing('../shared/data')
