import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens, imageTokens, thinkingTokens } from './tokens.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.string({ unit: 'grapheme', maxLength: 3000 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 500 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('the ', 'const ', '{"a":', '12345', '中文', '\n  ', 'QUJDREVG'), { maxLength: 4000 })
    .map((w) => w.join('')),
)

/** Tokens a hundred characters. */
function density(text: string): number {
  return (estimateTokens(text) / text.length) * 100
}

function pseudoRandom(alphabet: string, length: number): string {
  let state = 12345
  let text = ''
  for (let at = 0; at < length; at++) {
    state = (state * 1103515245 + 12345) % 2147483648
    text += alphabet[Math.floor((state / 2147483648) * alphabet.length)] ?? ''
  }
  return text
}

const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

describe('estimateTokens', () => {
  it('is a whole number from 0 on for any string, lone surrogates included, and the same each time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text)
        expect(Number.isSafeInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(text.length === 0 ? 0 : 1)
        expect(tokens).toBeLessThanOrEqual(Math.ceil(text.length * 2))
        expect(estimateTokens(text)).toBe(tokens)
      }),
    )
  })

  it('never falls when text is added, beyond what a blob of less than one stretch may lose', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a) - 360)
      }),
    )
  })

  it('adds up: the parts cost what the whole costs, within the seams of the stretches', () => {
    const words = fc.array(fc.constantFrom('the cat. ', 'let x = [1]\n', '{"key": 12}', '中文。'), { maxLength: 4000 })
    fc.assert(
      fc.property(words, words, (a, b) => {
        const whole = estimateTokens(a.join('') + b.join(''))
        const parts = estimateTokens(a.join('')) + estimateTokens(b.join(''))
        expect(Math.abs(whole - parts)).toBeLessThanOrEqual(4)
      }),
    )
  })

  it('tells the classes of content apart', () => {
    const prose = 'The harness keeps what the model has seen and gives back what was taken away. '.repeat(50)
    const code = '    const total = items.map((item) => item.price * item.count).reduce(sum, 0)\n'.repeat(50)
    const json = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, ok: true, at: [id, id * 7919] })))
    const chinese = '我们把长的输出移到磁盘上并且证明没有丢失任何东西'.repeat(50)
    const base64 = pseudoRandom(BASE64, 20_000)
    const hex = pseudoRandom(HEX, 20_000)
    expect(density(prose)).toBeGreaterThan(18)
    expect(density(prose)).toBeLessThan(28)
    expect(density(code)).toBeGreaterThan(density(prose))
    expect(density(json)).toBeGreaterThan(density(code))
    expect(density(base64)).toBeGreaterThan(60)
    expect(density(hex)).toBeGreaterThan(60)
    expect(density(chinese)).toBeGreaterThan(100)
  })

  it('prices a blob inside prose as a blob and one letter over and over as no blob', () => {
    const prose = 'Plain words about nothing at all, told once more. '.repeat(400)
    const blob = pseudoRandom(BASE64, 10_000)
    const together = estimateTokens(prose + blob + prose)
    expect(together - 2 * estimateTokens(prose)).toBeGreaterThan(6_000)
    expect(density('a'.repeat(200_000))).toBeLessThan(20)
    expect(density('='.repeat(10_000))).toBeLessThan(8)
    expect(density(' '.repeat(10_000))).toBeLessThan(6)
  })

  it('takes time in proportion to the length', () => {
    const text = 'const a = 1; // and so on\n'.repeat(1_000_000)
    const started = performance.now()
    estimateTokens(text)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('thinkingTokens', () => {
  it('goes by the signature where that seals more than the text shows', () => {
    expect(thinkingTokens('', 5_200)).toBe(985)
    expect(thinkingTokens('A short summary.', 5_200)).toBe(985)
  })

  it('goes by the text where the signature is short or missing', () => {
    const text = 'Every word of it was recorded. '.repeat(100)
    expect(thinkingTokens(text, 0)).toBe(estimateTokens(text))
    expect(thinkingTokens(text, 300)).toBe(estimateTokens(text))
    expect(thinkingTokens('', 0)).toBe(0)
  })
})

describe('imageTokens', () => {
  it('counts patches of 28 pixels', () => {
    expect(imageTokens(280, 280)).toBe(100)
    expect(imageTokens(281, 280)).toBe(110)
    expect(imageTokens(1, 1)).toBe(1)
    expect(imageTokens(1000, 1000)).toBe(36 * 36)
  })

  it('scales large images down to the limit of the model', () => {
    expect(imageTokens(4000, 4000)).toBeGreaterThan(1400)
    expect(imageTokens(4000, 4000)).toBeLessThanOrEqual(1568)
    expect(imageTokens(3136, 28)).toBe(56)
    expect(imageTokens(4000, 4000, 'high')).toBeGreaterThan(4500)
    expect(imageTokens(4000, 4000, 'high')).toBeLessThanOrEqual(4784)
  })

  it('takes unknown pixels for the largest image', () => {
    for (const [width, height] of [
      [0, 0],
      [0, 10],
      [-1, 5],
      [Number.NaN, 5],
      [Number.POSITIVE_INFINITY, 1],
    ] as const) {
      expect(imageTokens(width, height)).toBe(1568)
    }
  })

  it('stays between 1 and the limit for any pixels', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }), (width, height) => {
        const tokens = imageTokens(width, height)
        expect(tokens).toBeGreaterThanOrEqual(1)
        expect(tokens).toBeLessThanOrEqual(1568)
      }),
    )
  })
})
