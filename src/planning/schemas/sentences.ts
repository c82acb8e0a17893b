/**
 * Where the sentences of a description end. A stop is not enough: abbreviations, paths, versions and numbers have
 * stops inside, lists have none, and Chinese and Japanese put no space behind theirs. Linear in the text.
 */

/** A sentence goes on behind these, whatever follows; so it does behind dotted letters (e.g., i.e., U.S.). */
const NEVER_LAST = new Set('eg ie cf vs viz mr mrs ms dr prof st'.split(' '))
/** Behind these it goes on only where a number follows: "no. 5", but "yes or no. Then". */
const BEFORE_NUMBER = new Set('no nos fig figs vol pp sec ch art eq min max ver approx ca'.split(' '))

const CJK_STOP = /[。！？｡]/
const STOP = /[.!?।॥؟۔։]/
/** What may stand between a stop and the space behind it. */
const CLOSING = /["'`)\]}»”’」』）】*_]/
const SPACE = /\s/
const LOWER = /^\p{Ll}/u
const NUMBER = /^\p{N}/u
const ITEM = /^[ \t]*(?:[-*+•‣–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+/
const ITEM_NUMBER = /(?:^|\n)[ \t]*\(?(?:\d{1,3}|[a-zA-Z])$/
const INTRODUCES = /[:：]\s*$/
/** Longer words are no abbreviations. */
const MOST_ABBREVIATION = 16

/**
 * The sentences, in order, each with the white space behind it: joined they are the text. A list belongs to the
 * sentence that introduces it (it ends with a colon); the items of any other list are sentences of their own.
 */
export function sentencesOf(text: string): string[] {
  return paragraphsOf(text).flatMap(({ prose, list }) => {
    const sentences = splitAtStops(prose)
    const last = sentences.pop() ?? ''
    return [...sentences, last + list]
  })
}

interface Paragraph {
  prose: string
  /** The items that the prose introduces. */
  list: string
}

function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = []
  let current: Paragraph | undefined
  let isEnded = false
  for (const line of text.split(/(?<=\n)/)) {
    const isItem = ITEM.test(line)
    const isBlank = line.trim() === ''
    if (current && continues(current, line, { isItem, isBlank, isEnded })) {
      if (current.list !== '' || isItem) current.list += line
      else current.prose += line
    } else {
      current = { prose: line, list: '' }
      paragraphs.push(current)
    }
    isEnded = isBlank
  }
  return paragraphs
}

interface Line {
  readonly isItem: boolean
  readonly isBlank: boolean
  /** The line before it is empty. */
  readonly isEnded: boolean
}

function continues(current: Paragraph, line: string, { isItem, isBlank, isEnded }: Line): boolean {
  if (isBlank) return true
  const isList = current.list !== ''
  if (isItem) return isList || INTRODUCES.test(current.prose.slice(-MOST_ABBREVIATION))
  return isList ? /^[ \t]/.test(line) : !isEnded
}

function splitAtStops(prose: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let at = 0; at < prose.length; at++) {
    const end = sentenceEnd(prose, at)
    if (end === undefined) continue
    sentences.push(prose.slice(start, end))
    start = end
    at = end - 1
  }
  if (start < prose.length) sentences.push(prose.slice(start))
  return sentences
}

/** Where the next sentence begins, if the character at `at` ends one. */
function sentenceEnd(prose: string, at: number): number | undefined {
  const character = prose[at] ?? ''
  if (CJK_STOP.test(character)) return skipped(prose, skipped(prose, at + 1, CLOSING), SPACE)
  if (!STOP.test(character)) return undefined
  const closed = skipped(prose, at + 1, CLOSING)
  if (closed < prose.length && !SPACE.test(prose[closed] ?? '')) return undefined
  const next = skipped(prose, closed, SPACE)
  const following = prose.slice(next, next + 2)
  return LOWER.test(following) || (character === '.' && isInside(prose, at, following)) ? undefined : next
}

/** Does the full stop at `at` belong to an abbreviation, an initial or the number of an item? */
function isInside(prose: string, at: number, following: string): boolean {
  const before = prose.slice(Math.max(0, at - MOST_ABBREVIATION), at)
  const word = /[\p{L}.]*$/u.exec(before)?.[0] ?? ''
  if (/^\p{Lu}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word)) return true
  const name = word.toLowerCase()
  if (NEVER_LAST.has(name) || (BEFORE_NUMBER.has(name) && NUMBER.test(following))) return true
  return ITEM_NUMBER.test(before)
}

function skipped(text: string, at: number, what: RegExp): number {
  while (at < text.length && what.test(text[at] ?? '')) at++
  return at
}
