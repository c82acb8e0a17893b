/** The fields that only the provider can write and that must come back as they came (A28). */
import type { Fields } from '../../../fields.ts'
import type { Placed } from '../../places.ts'
import { isServerResult } from '../reading.ts'
import { digestOf } from './digest.ts'

const OPAQUE_KEYS = new Set(['encrypted_content', 'encrypted_index', 'encrypted_stdout'])

export interface OpaqueField {
  readonly field: string
  readonly type: string
  readonly at: string
  readonly key: string
}

export function opaqueFieldsOf(block: Placed): OpaqueField[] {
  const { fields, type, at } = block
  if (type === 'redacted_thinking') return [{ field: 'data', type, at, key: digestOf(fields.data) }]
  const judged =
    type === 'text' ? fields.citations : isServerResult(block) || type === 'compaction' ? fields : undefined
  return fieldsInside(judged).map(({ field, holder, value }) => ({
    field,
    type: typeof holder.type === 'string' ? holder.type : type,
    at,
    key: digestOf(value),
  }))
}

function fieldsInside(value: unknown): { field: string; holder: Fields; value: unknown }[] {
  const found: { field: string; holder: Fields; value: unknown }[] = []
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [field, item] of Object.entries(next)) {
      if (!OPAQUE_KEYS.has(field)) left.push(item)
      else if (item !== null) found.push({ field, holder: next as Fields, value: item })
    }
  }
  return found
}
