/** Codex rollouts: `rollout-<time>-<id>.jsonl` (docs/formats-codex.md). */
import { fieldsOf } from '../fields.ts'
import type { Format } from '../format.ts'
import { checkCodex, repairsOfCodex } from './check.ts'
import { codexReader } from './reader.ts'
import { codexWriter } from './writer.ts'

const TYPES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'])

/** Every line has a type of its own kind and holds the rest in `payload`. */
function detect(firstEntries: readonly unknown[]): boolean {
  return firstEntries.some((value) => {
    const entry = fieldsOf(value)
    return typeof entry?.type === 'string' && TYPES.has(entry.type) && fieldsOf(entry.payload) !== undefined
  })
}

export const codex: Format = {
  name: 'codex',
  detect,
  reader: codexReader,
  writer: codexWriter,
  check: checkCodex,
  repairs: repairsOfCodex,
}
