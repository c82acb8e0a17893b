/** Checks of `append` and `load`: what goes in comes out, in order, once. */
import { deepEqual, equal } from 'node:assert/strict'
import type { SessionStoreEntry } from '../../formats/claude-code/index.ts'
import { type ContractCheck, conversation, KEY, must, OTHER, should, title, WORKER } from './contract-check.ts'

const MANY = 5000
const LONG_CHARS = 1_000_000

/** JSON that careless stores break: escapes, lone surrogates, large and small numbers, keys of JavaScript's own. */
const ODD: SessionStoreEntry = {
  ...JSON.parse('{"__proto__":{"own":true},"constructor":1}'),
  type: 'a kind nobody knows',
  uuid: '00000000-0000-4000-8000-0000000000dd',
  nothing: null,
  nested: { list: [[], {}, [null]], 数: '你好 🙂 \ud83d \u0000 \u2028 "\\' },
  numbers: [0, 1.5e-7, 9007199254740991, 1e21],
  '': 'an empty key',
}

export const TRANSCRIPT_CHECKS: readonly ContractCheck[] = [
  must('a transcript that was never written is null', async (open) => {
    const store = await open('unknown')
    equal(await store.load(KEY), null)
    await store.append(OTHER, conversation(2))
    equal(await store.load(KEY), null)
    equal(await store.load({ ...OTHER, subpath: 'subagents/agent-none' }), null)
  }),

  must('entries come out as they went in, in order over all appends', async (open) => {
    const store = await open('order')
    const all = conversation(9)
    await store.append(KEY, all.slice(0, 1))
    await store.append(KEY, all.slice(1, 6))
    await store.append(KEY, all.slice(6))
    deepEqual(await store.load(KEY), all)
    deepEqual(await store.load(KEY), all)
  }),

  must('fields and kinds that the store does not know survive', async (open) => {
    const store = await open('unknown fields')
    const [first, second] = conversation(2)
    const entries = [
      { ...first, type: 'user', futureField: { deep: [1, { b: 2 }] } },
      { ...second, type: 'assistant' },
      ODD,
    ]
    await store.append(KEY, structuredClone(entries))
    deepEqual(await store.load(KEY), entries)
  }),

  must('a long entry and a large batch', async (open) => {
    const store = await open('large')
    const [first, ...rest] = conversation(MANY)
    const long = { ...first, type: 'user', note: 'é'.repeat(LONG_CHARS) }
    await store.append(KEY, [long, ...rest])
    deepEqual(await store.load(KEY), [long, ...rest])
  }),

  must('appends that are not awaited keep the order of their calls', async (open) => {
    const store = await open('unawaited')
    const all = conversation(40)
    const other = conversation(40, 'two')
    await Promise.all(
      all.flatMap((entry, index) => [store.append(KEY, [entry]), store.append(OTHER, other.slice(index, index + 1))]),
    )
    deepEqual(await store.load(KEY), all)
    deepEqual(await store.load(OTHER), other)
  }),

  must('sessions, subagents and projects are apart, also with the same uuids', async (open) => {
    const store = await open('apart')
    const keys = [
      KEY,
      OTHER,
      WORKER,
      { ...WORKER, subpath: `${WORKER.subpath}1` },
      { ...KEY, projectKey: `${KEY.projectKey}-two` },
    ]
    for (const [index, key] of keys.entries()) await store.append(key, conversation(index + 1))
    for (const [index, key] of keys.entries()) deepEqual(await store.load(key), conversation(index + 1))
  }),

  must('entries without uuid are kept each time, where they came', async (open) => {
    const store = await open('without uuid')
    const [first, second] = conversation(2)
    if (!first || !second) return
    const entries = [first, title('a'), title('a'), second, title('a')]
    await store.append(KEY, entries.slice(0, 2))
    await store.append(KEY, entries.slice(2))
    deepEqual(await store.load(KEY), entries)
  }),

  should('a batch that arrives again is stored once, whole or in part', async (open) => {
    const store = await open('again')
    const all = conversation(10)
    await store.append(KEY, all.slice(0, 6))
    await store.append(KEY, all.slice(0, 6))
    await store.append(KEY, all.slice(3))
    await store.append(KEY, all)
    deepEqual(await store.load(KEY), all)
  }),

  should('an entry that stands twice in one batch is stored once', async (open) => {
    const store = await open('twice')
    const all = conversation(3)
    await store.append(KEY, [...all.slice(0, 2), ...all])
    deepEqual(await store.load(KEY), all)
  }),

  should('neither what was appended nor what was loaded is shared with the caller', async (open) => {
    const store = await open('copies')
    const mine = conversation(2)
    await store.append(KEY, mine)
    mine.push(title('mine'))
    for (const entry of mine) entry.changed = true
    const loaded = await store.load(KEY)
    deepEqual(loaded, conversation(2))
    for (const entry of loaded ?? []) entry.changed = true
    deepEqual(await store.load(KEY), conversation(2))
  }),

  must('the caller’s entries are left as they are', async (open) => {
    const store = await open('untouched')
    const mine = conversation(4)
    await store.append(KEY, mine)
    await store.load(KEY)
    deepEqual(mine, conversation(4))
  }),
]
