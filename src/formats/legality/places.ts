/** Blocks of a raw request with their places, in whatever wire they come. */
import { type Fields, fieldsOf } from '../fields.ts'

export interface Placed {
  readonly fields: Fields
  /** '' when the block names none. */
  readonly type: string
  /** Path in the request. */
  readonly at: string
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects of an array with their paths; what is no object is left to the shape rules. */
export function placedIn(value: unknown, path: string): Placed[] {
  const placed: Placed[] = []
  arrayOf(value).forEach((item, index) => {
    const fields = fieldsOf(item)
    if (fields)
      placed.push({ fields, type: typeof fields.type === 'string' ? fields.type : '', at: `${path}.${index}` })
  })
  return placed
}

/** Content as blocks; the string form is short for one text block ('' for none). */
export function contentOf(value: unknown, path: string): Placed[] {
  if (typeof value !== 'string') return placedIn(value, path)
  return value === '' ? [] : [{ fields: { type: 'text', text: value }, type: 'text', at: `${path}.0` }]
}

/** The objects that blocks carry under a key. */
export function fieldsUnder(blocks: readonly Placed[], key: string): Fields[] {
  return blocks.map(({ fields }) => fieldsOf(fields[key])).filter((fields) => fields !== undefined)
}

/** Words for an id that may be anything; what is no id at all is only named by its kind. */
export function idText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : `<${typeof value}>`
}
