/**
 * Where things stand inside JSON text, so that one value can be changed while every other character stays.
 * All offsets are string offsets (UTF-16 units). The text is expected to have passed JSON.parse; nothing recurses.
 */

/** Half-open: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface TextSplice extends Span {
  /** What stands there afterwards. */
  readonly text: string
}

/** One `"key": value` of an object: `start` is the key's quote, `end` the end of the value. */
export interface MemberSpan extends Span {
  readonly key: string
  readonly value: Span
}

export type JsonPath = readonly (string | number)[]

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** The offset of the first character at or after `at` that is no JSON whitespace. */
export function skipWhitespace(text: string, at: number): number {
  while (isWhitespace(text.charCodeAt(at))) at++
  return at
}

/** The offset behind the string whose opening quote stands at `at`; -1 when it never closes. */
function skipString(text: string, at: number): number {
  let quote = at
  while (true) {
    quote = text.indexOf('"', quote + 1)
    if (quote < 0) return -1
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
}

/**
 * The end of the value that starts at `at`, found by quotes and brackets alone: `whole` says that it closes, not
 * that it is JSON. `deep` where it nests deeper than `mostNesting`.
 */
export function skipValue(
  text: string,
  at: number,
  mostNesting = Number.POSITIVE_INFINITY,
): { end: number; state: 'whole' | 'in-string' | 'in-container' | 'deep' } {
  let depth = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = skipString(text, at)
      if (at < 0) return { end: text.length, state: 'in-string' }
      if (depth === 0) return { end: at, state: 'whole' }
      continue
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > mostNesting) return { end: at, state: 'deep' }
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (--depth <= 0) return { end: at + 1, state: 'whole' }
    } else if (depth === 0) {
      while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++
      return { end: at, state: 'whole' }
    }
    at++
  }
  return { end: at, state: 'in-container' }
}

function isDelimiter(code: number): boolean {
  return (
    isWhitespace(code) ||
    code === COMMA ||
    code === QUOTE ||
    code === OPEN_ARRAY ||
    code === CLOSE_ARRAY ||
    code === OPEN_OBJECT ||
    code === CLOSE_OBJECT
  )
}

/** Every member of the object at `at`, duplicates included, in order; none when no object stands there. */
export function membersAt(text: string, at: number): MemberSpan[] {
  const members: MemberSpan[] = []
  at = skipWhitespace(text, at)
  if (text.charCodeAt(at) !== OPEN_OBJECT) return members
  at = skipWhitespace(text, at + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = skipString(text, at)
    const raw = text.slice(at + 1, keyEnd - 1)
    const key = raw.includes('\\') ? (JSON.parse(text.slice(at, keyEnd)) as string) : raw
    const colon = skipWhitespace(text, keyEnd)
    const start = skipWhitespace(text, colon + 1)
    const { end } = skipValue(text, start)
    members.push({ key, start: at, end, value: { start, end } })
    const comma = skipWhitespace(text, end)
    if (text.charCodeAt(comma) !== COMMA) break
    at = skipWhitespace(text, comma + 1)
  }
  return members
}

/** Every element of the array at `at`, in order; none when no array stands there. */
export function elementsAt(text: string, at: number): Span[] {
  const elements: Span[] = []
  at = skipWhitespace(text, at)
  if (text.charCodeAt(at) !== OPEN_ARRAY) return elements
  at = skipWhitespace(text, at + 1)
  if (text.charCodeAt(at) === CLOSE_ARRAY) return elements
  while (at < text.length) {
    const { end } = skipValue(text, at)
    elements.push({ start: at, end })
    const comma = skipWhitespace(text, end)
    if (text.charCodeAt(comma) !== COMMA) break
    at = skipWhitespace(text, comma + 1)
  }
  return elements
}

/**
 * The raw value at a path below the value that starts at `from`; of duplicate keys the last wins, as in JSON.parse.
 * Undefined when nothing stands there.
 */
export function spanOf(text: string, path: JsonPath, from = 0): Span | undefined {
  const start = skipWhitespace(text, from)
  let span: Span = { start, end: skipValue(text, start).end }
  for (const step of path) {
    const next = childOf(text, span.start, step)
    if (next === undefined) return undefined
    span = next
  }
  return span
}

function childOf(text: string, at: number, step: string | number): Span | undefined {
  if (text.charCodeAt(at) === OPEN_ARRAY) return elementsAt(text, at)[Number(step)]
  const key = String(step)
  return membersAt(text, at).findLast((member) => member.key === key)?.value
}

/** Splices that take some children out of the container whose children these are, each with its comma. */
export function removeChildren(children: readonly Span[], leaves: (index: number) => boolean): TextSplice[] {
  const kept = children.findIndex((_, index) => !leaves(index))
  const first = children[0]
  const last = children.at(-1)
  if (first === undefined || last === undefined) return []
  if (kept < 0) return [{ start: first.start, end: last.end, text: '' }]
  const splices: TextSplice[] = []
  const firstKept = children[kept]
  if (kept > 0 && firstKept) splices.push({ start: first.start, end: firstKept.start, text: '' })
  for (let index = kept + 1; index < children.length; index++) {
    const before = children[index - 1]
    const child = children[index]
    if (before && child && leaves(index)) splices.push({ start: before.end, end: child.end, text: '' })
  }
  return splices
}

/** The text with every splice carried out. Throws when two of them overlap: that is a fault of the caller. */
export function spliceText(text: string, splices: readonly TextSplice[]): string {
  let result = ''
  let at = 0
  for (const splice of inOrder(splices)) {
    result += text.slice(at, splice.start) + splice.text
    at = splice.end
  }
  return result + text.slice(at)
}

/** Sorted by place; two splices at one place keep their order. Throws when two overlap. */
export function inOrder(splices: readonly TextSplice[]): TextSplice[] {
  const sorted = [...splices].sort((a, b) => a.start - b.start || a.end - b.end)
  let end = 0
  for (const splice of sorted) {
    if (splice.start < end) throw new RangeError(`splices overlap at ${splice.start}`)
    end = splice.end
  }
  return sorted
}

/** Byte offsets (UTF-8) of ascending string offsets; `bytes` is the text's whole byte length. */
export function byteOffsets(text: string, bytes: number, offsets: readonly number[]): number[] {
  if (bytes === text.length) return [...offsets]
  let at = 0
  let byte = 0
  return offsets.map((offset) => {
    byte += Buffer.byteLength(text.slice(at, offset), 'utf8')
    at = offset
    return byte
  })
}

/**
 * Every string value (no keys) with more than `chars` characters inside the value that starts at `at`, in order.
 */
export function longStringsAt(text: string, at: number, chars: number): Span[] {
  const found: Span[] = []
  const { end } = skipValue(text, skipWhitespace(text, at))
  while (at < end) {
    if (text.charCodeAt(at) !== QUOTE) {
      at++
      continue
    }
    const span = { start: at, end: skipString(text, at) }
    const isKey = text.charCodeAt(skipWhitespace(text, span.end)) === COLON
    if (!isKey && isLonger(text, span, chars)) found.push(span)
    at = span.end
  }
  return found
}

function isLonger(text: string, span: Span, chars: number): boolean {
  if (span.end - span.start - 2 <= chars) return false
  return (JSON.parse(text.slice(span.start, span.end)) as string).length > chars
}
