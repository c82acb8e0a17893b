/** Least squares with weights of at least 0, outliers counted less (Huber), some columns held at assumed weights. */

/** Standard error of a growth: a fixed part in tokens and a share of its size. */
const NOISE_TOKENS = 60
const NOISE_SHARE = 0.05
const OUTLIER = 1.5
const ROUNDS = 12
const SWEEPS = 3000
const CLOSE = 1e-7
/** Keeps columns solvable that do not occur. */
const LEAST_HOLD = 1e-6

export function nonNegativeRidge(
  rows: readonly Float64Array[],
  targets: readonly number[],
  assumed: readonly (readonly [column: number, weight: number, hold: number])[],
): number[] {
  const columns = rows[0]?.length ?? 0
  const precisions = targets.map((target) => 1 / (NOISE_TOKENS ** 2 + (NOISE_SHARE * target) ** 2))
  let weights = new Array<number>(columns).fill(0)
  let importance = precisions
  for (let round = 0; round < ROUNDS; round++) {
    const { matrix, right } = normalEquations(rows, targets, importance, columns)
    for (let column = 0; column < columns; column++) raise(matrix, column * columns + column, LEAST_HOLD)
    for (const [column, weight, hold] of assumed) {
      raise(matrix, column * columns + column, hold ** 2)
      raise(right, column, hold ** 2 * weight)
    }
    weights = solve(matrix, right, weights)
    importance = rows.map((row, index) => {
      const precision = precisions[index] ?? 0
      const deviation = Math.abs((targets[index] ?? 0) - product(row, weights)) * Math.sqrt(precision)
      return precision * Math.min(1, OUTLIER / Math.max(CLOSE, deviation))
    })
  }
  return weights
}

function raise(numbers: Float64Array, at: number, amount: number): void {
  numbers[at] = (numbers[at] ?? 0) + amount
}

function product(row: Float64Array, weights: readonly number[]): number {
  return weights.reduce((sum, weight, column) => sum + weight * (row[column] ?? 0), 0)
}

function normalEquations(
  rows: readonly Float64Array[],
  targets: readonly number[],
  importance: readonly number[],
  columns: number,
): { matrix: Float64Array; right: Float64Array } {
  const matrix = new Float64Array(columns * columns)
  const right = new Float64Array(columns)
  rows.forEach((row, index) => {
    const factor = importance[index] ?? 0
    for (let first = 0; first < columns; first++) {
      const value = (row[first] ?? 0) * factor
      if (value === 0) continue
      for (let second = 0; second < columns; second++)
        raise(matrix, first * columns + second, value * (row[second] ?? 0))
      raise(right, first, value * (targets[index] ?? 0))
    }
  })
  return { matrix, right }
}

/** Coordinate descent from the weights so far, each kept at 0 or above. */
function solve(matrix: Float64Array, right: Float64Array, from: readonly number[]): number[] {
  const weights = [...from]
  const columns = weights.length
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0
    for (let column = 0; column < columns; column++) {
      let rest = right[column] ?? 0
      for (let other = 0; other < columns; other++) {
        if (other !== column) rest -= (matrix[column * columns + other] ?? 0) * (weights[other] ?? 0)
      }
      const next = Math.max(0, rest / (matrix[column * columns + column] ?? 1))
      moved = Math.max(moved, Math.abs(next - (weights[column] ?? 0)) / Math.max(1, next))
      weights[column] = next
    }
    if (moved < CLOSE) break
  }
  return weights
}
