import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentencesOf } from './sentences.ts'

const trimmed = (text: string): string[] => sentencesOf(text).map((sentence) => sentence.trim())

describe('sentences', () => {
  it.each([
    ['abbreviations', ['Path, e.g. /tmp/x.', 'Must exist.']],
    ['more abbreviations', ['Name i.e. the label, cf. RFC 3986, approx. 5 letters, vs. the id.', 'Keep it short.']],
    ['etc. at an end', ['Files, folders, etc.', 'Links are followed.']],
    ['no. and no', ['Line no. 5 of the file.', 'Answer yes or no.', 'Then stop.']],
    ['initials and dotted letters', ['Written by J. Smith for the U.S. Government.', 'Not for sale.']],
    ['numbers and versions', ['A share of 0.25 in v1.2.3 of node.js.', 'Must be below 1.5.']],
    ['paths and addresses', ['Reads ./src/a.b/c.ts or https://a.example/x.y?z=1.2.', 'Never writes.']],
    ['closing marks', ['It says "stop."', 'Then (really!)', 'It ends.']],
    ['questions', ['Which one?', 'That one!', 'Yes.']],
    ['a lower-case word', ['The file foo. and more of it.', 'End.']],
    ['Chinese', ['文件路径。', '必须存在！', '是吗？']],
    ['Japanese with closing marks', ['「ファイル」を読む。', '絶対パスのみ。']],
    ['Hindi and Arabic', ['पथ दें।', 'यह ज़रूरी है।', 'ما هذا؟', 'شيء۔']],
    ['an ellipsis', ['Waits... and goes on.', 'Done...', 'Really.']],
    ['empty lines', ['The title', 'the body']],
  ])('knows %s', (_, sentences) => {
    const between = /[。]/.test(sentences[0] ?? '') ? '' : ' '
    const text = sentences[0] === 'The title' ? sentences.join('\n\n') : sentences.join(between)
    expect(trimmed(text)).toEqual(sentences)
  })

  it('keeps a wrapped sentence together', () => {
    expect(trimmed('A sentence that is\nwrapped here. Another.')).toEqual([
      'A sentence that is\nwrapped here.',
      'Another.',
    ])
  })

  it('keeps a list with the sentence that introduces it, and splits any other', () => {
    const introduced = 'What to do. One of:\n- read: looks. Only looks.\n- write: changes\n\nMore.'
    expect(trimmed(introduced)).toEqual([
      'What to do.',
      'One of:\n- read: looks. Only looks.\n- write: changes',
      'More.',
    ])
    expect(trimmed('Steps\n1. Look. Then leap.\n2. Land')).toEqual(['Steps', '1. Look.', 'Then leap.', '2. Land'])
  })

  it('loses and adds nothing', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '. ',
      '.',
      ':',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '。',
      'e.g. ',
      'no. ',
      '5',
      ' ',
      '!',
      '"',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        expect(sentencesOf(pieces.join('')).join('')).toBe(pieces.join(''))
      }),
    )
  })

  it('takes time in proportion', () => {
    const time = (text: string): number => {
      const start = performance.now()
      sentencesOf(text)
      return performance.now() - start
    }
    for (const unit of ['a. b ', 'A. B\n', '- a: b.\n', '\n', '. ', 'a:\n', '。']) {
      time(unit.repeat(10_000))
      expect(time(unit.repeat(160_000))).toBeLessThan(64 * Math.max(50, time(unit.repeat(10_000))))
    }
  })
})
