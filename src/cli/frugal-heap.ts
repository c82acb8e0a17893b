/**
 * Keeps the heap near what is alive while very large sessions are measured. V8 lets a heap of hundreds of megabytes
 * double between collections; a smaller step costs some processor time, so only large inputs take it.
 */
import { statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

const LARGE_BYTES = 256 * 1024 * 1024
const GROWTH_PERCENT = 15

export function keepHeapSmall(files: readonly string[]): void {
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  if (Math.max(0, ...sizes) > LARGE_BYTES) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
