/**
 * Tokens without a tokenizer: one linear pass over the characters, nothing allocated.
 *
 * Every character belongs to a class (lower case, digit, operator, CJK, …) and costs one weight where a run of
 * its class starts and another where the run goes on: words, numbers, indentation, rulers and brackets then cost
 * what they cost, so prose, code and JSON need no detection. Only base64 and hex do: inside them classes change at
 * random, which no weight for ordinary text describes.
 */

export const CHARACTER_CLASSES = [
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
type CharacterClass = (typeof CHARACTER_CLASSES)[number]

/**
 * Thousandths of a token: where a run of the class starts, and each further character of the run. Measured, not
 * guessed: non-negative least squares on how recorded prompts grew (`npm run bench -- token-weights`). What hardly
 * occurs there is held at an assumption: `alphabet` (letters of other scripts), `ideograph`, `other`, and words of
 * plain prose.
 */
export const CHARACTER_WEIGHTS: Readonly<Record<CharacterClass, readonly [start: number, further: number]>> = {
  lower: [946, 80],
  upper: [270, 259],
  digit: [1276, 275],
  space: [0, 38],
  newline: [1931, 0],
  control: [1089, 0],
  punctuation: [865, 1405],
  bracket: [361, 390],
  quote: [0, 712],
  operator: [632, 73],
  dash: [1354, 321],
  alphabet: [1000, 500],
  ideograph: [1100, 1100],
  surrogate: [1718, 1318],
  symbol: [1077, 738],
  other: [1500, 1000],
}

/** A lower-case word behind a space carries the space with it: a word of five letters costs about one token. */
export const WORD_BEHIND_SPACE = 750

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
const FIRST_CLASS = CHARACTER_CLASSES.indexOf('newline')

/** Index in CHARACTER_CLASSES of a UTF-16 unit. */
export function characterClass(unit: number): number {
  return CLASS_OF_UNIT[unit] ?? 0
}

function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(CHARACTER_CLASSES.indexOf('other'))
  table.fill(CHARACTER_CLASSES.indexOf('control'), 0, 0x80)
  for (const [name, first, last] of RANGES) table.fill(CHARACTER_CLASSES.indexOf(name), first, last + 1)
  for (const [name, members] of MEMBERS) {
    for (let at = 0; at < members.length; at++) table[members.charCodeAt(at)] = CHARACTER_CLASSES.indexOf(name)
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
  const table = new Int32Array(CHARACTER_CLASSES.length * CHARACTER_CLASSES.length)
  CHARACTER_CLASSES.forEach((name, index) => {
    const [start, further] = CHARACTER_WEIGHTS[name]
    for (let previous = 0; previous < CHARACTER_CLASSES.length; previous++) {
      table[previous * CHARACTER_CLASSES.length + index] = previous === index ? further : start
    }
  })
  table[CHARACTER_CLASSES.indexOf('space') * CHARACTER_CLASSES.length + CHARACTER_CLASSES.indexOf('lower')] =
    WORD_BEHIND_SPACE
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

/** What a signature has beside the sealed thinking, and the tokens of each further character (docs/tokens.md). */
const SIGNATURE_FRAME_CHARS = 200
const TOKENS_PER_SIGNATURE_CHAR = 0.197

/**
 * Tokens of a thinking block. Recordings hold a summary of the thinking or nothing at all, while the provider counts
 * all of it; the signature (or redacted data), which seals the whole, tells its length.
 */
export function thinkingTokens(text: string, signatureChars: number): number {
  const sealed = Math.ceil((signatureChars - SIGNATURE_FRAME_CHARS) * TOKENS_PER_SIGNATURE_CHAR)
  return Math.max(estimateTokens(text), sealed)
}

/** An image costs one token for each patch of this many pixels squared (Claude's vision documentation, 2026-09). */
const PATCH_PIXELS = 28

/** What larger images are scaled down to before they are counted; `high` is for Opus 4.7 and what came after it. */
const IMAGE_LIMITS = {
  standard: { edge: 1568, tokens: 1568 },
  high: { edge: 2576, tokens: 4784 },
} as const

/**
 * Tokens of an image of `width` x `height` pixels, close to the older rule of width * height / 750. Unknown pixels
 * (0, negative, not a number) count as the largest image.
 */
export function imageTokens(width: number, height: number, resolution: keyof typeof IMAGE_LIMITS = 'standard'): number {
  const { edge, tokens } = IMAGE_LIMITS[resolution]
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return tokens
  const area = tokens * PATCH_PIXELS * PATCH_PIXELS
  const scale = Math.min(1, edge / Math.max(width, height), Math.sqrt(area / (width * height)))
  return Math.min(tokens, Math.ceil((width * scale) / PATCH_PIXELS) * Math.ceil((height * scale) / PATCH_PIXELS))
}
