/**
 * Tokens without a tokenizer: one linear pass over the characters, nothing allocated.
 *
 * Every character belongs to a class (lower case, digit, operator, CJK, …) and costs one weight where a run of
 * its class starts and another where the run goes on: words, numbers, indentation, rulers and brackets then cost
 * what they cost, so prose, code and JSON need no detection. Only base64 and hex do: inside them classes change at
 * random, which no weight for ordinary text describes.
 */

const CLASSES = [
  'lower',
  'upper',
  'digit',
  'space',
  'newline',
  'control',
  'punctuation',
  'bracket',
  'quote',
  'operator',
  'dash',
  'alphabet',
  'ideograph',
  'surrogate',
  'symbol',
  'other',
] as const
type CharacterClass = (typeof CLASSES)[number]

/**
 * Thousandths of a token: where a run of the class starts, and each further character of the run. Measured, not
 * guessed: non-negative least squares on 2,096 recorded prompt growths (docs/tokens.md). `alphabet` (other scripts
 * with letters), `ideograph` and `other` hardly occur there and stand on published rates.
 */
const WEIGHTS: Readonly<Record<CharacterClass, readonly [start: number, further: number]>> = {
  lower: [286, 167],
  upper: [528, 183],
  digit: [1292, 212],
  space: [0, 47],
  newline: [1705, 0],
  control: [1257, 0],
  punctuation: [1076, 1463],
  bracket: [638, 93],
  quote: [0, 1008],
  operator: [999, 28],
  dash: [1606, 180],
  alphabet: [1000, 500],
  ideograph: [1100, 1100],
  surrogate: [1714, 1314],
  symbol: [1326, 734],
  other: [1500, 1000],
}

const MEMBERS: readonly (readonly [CharacterClass, string])[] = [
  ['lower', 'abcdefghijklmnopqrstuvwxyz'],
  ['upper', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  ['digit', '0123456789'],
  ['space', ' '],
  ['newline', '\n\r'],
  ['punctuation', '.,;:!?'],
  ['bracket', '(){}[]<>'],
  ['quote', '"\'`'],
  ['operator', '/\\=+*&|~^%$#@'],
  ['dash', '-_'],
]

/** Ranges of UTF-16 units beyond ASCII, first and last. */
const RANGES: readonly (readonly [CharacterClass, number, number])[] = [
  ['alphabet', 0x80, 0x7ff],
  ['symbol', 0x2000, 0x2bff],
  ['ideograph', 0x2e80, 0xd7ff],
  ['surrogate', 0xd800, 0xdfff],
  ['ideograph', 0xf900, 0xfaff],
  ['ideograph', 0xff00, 0xffef],
]

const CLASS_OF_UNIT = classTable()
const COST_OF_PAIR = costTable()
const BLOB_UNITS = blobTable()
const FIRST_CLASS = CLASSES.indexOf('newline')

function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(CLASSES.indexOf('other'))
  table.fill(CLASSES.indexOf('control'), 0, 0x80)
  for (const [name, first, last] of RANGES) table.fill(CLASSES.indexOf(name), first, last + 1)
  for (const [name, members] of MEMBERS) {
    for (let at = 0; at < members.length; at++) table[members.charCodeAt(at)] = CLASSES.indexOf(name)
  }
  return table
}

function blobTable(): Uint8Array {
  const table = new Uint8Array(0x10000)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_'
  for (let at = 0; at < alphabet.length; at++) table[alphabet.charCodeAt(at)] = 1
  return table
}

/** Indexed by previous class * 16 + class. */
function costTable(): Int32Array {
  const table = new Int32Array(CLASSES.length * CLASSES.length)
  CLASSES.forEach((name, index) => {
    const [start, further] = WEIGHTS[name]
    for (let previous = 0; previous < CLASSES.length; previous++) {
      table[previous * CLASSES.length + index] = previous === index ? further : start
    }
  })
  return table
}

/** A stretch is judged alone, so that a blob inside prose is priced as a blob. Also keeps the sums in 32 bits. */
const STRETCH = 512
/** Shorter stretches are identifiers or hashes, for which the run weights hold. */
const MINIMUM_BLOB = 64
/** base64 and hex cost about 0.7 tokens a character in every current vocabulary; one word over and over does not. */
const BLOB_MILLITOKENS = 700
const BLOB_MINIMUM_MILLITOKENS = 350

/** Reading units from a flat copy is twice as fast as asking the string for each; the copy is reused. */
const PIECE = 0x8000
const UNITS = new Uint16Array(PIECE)
const UNIT_BYTES = Buffer.from(UNITS.buffer)

/**
 * Estimated tokens of a text, at least 1 unless it is empty. Uncalibrated: see core/calibration for what a session's
 * recorded usage says about its model. Any string is allowed, lone surrogates too.
 */
export function estimateTokens(text: string): number {
  let millitokens = 0
  for (let start = 0; start < text.length; start += PIECE) {
    const piece = text.length <= PIECE ? text : text.slice(start, start + PIECE)
    UNIT_BYTES.write(piece, 'utf16le')
    millitokens += pieceCost(piece.length)
  }
  return Math.max(Math.ceil(millitokens / 1000), text.length > 0 ? 1 : 0)
}

/** The casts hold for every UTF-16 unit and pair of classes; a fallback would cost a branch a character. */
function pieceCost(length: number): number {
  const units = UNITS
  const classes = CLASS_OF_UNIT
  const costs = COST_OF_PAIR
  let previous = FIRST_CLASS
  let total = 0
  for (let start = 0; start < length; start += STRETCH) {
    const end = Math.min(length, start + STRETCH)
    let cost = 0
    for (let at = start; at < end; at++) {
      const current = classes[units[at] as number] as number
      cost = (cost + (costs[(previous << 4) | current] as number)) | 0
      previous = current
    }
    const dense = end - start >= MINIMUM_BLOB && cost > (end - start) * BLOB_MINIMUM_MILLITOKENS
    total += dense && isBlob(start, end) ? Math.max(cost, (end - start) * BLOB_MILLITOKENS) : cost
  }
  return total
}

/** Stops at the first character that base64 and hex do not have: after a word, in ordinary text. */
function isBlob(start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (BLOB_UNITS[UNITS[at] as number] !== 1) return false
  return true
}
