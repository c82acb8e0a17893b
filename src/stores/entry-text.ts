/** How an entry's JSON is stored. */

/** Escapes may make the text so much longer, not more. */
const MOST_GROWTH = 1.5
const NOT_ASCII = /[^\x00-\x7f]/g

/**
 * The entry as JSON, in ASCII where a few escapes make it so: SQLite gives out ASCII twice as fast, and loading a long
 * session is mostly that (docs/stores.md).
 * @throws TypeError for what is no JSON (a BigInt, a cycle)
 */
export function entryText(entry: unknown): string {
  const text = JSON.stringify(entry)
  const escaped = text.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return escaped.length <= MOST_GROWTH * text.length ? escaped : text
}
