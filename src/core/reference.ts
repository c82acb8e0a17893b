/**
 * References: the name under which removed content can be found again (DESIGN, Reference).
 * Hashing counts as pure: same content, same name, on every machine.
 */
import { createHash } from 'node:crypto'

export const REFERENCE_LENGTH = 12
/** 12 characters, or up to all 52 where two contents share those. */
export const REFERENCE = /^[a-z2-7]{12,52}$/
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const REPLACEMENT = Buffer.from('\ufffd')
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** UTF-8 in which a lone surrogate keeps its own three bytes, so that no two texts share their bytes. */
export function encodeText(text: string): Uint8Array {
  const plain = Buffer.from(text, 'utf8')
  // Node writes U+FFFD for a lone surrogate: without it there is none, and looking for bytes is fast.
  if (!plain.includes(REPLACEMENT) || !LONE_SURROGATE.test(text)) return plain
  const pieces: Buffer[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0xd800 || code > 0xdfff) continue
    const paired = code < 0xdc00 && text.charCodeAt(index + 1) >= 0xdc00 && text.charCodeAt(index + 1) <= 0xdfff
    if (paired) {
      index++
      continue
    }
    pieces.push(Buffer.from(text.slice(start, index), 'utf8'))
    pieces.push(Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]))
    start = index + 1
  }
  pieces.push(Buffer.from(text.slice(start), 'utf8'))
  return Buffer.concat(pieces)
}

/** The text whose `encodeText` these bytes are; lone surrogates come back as they were. */
export function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const plain = buffer.toString('utf8')
  if (!plain.includes('\ufffd')) return plain
  const pieces: string[] = []
  let start = 0
  for (let at = buffer.indexOf(0xed); at !== -1; at = buffer.indexOf(0xed, at + 1)) {
    const second = buffer[at + 1] ?? 0
    const third = buffer[at + 2] ?? 0
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue
    pieces.push(
      buffer.toString('utf8', start, at),
      String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)),
    )
    start = at + 3
  }
  pieces.push(buffer.toString('utf8', start))
  return pieces.join('')
}

/** SHA-256 over a text (its UTF-8) or bytes (an image's decoded ones). */
export function digestOf(content: string | Uint8Array): Buffer {
  return createHash('sha256')
    .update(typeof content === 'string' ? encodeText(content) : content)
    .digest()
}

/** The reference of a text or of bytes. */
export function referenceOf(content: string | Uint8Array): string {
  return referenceOfDigest(digestOf(content))
}

/** The first `length` lower-case base32 characters of a digest; 52 name all of a SHA-256. */
export function referenceOfDigest(digest: Uint8Array, length: number = REFERENCE_LENGTH): string {
  let bits = 0
  let value = 0
  let reference = ''
  for (const byte of digest) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5 && reference.length < length) {
      reference += BASE32[(value >> (bits - 5)) & 31]
      bits -= 5
    }
    value &= (1 << bits) - 1
    if (reference.length === length) break
  }
  if (bits > 0 && reference.length < length) reference += BASE32[(value << (5 - bits)) & 31]
  return reference
}
