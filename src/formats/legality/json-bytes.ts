/** How long a value is as compact JSON, in UTF-8 bytes; escapes are not counted, so it never says too much. */
export function jsonBytes(value: unknown): number {
  let bytes = 0
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') bytes += Buffer.byteLength(next) + 2
    else if (typeof next !== 'object' || next === null) bytes += String(next).length
    else if (Array.isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1)
      for (const item of next) left.push(item)
    } else {
      const keys = Object.keys(next)
      bytes += 2 + Math.max(0, keys.length - 1)
      for (const key of keys) {
        bytes += Buffer.byteLength(key) + 3
        left.push((next as Record<string, unknown>)[key])
      }
    }
  }
  return bytes
}
