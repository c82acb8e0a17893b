/**
 * What others wrote (names of tools and files, recorded ids, archived content), made fit for a terminal: control and
 * direction characters could move the cursor, retitle the window or reorder a line; here they show as escapes.
 */

/** C0, C1, lone surrogates, line separators and what changes the direction of writing. */
const UNFIT = '\\p{Cc}\\p{Cs}\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const IN_LINE = new RegExp(`[${UNFIT}]`, 'gu')
const IN_TEXT = new RegExp(`(?!\\r?\\n|\\t)[${UNFIT}]`, 'gu')

/** One line: line breaks are escapes too, so that no line of ours can be forged. */
export function printableLine(text: string): string {
  return text.replace(IN_LINE, escaped)
}

/** Line breaks and tabs stay. JSON stays the same document. */
export function printableText(text: string): string {
  return text.replace(IN_TEXT, escaped)
}

/** Plain data with every string and key fit for one line. */
export function printable<Data>(data: Data): Data {
  return copied(data) as Data
}

function copied(data: unknown): unknown {
  if (typeof data === 'string') return printableLine(data)
  if (Array.isArray(data)) return data.map(copied)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [printableLine(key), copied(value)]))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
