/** Checks of the optional methods: lists, summaries, subkeys, deletion. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { SessionStore, SessionStoreEntry, SessionSummaryEntry } from '../../formats/claude-code/index.ts'
import {
  type ContractCheck,
  type ContractOptions,
  conversation,
  KEY,
  must,
  NOT_OFFERED,
  OTHER,
  PROJECT,
  title,
  WORKER,
} from './contract-check.ts'

/** A moment that any clock in milliseconds tells apart. */
const TICK = 5

export const LISTING_CHECKS: readonly ContractCheck[] = [
  must('the sessions of one project are listed, without subagents', async (open) => {
    const store = await open('list')
    if (!store.listSessions) return NOT_OFFERED
    deepEqual(await store.listSessions(PROJECT), [])
    await store.append(KEY, conversation(2))
    await store.append(WORKER, conversation(2))
    await store.append(OTHER, conversation(2))
    await store.append({ ...KEY, sessionId: 'elsewhere', projectKey: `${PROJECT}2` }, conversation(2))
    const listed = await store.listSessions(PROJECT)
    deepEqual(listed.map(({ sessionId }) => sessionId).sort(), [KEY.sessionId, OTHER.sessionId])
    for (const { mtime } of listed) ok(Number.isInteger(mtime) && mtime > 0, `mtime ${mtime}`)
    return undefined
  }),

  must('the time of a session moves on with an append', async (open) => {
    const store = await open('mtime')
    if (!store.listSessions) return NOT_OFFERED
    await store.append(KEY, conversation(2))
    const before = await mtimeOf(store)
    await new Promise((done) => setTimeout(done, TICK))
    await store.append(KEY, conversation(2, 'one', 2))
    ok((await mtimeOf(store)) > before)
    return undefined
  }),

  must('subkeys are those that were written, each once', async (open) => {
    const store = await open('subkeys')
    if (!store.listSubkeys) return NOT_OFFERED
    deepEqual(await store.listSubkeys(KEY), [])
    await store.append(KEY, conversation(2))
    deepEqual(await store.listSubkeys(KEY), [])
    const second = { ...WORKER, subpath: 'subagents/workflows/w1/agent-b' }
    for (const key of [WORKER, second, WORKER]) await store.append(key, conversation(1))
    await store.append({ ...WORKER, ...OTHER, subpath: 'subagents/agent-other' }, conversation(1))
    deepEqual((await store.listSubkeys(KEY)).sort(), [WORKER.subpath, second.subpath].sort())
    return undefined
  }),

  must('a deleted session is gone with its subagents, others stay', async (open) => {
    const store = await open('delete')
    if (!store.delete) return NOT_OFFERED
    await store.append(KEY, conversation(2))
    await store.append(WORKER, conversation(2))
    await store.append(OTHER, conversation(3))
    await store.delete(KEY)
    equal(await store.load(KEY), null)
    equal(await store.load(WORKER), null)
    deepEqual(await store.load(OTHER), conversation(3))
    if (store.listSubkeys) deepEqual(await store.listSubkeys(KEY), [])
    if (store.listSessions)
      deepEqual(
        (await store.listSessions(PROJECT)).map(({ sessionId }) => sessionId),
        [OTHER.sessionId],
      )
    if (store.listSessionSummaries) equal((await store.listSessionSummaries(PROJECT)).length, 1)
    await store.delete(KEY)
    await store.append(KEY, conversation(1))
    deepEqual(await store.load(KEY), conversation(1))
    return undefined
  }),

  must('a deleted subagent leaves its session alone', async (open) => {
    const store = await open('delete a subagent')
    if (!store.delete) return NOT_OFFERED
    await store.append(KEY, conversation(2))
    await store.append(WORKER, conversation(2))
    await store.delete(WORKER)
    equal(await store.load(WORKER), null)
    deepEqual(await store.load(KEY), conversation(2))
    return undefined
  }),
]

/** Summaries are the SDK's own: compared with what its fold gives, batch by batch. */
export function summaryChecks({ foldSummary }: ContractOptions): readonly ContractCheck[] {
  if (!foldSummary) return []
  const batches: readonly SessionStoreEntry[][] = [
    conversation(2),
    [title('first title')],
    [...conversation(3, 'one', 2), title('last title'), { type: 'tag', tag: 'kept' }],
  ]
  return [
    must('summaries are kept up to date with every append', async (open) => {
      const store = await open('summaries')
      if (!store.listSessionSummaries) return NOT_OFFERED
      deepEqual(await store.listSessionSummaries(PROJECT), [])
      let expected: SessionSummaryEntry | undefined
      for (const batch of batches) {
        await store.append(KEY, structuredClone(batch))
        expected = foldSummary(expected, KEY, batch, { mtime: 0 })
        const listed: readonly SessionSummaryEntry[] = await store.listSessionSummaries(PROJECT)
        deepEqual(
          listed.map((summary) => ({ ...summary, mtime: 0 })),
          [expected],
        )
      }
      return undefined
    }),

    must('summaries and sessions tell the same time', async (open) => {
      const store = await open('summary times')
      if (!store.listSessionSummaries || !store.listSessions) return NOT_OFFERED
      for (const batch of batches) await store.append(KEY, structuredClone(batch))
      await store.append(OTHER, conversation(1))
      const times = (list: readonly { sessionId: string; mtime: number }[]) =>
        new Map(list.map(({ sessionId, mtime }) => [sessionId, mtime]))
      deepEqual(times(await store.listSessionSummaries(PROJECT)), times(await store.listSessions(PROJECT)))
      return undefined
    }),

    must('a subagent’s entries are no part of its session’s summary', async (open) => {
      const store = await open('summary of main')
      if (!store.listSessionSummaries) return NOT_OFFERED
      await store.append(KEY, conversation(2))
      const before = await store.listSessionSummaries(PROJECT)
      await store.append(WORKER, [...conversation(2, 'two'), title('of the worker')])
      deepEqual(
        (await store.listSessionSummaries(PROJECT)).map(({ data }) => data),
        before.map(({ data }) => data),
      )
      return undefined
    }),
  ]
}

async function mtimeOf(store: SessionStore): Promise<number> {
  return (await store.listSessions?.(PROJECT))?.[0]?.mtime ?? Number.NaN
}
