import { describe, expect, it } from 'vitest'
import { printable, printableLine, printableText } from './printable.ts'

describe('printable', () => {
  it('shows what a terminal would obey as escapes', () => {
    expect(printableLine('a\x1b[2Jb\x07\x9bc\x7f\u202e\ud800\u2028')).toBe(
      'a\\u001b[2Jb\\u0007\\u009bc\\u007f\\u202e\\ud800\\u2028',
    )
  })

  it('leaves every other character, those beyond 16 bits included', () => {
    const text = 'pfad/ü 漢字 👍🏽 e\u0301 "\\"'
    expect(printableLine(text)).toBe(text)
    expect(printableText(text)).toBe(text)
  })

  it('keeps line breaks and tabs in texts, not in lines', () => {
    expect(printableText('a\r\n\tb\nc\rd')).toBe('a\r\n\tb\nc\\u000dd')
    expect(printableLine('a\r\n\tb')).toBe('a\\u000d\\u000a\\u0009b')
  })

  it('keeps a JSON document the same', () => {
    const document = { '\x1b\x9b': ['\u202e\n', '\ud800'] }
    expect(JSON.parse(printableText(JSON.stringify(document, null, 2)))).toEqual(document)
  })

  it('reaches every string and key of plain data, and nothing else', () => {
    const data = { n: 1, none: null, list: ['\n', { 'k\x1b': true }], gone: undefined }
    expect(printable(data)).toEqual({ n: 1, none: null, list: ['\\u000a', { 'k\\u001b': true }], gone: undefined })
  })

  it('keeps keys that objects have of their own', () => {
    const data: unknown = JSON.parse('{"__proto__": 1, "constructor": 2}')
    expect(JSON.stringify(printable(data))).toBe('{"__proto__":1,"constructor":2}')
  })
})
