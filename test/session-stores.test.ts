/** Every session store keeps the SDK's contract: ours, the economized view over others, and the SDK's own for comparison. */
import { join } from 'node:path'
import { foldSessionSummary, InMemorySessionStore, type SessionStore as SdkStore } from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EconomyStore, type SessionStore, SqliteSessionStore } from '../src/stores/index.ts'
import { type OpenStore, sessionStoreContract } from '../src/testing/index.ts'
import { temporaryFolder } from './support/archive.ts'

/** Fails to compile where ours are not what the SDK takes, or ours would not take the SDK's. */
const ASSIGNABLE = {
  sqlite: (store: SqliteSessionStore): SdkStore => store,
  economy: (store: EconomyStore): SdkStore => store,
  any: (store: SessionStore): SdkStore => store,
  sdk: (store: SdkStore): SessionStore => store,
}

function sqlite(folder: string): OpenStore {
  return (place) => {
    const store = new SqliteSessionStore(join(folder, `${place}.sqlite`), { foldSummary: foldSessionSummary })
    onTestFinished(() => store.close())
    return store
  }
}

const SHARES = 'neither what was appended nor what was loaded is shared with the caller'

interface StoreCase {
  readonly open: (folder: string) => OpenStore
  readonly isShared: boolean
  /** What it does not do of what the contract recommends. */
  readonly lacks: readonly string[]
}

const STORES: Readonly<Record<string, StoreCase>> = {
  SqliteSessionStore: { open: sqlite, isShared: true, lacks: [] },
  'EconomyStore over SqliteSessionStore': {
    open: (folder) => async (place) =>
      new EconomyStore(await sqlite(folder)(place), { archive: join(folder, 'archive') }),
    isShared: true,
    lacks: [],
  },
  'EconomyStore over InMemorySessionStore': {
    open: (folder) => () => new EconomyStore(new InMemorySessionStore(), { archive: join(folder, 'archive') }),
    isShared: false,
    lacks: [SHARES],
  },
  // The SDK's own store is made for tests.
  InMemorySessionStore: {
    open: () => () => new InMemorySessionStore(),
    isShared: false,
    lacks: [
      'a batch that arrives again is stored once, whole or in part',
      'an entry that stands twice in one batch is stored once',
      SHARES,
    ],
  },
}

describe.each(Object.entries(STORES))('%s', (_, { open, isShared, lacks }) => {
  for (const check of sessionStoreContract({ foldSummary: foldSessionSummary })) {
    if (check.isShared && !isShared) continue
    it(`${check.level}: ${check.name}`, async () => {
      const run = check.run(open(temporaryFolder()))
      if (check.level === 'should' && lacks.includes(check.name)) await expect(run).rejects.toThrow()
      else expect(await run).toBe('kept')
    })
  }
})

describe('the SDK', () => {
  it('takes our stores and gives us its own', () => {
    const store = new SqliteSessionStore('never opened')
    expect(ASSIGNABLE.sqlite(store)).toBe(store)
  })
})
