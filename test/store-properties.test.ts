/**
 * Properties of session stores over generated transcripts: what is appended comes out, and the economized view is
 * legal, loses nothing, is the same for whoever loads it, and does not change as the session grows.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Archive, openArchive } from '../src/archive/index.ts'
import { check } from '../src/core/legality/index.ts'
import { chooseAll, type Policy } from '../src/core/policy.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import { claudeCode, claudeCodeReader } from '../src/formats/claude-code/index.ts'
import {
  EconomyStore,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
  SqliteSessionStore,
  type StoreEvent,
} from '../src/stores/index.ts'
import { temporaryFolder } from './support/archive.ts'
import { asClaudeCode, type Story, story } from './support/generated-sessions.ts'
import { lostTexts } from './support/readable.ts'
import { shuffled, shuffles } from './support/shuffled.ts'
import { KEY, memoryStore, storedLines } from './support/stored-sessions.ts'

/** Runs of each property, each with several loads and an archive; the nightly run asks for more. */
const RUNS = Math.ceil(Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 1500) / 10)
vi.setConfig({ testTimeout: 120_000 * Math.max(1, RUNS / 150) })

/** Small windows, so that short stories have something to lose. */
const policies: fc.Arbitrary<Policy> = fc
  .record({
    keep: fc.nat(3),
    keepReads: fc.nat(5),
    afterTurns: fc.nat(2),
    folds: fc.option(fc.nat(3), { nil: undefined }),
    moves: fc.option(fc.nat(4), { nil: undefined }),
  })
  .map(({ keep, keepReads, afterTurns, folds, moves }) => ({
    name: `keep-${keep}`,
    rules: {
      ...DEFAULT_RULES,
      images: { keep, keepReads, minChars: 0, afterTurns },
      results: { keep, keepReads, minChars: 0 },
      arguments: { minTokens: 50, afterTurns },
      ...(folds === undefined ? {} : { 'call-lines': { afterTurns: folds } }),
      ...(moves === undefined ? {} : { ledger: { afterTurns: moves, keepTokens: 30 } }),
    },
    choose: chooseAll,
  }))

const waiting = (policy: Policy): Policy => ({
  ...policy,
  choose: (edits) => ({
    edits: edits.filter(({ purpose }) => purpose !== 'economy'),
    waiting: edits.filter(({ purpose }) => purpose === 'economy'),
  }),
})

describe('SqliteSessionStore', () => {
  const value = fc.jsonValue({ noUnicodeString: false }).map((json) => JSON.parse(JSON.stringify(json)))
  const entry: fc.Arbitrary<SessionStoreEntry> = fc.record(
    { type: fc.string(), uuid: fc.constantFrom(...'abcdefgh'), more: value },
    { requiredKeys: ['type'] },
  )
  const key = fc.record(
    {
      projectKey: fc.constantFrom('p', 'p/s', ''),
      sessionId: fc.constantFrom('s', 's/t', 't'),
      subpath: fc.constantFrom('t', 'a/b'),
    },
    { requiredKeys: ['projectKey', 'sessionId'] },
  )

  it('gives what was appended, however it was batched and repeated', async () => {
    const folder = temporaryFolder()
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, fc.array(entry, { maxLength: 6 })), { maxLength: 12 }),
        async (appends) => {
          const store = new SqliteSessionStore(join(folder, `${run++}.sqlite`))
          const expected = new Map<string, { key: (typeof appends)[number][0]; entries: SessionStoreEntry[] }>()
          for (const [key, entries] of appends) {
            await store.append(key, entries)
            const name = JSON.stringify([key.projectKey, key.sessionId, key.subpath])
            const known = expected.get(name) ?? { key, entries: [] }
            for (const one of entries) {
              const isKnown = one.uuid !== undefined && known.entries.some(({ uuid }) => uuid === one.uuid)
              if (!isKnown) known.entries.push(one)
            }
            if (entries.length > 0) expected.set(name, known)
          }
          for (const { key, entries } of expected.values()) expect(await store.load(key)).toEqual(entries)
          await store.close()
        },
      ),
      { numRuns: RUNS },
    )
  })
})

interface Loaded {
  readonly view: SessionStoreEntry[]
  readonly events: readonly StoreEvent[]
}

describe('EconomyStore', () => {
  let folder: string
  let archive: Archive
  let sessions = 0
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'))
    archive = await openArchive(folder)
  })
  afterAll(() => {
    archive.close()
    rmSync(folder, { recursive: true })
  })

  /** A session of its own, so that what the archive holds of it can be told. */
  function newKey(): SessionKey {
    return { ...KEY, sessionId: `session-${String(++sessions).padStart(8, '0')}` }
  }

  async function load(inner: SessionStore, key: SessionKey, policy: Policy): Promise<Loaded> {
    const events: StoreEvent[] = []
    const onEvent = (event: StoreEvent): void => {
      events.push(event)
    }
    const store = new EconomyStore(inner, { policy, archive: folder, clock: () => 0, onEvent })
    return { view: (await store.load(key)) ?? [], events }
  }

  /** Everything that any load must hold. */
  async function holds(entries: readonly SessionStoreEntry[], policy: Policy): Promise<SessionStoreEntry[]> {
    const inner = memoryStore()
    const key = newKey()
    await inner.append(key, [...entries])
    const { view, events } = await load(inner, key, policy)
    expect(events.filter(({ type }) => type === 'fallback')).toEqual([])
    expect(rejections(view)).toEqual([])
    expect(inner.stored(key)).toEqual(entries)
    expect(lostWords(entries, view, key)).toEqual([])
    // The same for whoever loads it, also with nothing new decided.
    expect((await load(inner, key, policy)).view).toEqual(view)
    expect((await load(inner, key, waiting(policy))).view).toEqual(view)
    return view
  }

  function lostWords(
    entries: readonly SessionStoreEntry[],
    view: readonly SessionStoreEntry[],
    key: SessionKey,
  ): string[] {
    const archived = archive
      .search({ session: key.sessionId, limit: 10_000 })
      .flatMap(({ ref }) => archive.get(ref) ?? [])
    return lostTexts(sessionOf(entries).main, sessionOf(view).main, JSON.stringify(view), archived)
  }

  it('gives a view that is legal, complete with its archive, and the same for all', async () => {
    await fc.assert(
      fc.asyncProperty(story(12, true), policies, async (told, policy) => {
        const view = await holds(storedLines(asClaudeCode(told)), policy)
        // The view itself leaves nothing to do: a fork begins with it.
        const [fork, forked] = [memoryStore(), newKey()]
        await fork.append(forked, view)
        expect((await load(fork, forked, policy)).view).toEqual(view)
      }),
      { numRuns: RUNS },
    )
  })

  it('gives a legal view also of a transcript that was torn apart', async () => {
    await fc.assert(
      fc.asyncProperty(story(10, true), shuffles, policies, async (told, changes, policy) => {
        const [head, ...rest] = storedLines(asClaudeCode(told))
        if (head) await holds([head, ...shuffled(rest, changes).filter(onlyOnce())], policy)
      }),
      { numRuns: RUNS },
    )
  })

  it('changes nothing that was there as the session grows, until the next epoch', async () => {
    await fc.assert(
      fc.asyncProperty(story(8, true), story(4, false), policies, async (begun, appended, policy) => {
        // A story that ends on a branch that was left goes on elsewhere, and a compaction is the harness's own epoch.
        const told: Story = { ...begun, steps: [...begun.steps, { kind: 'user', text: 'go on' }] }
        const steps = appended.steps.filter(({ kind }) => kind !== 'compaction')
        const longer: Story = { ...told, steps: [...told.steps, ...steps] }
        const [before, after] = [storedLines(asClaudeCode(told)), storedLines(asClaudeCode(longer))]
        const [inner, key] = [memoryStore(), newKey()]
        await inner.append(key, before)
        const { view } = await load(inner, key, policy)
        await inner.append(key, after.slice(before.length))
        const later = await load(inner, key, waiting(policy))
        expect(said(later.view).slice(0, said(view).length)).toEqual(said(view))
      }),
      { numRuns: RUNS },
    )
  })
})

function sessionOf(entries: readonly SessionStoreEntry[]) {
  const reader = claudeCodeReader()
  for (const entry of entries) reader.pushEntry(entry)
  return reader.finish()
}

function rejections(entries: readonly SessionStoreEntry[]): string[] {
  const session = sessionOf(entries)
  return [...check(session.main, { at: 'rest' }), ...claudeCode.check(session, 'rest')]
    .filter(({ severity }) => severity === 'reject')
    .map(({ rule, line, message }) => `${rule} ${line ?? '?'}: ${message}`)
}

/** What would be sent, message by message. */
function said(entries: readonly SessionStoreEntry[]): string[] {
  return sessionOf(entries).main.messages.map(({ role, blocks }) =>
    JSON.stringify([role, ...blocks.map(({ at: _, tokens: __, ...block }) => block)]),
  )
}

/** A store that holds uuids once: the first counts. */
function onlyOnce(): (entry: SessionStoreEntry) => boolean {
  const known = new Set<string>()
  return ({ uuid }) => {
    if (uuid === undefined) return true
    if (known.has(uuid)) return false
    known.add(uuid)
    return true
  }
}
