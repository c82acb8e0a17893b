/** How size and cost grow with the number of calls: exponents of power laws, fitted on logarithms. */
import type { Run } from './run.ts'

export interface Growth {
  /** Of what is sent beyond the floor; 1 when it grows with every call, 0 when it stays. */
  readonly size: number
  /** Of all that was paid up to a call; 1 when every call costs the same. */
  readonly cost: number
}

/** Fitted over all calls. */
export function growthOf(run: Run, floor: number): Growth {
  const calls: number[] = []
  const sizes: number[] = []
  const costs: number[] = []
  let paid = 0
  run.costs.forEach((cost, call) => {
    paid += cost
    calls.push(Math.log(call + 1))
    sizes.push(Math.log(Math.max(1, (run.prompts[call] ?? 0) - floor)))
    costs.push(Math.log(paid))
  })
  return { size: slope(calls, sizes), cost: slope(calls, costs) }
}

function slope(xs: readonly number[], ys: readonly number[]): number {
  const middle = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [middle(xs), middle(ys)]
  let above = 0
  let below = 0
  xs.forEach((value, index) => {
    above += (value - x) * ((ys[index] ?? 0) - y)
    below += (value - x) ** 2
  })
  return below === 0 ? 0 : above / below
}
