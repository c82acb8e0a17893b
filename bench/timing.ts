/** How benches measure and say what they promise. */

/** Of one piece of work. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}

export function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(36)} ${figure}\n`)
}

export function promise(what: string, measured: number, bound: number): void {
  if (measured <= bound) return
  process.stdout.write(`MISSED: ${what} is ${measured.toFixed(2)}, at most ${bound} was promised\n`)
  process.exitCode = 1
}
