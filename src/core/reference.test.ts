import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText, digestOf, encodeText, referenceOf, referenceOfDigest } from './reference.ts'

/** Any sequence of UTF-16 units, lone surrogates included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff }), fc.constant(0xfffd)))
  .map((units) => String.fromCharCode(...units))

describe('encodeText', () => {
  it('is UTF-8 for well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(Buffer.from(encodeText(text))).toEqual(Buffer.from(text, 'utf8'))
      }),
    )
  })

  it('gives any text its own bytes, and decodeText gives the text back', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeText(encodeText(text))).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps the three bytes of a lone surrogate', () => {
    expect([...encodeText('a\ud800b')]).toEqual([0x61, 0xed, 0xa0, 0x80, 0x62])
    expect(referenceOf('\ud800')).not.toBe(referenceOf('\udfff'))
  })
})

describe('referenceOf', () => {
  it('is the start of the base32 of SHA-256 (RFC 4648 alphabet)', () => {
    // sha256('') = e3b0c442 98fc1c14 …; 11100 01110 11000 01100 01000 10000 10100 11000 11111 10000 01110 00001
    expect(referenceOf('')).toBe('4oymiquy7qob')
    expect(referenceOf(new Uint8Array())).toBe('4oymiquy7qob')
  })

  it('can name all 256 bits', () => {
    const digest = createHash('sha256').update('spillway').digest()
    expect(digestOf('spillway')).toEqual(digest)
    const whole = referenceOfDigest(digest, 52)
    expect(whole).toHaveLength(52)
    expect(whole.startsWith(referenceOf('spillway'))).toBe(true)
    const bits = [...whole]
      .map((c) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(c).toString(2).padStart(5, '0'))
      .join('')
    expect(bits.slice(0, 256)).toBe([...digest].map((byte) => byte.toString(2).padStart(8, '0')).join(''))
  })
})
