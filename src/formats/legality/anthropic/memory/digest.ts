/** One spelling for values that the provider treats as equal, and its digest. Iterative: depth is the sender's choice. */
import { createHash } from 'node:crypto'
import { type Fields, fieldsOf } from '../../../fields.ts'
import { contentOf } from '../../places.ts'

/** Digests are keys of a plain record: long enough never to meet, and never a name like `constructor`. */
const DIGEST_CHARS = 32

export function digestOf(value: unknown): string {
  return sha256(spellingOf(value))
}

/** The digest of everything so far and one thing more. */
export function chained(before: string, kind: string, value: unknown): string {
  return sha256(`${before}\n${kind}\n${spellingOf(value)}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS)
}

/** JSON with sorted keys. */
function spellingOf(value: unknown): string {
  const parts: string[] = []
  const left: { readonly text?: string; readonly value?: unknown }[] = [{ value }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.text !== undefined) parts.push(next.text)
    else if (Array.isArray(next.value)) {
      left.push({ text: ']' })
      for (let index = next.value.length - 1; index >= 0; index--)
        left.push({ text: ',' }, { value: next.value[index] })
      left.push({ text: '[' })
    } else if (typeof next.value === 'object' && next.value !== null) {
      left.push({ text: '}' })
      const fields = next.value as Fields
      for (const key of Object.keys(fields).sort().reverse()) {
        left.push({ text: ',' }, { value: fields[key] }, { text: `${JSON.stringify(key)}:` })
      }
      left.push({ text: '{' })
    } else parts.push(JSON.stringify(next.value) ?? 'null')
  }
  return parts.join('')
}

/**
 * A block as the prefix check sees it (A35): without `cache_control`, string content as blocks, and without the
 * address of a picture, which may rotate over the same bytes.
 */
export function comparable(block: Fields): Fields {
  const { cache_control: _, ...rest } = block
  const content = rest.type === 'tool_result' ? { content: partsOf(rest.content) } : {}
  const source = fieldsOf(rest.source)?.type === 'url' ? { source: { type: 'url' } } : {}
  return { ...rest, ...content, ...source }
}

function partsOf(content: unknown): Fields[] {
  return contentOf(content, '').map(({ fields }) => {
    const { cache_control: _, ...rest } = fields
    return fieldsOf(rest.source)?.type === 'url' ? { ...rest, source: { type: 'url' } } : rest
  })
}
