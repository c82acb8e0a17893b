import { windowOf } from '../core/models.ts'
import { turnsOf } from '../core/transcript.ts'
import { pricesFor } from '../planning/prices.ts'
import { compare, recordingOf, STRATEGIES } from '../replay/index.ts'
import type { CostComparison } from '../report/index.ts'
import { STDIN } from '../sessions/source.ts'
import { historyOf } from './history.ts'

/** A session replayed as it was and under one preset; undefined where no call is recorded or the input is gone. */
export async function sessionCost(file: string, preset: string): Promise<CostComparison | undefined> {
  if (file === STDIN) return undefined
  const main = await historyOf(file)
  if (turnsOf(main).length === 0) return undefined
  const { prices, basis } = pricesFor(main.model)
  const strategies = STRATEGIES.filter(({ name }) => name === 'raw' || name === preset)
  const { rows } = compare([recordingOf(main, file)], strategies, { prices, window: windowOf(main.model) })
  return { basis, rows }
}
