import { describe, expect, it } from 'vitest'
import { assistant, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../../core/apply.ts'
import { referenceOf } from '../../core/reference.ts'
import { exchangesOf } from '../../core/transcript.ts'
import { blockSize } from './size.ts'
import { spillEdits } from './spill.ts'

const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')

function batch(texts: readonly string[]) {
  return transcriptOf([
    user('task'),
    assistant({ call: 'old' }),
    user({ result: 'old', text: words('old', 5000) }),
    assistant(...texts.map((_, index) => ({ call: `c${index}`, tool: 'Read', input: { file_path: `f${index}.ts` } }))),
    user(...texts.map((text, index) => ({ result: `c${index}`, text }))),
  ])
}

describe('results too large for the room', () => {
  it('become a pointer with beginning and end, and the whole is kept', () => {
    const text = words('w', 4000)
    const [edit, ...others] = spillEdits(batch([text]), 500)
    expect(others).toEqual([])
    if (edit?.kind !== 'replace-result') throw new Error('expected a replaced result')
    const lines = edit.text.split('\n')
    expect(lines[0]).toMatch(new RegExp(`^\\[spillway ${referenceOf(text)}: Read f0.ts, [\\d,]+ characters`))
    expect(lines[1]).toMatch(/^w0 w1 /)
    expect(lines[2]).toMatch(/^\[… [\d,]+ characters left out …\]$/)
    expect(lines[3]).toMatch(/ w3999$/)
    expect(edit.removed[0]).toMatchObject({ ref: referenceOf(text), content: text, tool: 'Read', target: 'f0.ts' })
  })

  it.each([
    [[3000], 800],
    [[900, 900, 900, 900, 900, 900, 900, 900], 2000],
    [[10, 20, 5000, 30], 1000],
    [[400, 400], 300],
  ])('results of %j words fit %i tokens together, small ones untouched', (counts, cap) => {
    const transcript = batch(counts.map((count, index) => words(`r${index}x`, count)))
    const out = apply(transcript, spillEdits(transcript, cap))
    const results = exchangesOf(out)
      .slice(1)
      .flatMap(({ result }) => result ?? [])
    expect(results.reduce((sum, result) => sum + blockSize(result), 0)).toBeLessThanOrEqual(cap)
    counts.forEach((count, index) => {
      if (count < 50) expect(JSON.stringify(results[index]?.parts)).toContain(words(`r${index}x`, count))
    })
  })

  it('only those of the newest turn, which were never sent', () => {
    expect(spillEdits(batch(['ok']), 500)).toEqual([])
  })

  it('pictures leave whole, what nobody can name stays', () => {
    const picture = {
      type: 'image' as const,
      mediaType: 'image/png',
      bytes: 9,
      width: 2000,
      height: 2000,
      data: 'AAAA',
    }
    const opaque = { type: 'opaque' as const, name: 'odd', json: '{}'.repeat(9000) }
    const answered = (part: typeof picture | typeof opaque) =>
      transcriptOf([user('task'), assistant({ call: 'c' }), user({ result: 'c', parts: [part] })])
    expect(spillEdits(answered(picture), 100)).toMatchObject([{ removed: [{ mediaType: 'application/json' }] }])
    expect(spillEdits(answered(opaque), 100)).toEqual([])
  })

  it('what is a pointer already is not spilled again, and characters stay whole', () => {
    const text = '😀字'.repeat(4000)
    const transcript = batch([text])
    const once = apply(transcript, spillEdits(transcript, 400))
    expect(spillEdits(once, 100)).toEqual([])
    expect(JSON.stringify(once)).not.toMatch(/\\ud[89a-f]/)
  })
})
