import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/archive.ts'
import { answered, call, result, said, text } from '../../test/support/claude-lines.ts'
import { KEY, type MemoryStore, memoryStore, told, WORKER } from '../../test/support/stored-sessions.ts'
import { openArchive } from '../archive/index.ts'
import { check } from '../core/legality/index.ts'
import { referencesIn } from '../core/pointer.ts'
import type { Policy } from '../core/policy.ts'
import { DEFAULT_RULES } from '../core/rules/index.ts'
import { claudeCode } from '../formats/claude-code/index.ts'
import { recordingOf } from './economized-view.ts'
import { EconomyStore, type EconomyStoreOptions, type SessionStoreEntry, type StoreEvent } from './index.ts'

const TURNS = 30
const SOON = Date.UTC(2026, 10, 30, 6, 0, TURNS + 5)
const HOUR = 3_600_000
/** Everything that may leave leaves at once. */
const EAGER: Policy = { name: 'eager', rules: DEFAULT_RULES, choose: (edits) => ({ edits, waiting: [] }) }
/** Nothing leaves. */
const PATIENT: Policy = {
  ...EAGER,
  choose: (edits) => ({ edits: edits.filter(isUrgent), waiting: edits.filter((edit) => !isUrgent(edit)) }),
}

function isUrgent({ purpose }: { readonly purpose: string }): boolean {
  return purpose !== 'economy'
}

interface Setting {
  readonly inner: MemoryStore
  readonly events: StoreEvent[]
  readonly archive: string
  readonly store: EconomyStore
  /** Another process over the same data. */
  readonly another: (options?: EconomyStoreOptions) => EconomyStore
}

async function setting(entries: readonly SessionStoreEntry[], options: EconomyStoreOptions = {}): Promise<Setting> {
  const inner = memoryStore()
  await inner.append(KEY, [...entries])
  const events: StoreEvent[] = []
  const archive = join(temporaryFolder(), 'archive')
  const another = (changed: EconomyStoreOptions = {}): EconomyStore =>
    new EconomyStore(inner, {
      archive,
      clock: () => SOON,
      onEvent: (event) => events.push(event),
      ...options,
      ...changed,
    })
  return { inner, events, archive, store: another(), another }
}

const json = (entries: readonly SessionStoreEntry[] | null): string[] =>
  (entries ?? []).map((entry) => JSON.stringify(entry))

function thoughts(entries: readonly SessionStoreEntry[] | null): number {
  return JSON.stringify(entries).split('"thinking":"').length - 1
}

describe('load', () => {
  it('gives a smaller view, keeps the recorded transcript, and has what it took out in the archive', async () => {
    const { inner, store, archive, events } = await setting(told(TURNS), { policy: EAGER })
    const before = json(inner.stored(KEY))
    const view = await store.load(KEY)
    expect(json(inner.stored(KEY))).toEqual(before)
    expect(view).toHaveLength(before.length)
    expect(JSON.stringify(view).length).toBeLessThan(before.join().length * 0.6)
    const references = referencesIn(JSON.stringify(view))
    expect(new Set(references).size).toBe(TURNS - 10)
    const opened = await openArchive(archive, { readOnly: true })
    const contents = [...new Set(references)].map((ref) => opened.get(ref)?.content)
    expect(contents.every((content) => before.some((line) => line.includes(JSON.stringify(content))))).toBe(true)
    expect(opened.get(references[0] ?? '')?.origins).toMatchObject([
      { session: 's1', source: 'store:-home-dev-proj/s1' },
    ])
    expect(opened.storeReferences()).toEqual(expect.arrayContaining([...new Set(references)]))
    opened.close()
    expect(events).toMatchObject([{ type: 'epoch', key: KEY, outcome: 'rewritten' }])
  })

  it('removes thinking behind the first edit for a model that binds it, and none that came after', async () => {
    const { inner, store, another } = await setting(told(TURNS), { policy: EAGER })
    expect(thoughts(await store.load(KEY))).toBe(1)
    await inner.append(KEY, told(2, { from: TURNS }))
    // Two results have left the window; what was thought since stays until they go.
    expect(thoughts(await another({ policy: PATIENT }).load(KEY))).toBe(3)
    expect(thoughts(await another().load(KEY))).toBe(1)
  })

  it('keeps thinking of models that do not bind it', async () => {
    const { store } = await setting(told(TURNS, { model: 'claude-opus-4-8' }), { policy: EAGER })
    expect(thoughts(await store.load(KEY))).toBe(TURNS)
  })

  it('replays its decisions byte for byte, in every process, until the next epoch', async () => {
    const { inner, store, another } = await setting(told(TURNS), { policy: EAGER })
    const view = json(await store.load(KEY))
    expect(json(await store.load(KEY))).toEqual(view)
    expect(json(await another().load(KEY))).toEqual(view)
    await inner.append(KEY, told(6, { from: TURNS }))
    const later = json(await another({ policy: PATIENT }).load(KEY))
    expect(later.slice(0, view.length)).toEqual(view)
    expect(later.slice(view.length)).toEqual(json(told(6, { from: TURNS })))
  })

  it('gives subagents as they are, and says null for what was never written', async () => {
    const { inner, store, events } = await setting(told(TURNS), { policy: EAGER })
    await inner.append(WORKER, told(TURNS))
    expect(await store.load(WORKER)).toEqual(told(TURNS))
    expect(await store.load({ ...KEY, sessionId: 'unknown' })).toBeNull()
    expect(events).toEqual([])
  })

  it('gives entries that arrived twice once', async () => {
    const { inner, store } = await setting(told(3), { policy: EAGER })
    await inner.append(KEY, told(3))
    expect(await store.load(KEY)).toEqual(told(3))
  })

  it('gives what it does not know once too, by its uuid', async () => {
    const unknown: SessionStoreEntry = { type: 'a kind nobody knows', uuid: 'k' }
    const { store } = await setting([...told(1), unknown, { type: 'no uuid' }, unknown, { type: 'no uuid' }])
    const view = await store.load(KEY)
    expect(view?.slice(-3)).toEqual([unknown, { type: 'no uuid' }, { type: 'no uuid' }])
  })

  it('is legal also where one repair brings another fault to light, and replays all of them', async () => {
    // The halves of one parallel call stand in the wrong order, both with parents that are gone.
    const torn = [
      said('u1', null, 'task'),
      answered('a2', 'a1', [call('t2')], 'm'),
      said('r2', 'a2', [result('t2', 'ok')]),
      said('u2', 'r2', 'wait'),
      answered('a1', 'gone', [call('t1')], 'm'),
      said('u3', 'lost', 'go on'),
    ] as SessionStoreEntry[]
    const { inner, store, another } = await setting(torn)
    const view = await store.load(KEY)
    const session = recordingOf(view ?? []).session
    const violations = [...check(session.main, { at: 'request' }), ...claudeCode.check(session, 'rest')]
    expect(violations.filter(({ severity }) => severity === 'reject')).toEqual([])
    const [record] = inner.stored({ ...KEY, subpath: 'spillway/decisions' })
    expect(record?.passes).toHaveLength(2)
    expect(await another().load(KEY)).toEqual(view)
    await inner.append(KEY, [said('u4', 'u3', 'more') as SessionStoreEntry])
    expect((await another().load(KEY))?.slice(0, view?.length)).toEqual(view)
  })

  it('rejects only where the inner store does', async () => {
    const { inner, store } = await setting(told(3))
    inner.fault = () => {
      throw new Error('no connection')
    }
    await expect(store.load(KEY)).rejects.toThrow('no connection')
  })

  it('answers a call that the end of a process left open, with an identity that every load derives again', async () => {
    const open = told(3).slice(0, -1)
    const { inner, store, another } = await setting(open, { policy: EAGER })
    const [answer] = (await store.load(KEY))?.slice(-1) ?? []
    expect(answer).toMatchObject({ type: 'user', parentUuid: 'c2', sourceToolAssistantUUID: 'c2' })
    // The harness goes on behind the answer, which no store was ever given.
    const next = said('next', String(answer?.uuid), 'go on')
    await inner.append(KEY, [next as SessionStoreEntry])
    const later = await another().load(KEY)
    expect(later?.slice(-2)).toEqual([answer, next])
  })
})

describe('a load that meets a fault', () => {
  const decided = async () => {
    const made = await setting(told(TURNS), { policy: EAGER })
    const view = json(await made.store.load(KEY))
    await made.inner.append(KEY, told(4, { from: TURNS }))
    made.events.length = 0
    return { ...made, view: [...view, ...json(told(4, { from: TURNS }))] }
  }

  it('gives the decisions made before when the archive cannot be written', async () => {
    const { another, events, view } = await decided()
    const blocked = join(temporaryFolder(), 'file')
    writeFileSync(blocked, '')
    expect(json(await another({ archive: join(blocked, 'archive') }).load(KEY))).toEqual(view)
    expect(events).toMatchObject([
      { type: 'fallback', view: 'decided', doing: 'archive', error: { code: 'unwritable' } },
    ])
    expect(json(await another({ policy: PATIENT }).load(KEY))).toEqual(view)
  })

  it('gives the recorded transcript when the archive cannot be written and nothing was decided', async () => {
    const { another, events } = await setting(told(TURNS), { policy: EAGER })
    const blocked = join(temporaryFolder(), 'file')
    writeFileSync(blocked, '')
    expect(json(await another({ archive: blocked }).load(KEY))).toEqual(json(told(TURNS)))
    expect(events).toMatchObject([{ type: 'fallback', view: 'recorded', doing: 'archive' }])
  })

  it('gives the decisions made before when new ones cannot be stored', async () => {
    const { another, inner, events, view } = await decided()
    inner.fault = (doing) => {
      if (doing === 'append') throw new Error('read only')
    }
    expect(json(await another().load(KEY))).toEqual(view)
    expect(events).toMatchObject([{ type: 'fallback', view: 'decided', doing: 'store decisions' }])
  })

  it('gives the recorded transcript when the decisions cannot be read', async () => {
    const { another, inner, events } = await decided()
    inner.fault = (_, { subpath }) => {
      if (subpath !== undefined) throw new Error('no connection')
    }
    expect(await another().load(KEY)).toEqual([...told(TURNS), ...told(4, { from: TURNS })])
    expect(events).toMatchObject([{ type: 'fallback', view: 'recorded', doing: 'read decisions' }])
  })

  it('gives the decisions made before when the plan fails', async () => {
    const { another, events, view } = await decided()
    const policy: Policy = {
      ...EAGER,
      choose() {
        throw new Error('a fault of the plan')
      },
    }
    expect(json(await another({ policy }).load(KEY))).toEqual(view)
    expect(events).toMatchObject([{ type: 'fallback', view: 'decided', doing: 'plan' }])
  })

  it('survives decisions of a newer version and decisions that are none', async () => {
    for (const [record, code] of [
      [{ type: 'spillway-decisions', uuid: 'x', version: 2, follows: null, passes: [] }, 'newer-version'],
      [{ type: 'anything' }, 'unreadable'],
    ] as const) {
      const { inner, another, events } = await setting(told(3))
      await inner.append({ ...KEY, subpath: 'spillway/decisions' }, [record])
      expect(await another().load(KEY)).toEqual(told(3))
      expect(events).toMatchObject([{ type: 'fallback', doing: 'read decisions', error: { code } }])
    }
  })

  it('survives entries that are no session at all, and nesting that no reader follows', async () => {
    const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)
    const strange: SessionStoreEntry[] = [
      { type: 'user', uuid: 'a', message: null },
      { type: 'assistant', message: { content: [null, 7, { type: 'tool_use' }] } },
      { type: 'x', deep },
      { type: 'attachment', attachment: 'words' },
    ]
    const { store } = await setting([...told(2), ...strange], { policy: EAGER })
    expect((await store.load(KEY))?.length).toBeGreaterThanOrEqual(told(2).length)
  })

  it('archives a text with a lone surrogate like any other', async () => {
    const entries = told(TURNS)
    const odd = JSON.parse(JSON.stringify(entries).replaceAll('output of 3:', '\\ud83d'))
    const { store, events } = await setting(odd, { policy: EAGER })
    expect(JSON.stringify(await store.load(KEY))).not.toContain('\\ud83d')
    expect(events).toMatchObject([{ type: 'epoch' }])
  })

  it('is not made to fail by a listener', async () => {
    const { another } = await setting(told(TURNS), { policy: EAGER })
    const warned = new Promise((done) => process.once('warning', done))
    const onEvent = (): void => {
      throw new Error('a fault of the listener')
    }
    expect(await another({ onEvent }).load(KEY)).toHaveLength(told(TURNS).length)
    expect(String(await warned)).toContain('a fault of the listener')
  })
})

describe('two processes that decide at once', () => {
  it('give the view of the first', async () => {
    const { inner, another } = await setting(told(TURNS))
    const keepFive: Policy = { ...EAGER, rules: { ...DEFAULT_RULES, results: { keep: 5, keepReads: 5, minChars: 0 } } }
    let first: Promise<unknown> | undefined
    inner.fault = (doing, { subpath }) => {
      if (doing !== 'append' || subpath === undefined || first) return
      // The moment before the second stores what it decided.
      inner.fault = () => undefined
      first = inner.append({ ...KEY, subpath }, [...decisionsOfFirst])
    }
    const other = await setting(told(TURNS), { policy: keepFive })
    const viewOfFirst = json(await other.store.load(KEY))
    const decisionsOfFirst = other.inner.stored({ ...KEY, subpath: 'spillway/decisions' })
    expect(json(await another({ policy: EAGER }).load(KEY))).toEqual(viewOfFirst)
    expect(json(await another({ policy: PATIENT }).load(KEY))).toEqual(viewOfFirst)
  })
})

describe('decide', () => {
  it('says what a load would do now, and changes nothing', async () => {
    const { inner, store } = await setting(told(TURNS), { clock: () => SOON + HOUR })
    const decision = await store.decide(KEY)
    expect(decision).toMatchObject({ outcome: 'rewritten', flush: true })
    expect(decision?.explanation.join()).toContain('cache already cold')
    expect(await inner.listSubkeys(KEY)).toEqual([])
    const [before, after] = [JSON.stringify(told(TURNS)).length, JSON.stringify(await store.load(KEY)).length]
    expect(decision?.frees).toBeGreaterThan(0)
    expect(after).toBeLessThan(before)
    expect(await store.decide(KEY)).toMatchObject({ flush: false, frees: 0 })
    expect(await store.decide({ ...KEY, sessionId: 'unknown' })).toBeUndefined()
  })

  it('follows what is appended without reading it again, and counts waiting from call to call', async () => {
    const { inner, store } = await setting(told(12), {})
    const now = (turns: number) => ({ now: Date.UTC(2026, 10, 30, 6, 0, turns) })
    expect(await store.decide(KEY, now(12))).toMatchObject({ outcome: 'waiting', flush: false })
    inner.fault = (doing) => {
      if (doing === 'load') throw new Error('read again')
    }
    let flushed = 0
    for (let turn = 12; turn < 80 && flushed === 0; turn++) {
      await store.append(KEY, told(1, { from: turn }))
      if ((await store.decide(KEY, now(turn + 1)))?.flush) flushed = turn
    }
    expect(flushed).toBeGreaterThan(15)
    inner.fault = () => undefined
    // A store that was not asked in between does not know what waiting has cost.
    const fresh = new EconomyStore(inner)
    expect(await fresh.decide(KEY, now(flushed + 1))).toMatchObject({ flush: false })
  })

  it('tells what waits to the next process', async () => {
    const { inner, store, another } = await setting(told(14), { clock: () => Date.UTC(2026, 10, 30, 6, 0, 14) })
    await store.decide(KEY)
    await store.append(KEY, told(4, { from: 14 }))
    await store.load(KEY)
    const [record] = inner.stored({ ...KEY, subpath: 'spillway/decisions' })
    expect(record).toMatchObject({ passes: [{ added: [], turns: 18 }] })
    // What had waited since this process was asked, not only since it loaded.
    const [pass] = (record?.passes ?? []) as { pending: { waited: number }[] }[]
    expect(pass?.pending.some(({ waited }) => waited > 0)).toBe(true)
    const waited = (await another().decide(KEY))?.explanation.join()
    expect(waited).toContain((await store.decide(KEY))?.explanation.join() ?? 'nothing')
  })

  it('an epoch that is forced happens with the next load, once', async () => {
    const { inner, store } = await setting(told(14))
    expect(json(await store.load(KEY))).toEqual(json(told(14)))
    expect(await store.decide(KEY, { epoch: 'asked' })).toMatchObject({ flush: true })
    store.force(KEY, 'asked')
    const view = json(await store.load(KEY))
    expect(view.join().length).toBeLessThan(json(told(14)).join().length)
    await inner.append(KEY, told(1, { from: 14 }))
    expect(json(await store.load(KEY)).slice(0, view.length)).toEqual(view)
  })
})

describe('a broken prefix', () => {
  const stripped = (parent: string): SessionStoreEntry => ({
    type: 'attachment',
    uuid: `x-${parent}`,
    parentUuid: parent,
    attachment: { type: 'thinking_stripped', scope: 'all' },
  })

  it('is told once as it is appended, and by every process that loads it', async () => {
    const { inner, store, another, events } = await setting(told(2))
    await store.load(KEY)
    await store.append(KEY, [stripped('r1')])
    await store.load(KEY)
    expect(events).toEqual([{ type: 'prefix-broken', key: KEY, uuid: 'x-r1' }])
    events.length = 0
    await another().load(KEY)
    expect(events).toEqual([{ type: 'prefix-broken', key: KEY, uuid: 'x-r1' }])
    expect(inner.stored(KEY)).toHaveLength(told(2).length + 1)
  })

  it('is the harness’s own doing right behind its compaction', async () => {
    const { store, events } = await setting(told(2))
    const boundary: SessionStoreEntry = { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null }
    await store.load(KEY)
    await store.append(KEY, [boundary, said('s', 'b', 'Summary', { isCompactSummary: true }) as SessionStoreEntry])
    await store.append(KEY, [stripped('s')])
    expect(events).toEqual([])
    await store.append(KEY, [answered('a', 's', [text('ok'), call('z')]) as SessionStoreEntry, stripped('a')])
    expect(events).toEqual([{ type: 'prefix-broken', key: KEY, uuid: 'x-a' }])
  })
})

describe('what the inner store offers', () => {
  it('is offered, nothing else', () => {
    const { append, load } = memoryStore()
    const bare = new EconomyStore({ append, load })
    expect([bare.delete, bare.listSessions, bare.listSubkeys, bare.listSessionSummaries]).toEqual(
      Array(4).fill(undefined),
    )
  })

  it('shows no subkeys of ours, and deletes them with the session', async () => {
    const { inner, store } = await setting(told(TURNS), { policy: EAGER })
    await store.load(KEY)
    expect(await inner.listSubkeys(KEY)).toEqual(['spillway/decisions'])
    expect(await store.listSubkeys?.(KEY)).toEqual([])
    await store.delete?.(KEY)
    expect(await inner.listSubkeys(KEY)).toEqual([])
    expect(await store.load(KEY)).toBeNull()
  })
})
