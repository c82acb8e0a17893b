/** Checks of two stores over the same data, as two processes have. */
import { deepEqual, equal } from 'node:assert/strict'
import {
  type ContractCheck,
  type ContractOptions,
  conversation,
  KEY,
  mustShared,
  NOT_OFFERED,
  PROJECT,
  shouldShared,
} from './contract-check.ts'

const ROUNDS = 20

export function sharingChecks({ foldSummary }: ContractOptions): readonly ContractCheck[] {
  return [
    mustShared('what one store wrote another reads, and goes on', async (open) => {
      const [one, two] = [await open('shared'), await open('shared')]
      await one.append(KEY, conversation(3))
      deepEqual(await two.load(KEY), conversation(3))
      await two.append(KEY, conversation(2, 'one', 3))
      deepEqual(await one.load(KEY), conversation(5))
    }),

    mustShared('two that write at once lose nothing and keep the order of each', async (open) => {
      const stores = [await open('at once'), await open('at once')]
      const told = ['one', 'two'].map((about) => conversation(ROUNDS, about))
      await Promise.all(
        stores.map(async (store, index) => {
          for (const entry of told[index] ?? []) await store.append(KEY, [entry])
        }),
      )
      const inner = (await stores[0]?.load(KEY)) ?? []
      equal(inner.length, 2 * ROUNDS)
      told.forEach((entries) => {
        const uuids = new Set(entries.map(({ uuid }) => uuid))
        deepEqual(
          inner.filter(({ uuid }) => uuids.has(uuid)).map(({ uuid }) => uuid),
          entries.map(({ uuid }) => uuid),
        )
      })
    }),

    shouldShared('what both append is stored once', async (open) => {
      const stores = [await open('both'), await open('both')]
      for (const entry of conversation(ROUNDS)) await Promise.all(stores.map((store) => store.append(KEY, [entry])))
      deepEqual(await stores[1]?.load(KEY), conversation(ROUNDS))
    }),

    mustShared('summaries miss nothing that two append at once', async (open) => {
      const [one, two] = [await open('two summaries'), await open('two summaries')]
      if (!foldSummary || !one.listSessionSummaries) return NOT_OFFERED
      for (let round = 0; round < ROUNDS; round++) {
        const entry = conversation(1, 'one', round)
        const tag = { type: 'tag', tag: `round ${round}` }
        await Promise.all([one.append(KEY, entry), two.append(KEY, [tag])])
      }
      const [summary] = await one.listSessionSummaries(PROJECT)
      const all = await two.load(KEY)
      deepEqual(summary?.data, foldSummary(undefined, KEY, all ?? []).data)
      return undefined
    }),
  ]
}
