/**
 * What a file of the workbench says about itself, from its first lines: `desc:` in any comment style, else its first
 * comment or the first line of its docstring. Pure.
 */

export const DESCRIPTION_LINES = 8
export const MOST_DESCRIPTION_CHARS = 100
/** Of a longer line the description would be cut anyway. */
const MOST_LINE_CHARS = 600
/** A shorter comment says nothing. */
const LEAST_FALLBACK_CHARS = 4

/** What opens a comment, in the languages that scripts and notes are written in. */
const OPENER = String.raw`(?:#+|//+!?|/\*+|\*+|--+\[*|;+|%+|<!--+|"""|'''|\(\*+|\{-+|::|!+|"|'|@?rem\b|dnl\b)`
const DESCRIBED = new RegExp(String.raw`^\s*${OPENER}\s*desc(?:ription)?\s*[:：]\s*(.*)$`, 'iu')
/** Front matter, or a line inside a docstring: no opener, no indentation. */
const BARE = /^desc(?:ription)?\s*[:：]\s*(.*)$/iu
const COMMENT = /^\s*(?:#+|\/\/+!?|\/\*+|\*+|--+\[*|;+|%+|<!--+|\(\*+|\{-+|@?rem\b|dnl\b)\s*(.*)$/iu
const DOCSTRING = /^\s*[rRuU]?("""|''')(.*)$/
const CLOSER = /\s*(?:--+>|\*+\/|\*+\)|-+\}|\]\]|"""|''')\s*$/
/** They speak to a program, not to a reader. */
const NO_DESCRIPTION =
  /^(?:-\*-|vim?:|coding[:=]|encoding[:=]|eslint|@ts-|prettier|biome|noqa|type:|pylint|shellcheck)/i

/** @param head the first lines; more does no harm. Empty when it says nothing. */
export function describe(head: string): string {
  if (head.includes('\0')) return ''
  const lines = head
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/, DESCRIPTION_LINES)
    .filter((line, at) => !(at === 0 && line.startsWith('#!')))
    .map((line) => line.slice(0, MOST_LINE_CHARS))
  for (const line of lines) {
    const found = DESCRIBED.exec(line)?.[1] ?? BARE.exec(line)?.[1]
    const text = found === undefined ? '' : tidy(found)
    if (text !== '') return text
  }
  return fallback(lines)
}

function fallback(lines: readonly string[]): string {
  for (const [at, line] of lines.entries()) {
    const docstring = DOCSTRING.exec(line)
    if (docstring) {
      const text = tidy(docstring[2] ?? '') || tidy(lines.slice(at + 1).find((next) => next.trim() !== '') ?? '')
      if (text !== '') return text
      continue
    }
    const text = tidy(COMMENT.exec(line)?.[1] ?? '')
    const speaks =
      [...text].length >= LEAST_FALLBACK_CHARS &&
      !NO_DESCRIPTION.test(text) &&
      !/^desc(?:ription)?\s*[:：]?$/i.test(text)
    if (speaks) return text
  }
  return ''
}

/** One line without control characters, its comment closed, cut at whole characters. */
function tidy(text: string): string {
  const plain = text
    .replace(CLOSER, '')
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  const points = Array.from(plain.slice(0, 4 * MOST_DESCRIPTION_CHARS))
  if (points.length <= MOST_DESCRIPTION_CHARS && plain.length <= 4 * MOST_DESCRIPTION_CHARS) return plain
  return `${points.slice(0, MOST_DESCRIPTION_CHARS - 1).join('')}…`
}
