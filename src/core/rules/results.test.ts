import { describe, expect, it } from 'vitest'
import { exchange, long, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { pointerReference } from '../pointer.ts'
import { referenceOf } from '../reference.ts'
import { estimateTokens } from '../tokens.ts'
import { DEFAULT_RESULTS, results } from './results.ts'

const context = { answerLast: false }
const many = (count: number, tool = 'Bash') =>
  Array.from({ length: count }, (_, index) => exchange(`t${index}`, long(`output ${index}`), tool)).flat()

describe('results', () => {
  it('a result leaves once 10 newer results of any tool exist', () => {
    const transcript = transcriptOf([user('task'), ...many(12)])
    const edits = results(transcript, DEFAULT_RESULTS, context)
    expect(edits.map((edit) => edit.at.entry)).toEqual([2, 4])
  })

  it('a read leaves once 40 newer results exist', () => {
    const transcript = transcriptOf([user('task'), ...many(2, 'Read'), ...many(39)])
    const reads = results(transcript, DEFAULT_RESULTS, context).filter((edit) => edit.at.entry < 5)
    expect(reads.map((edit) => edit.at.entry)).toEqual([2])
  })

  it('leaves a pointer that names content, tool, target and size, in at most 40 tokens', () => {
    const [edit] = results(transcriptOf([user('task'), ...many(11)]), DEFAULT_RESULTS, context)
    if (edit?.kind !== 'replace-result') throw new Error('expected a replaced result')
    const ref = referenceOf(long('output 0'))
    expect(edit.text).toBe(`[spillway ${ref}: Bash run t0, 4,000 characters. Back: spillway recall ${ref}]`)
    expect(pointerReference(edit.text)).toBe(ref)
    expect(estimateTokens(edit.text)).toBeLessThanOrEqual(40)
    expect(edit.removed[0]).toMatchObject({ ref, content: long('output 0'), tool: 'Bash', target: 'run t0' })
  })

  it('takes only what shrinks: a short result stays', () => {
    const sketches = Array.from({ length: 12 }, (_, index) => exchange(`t${index}`, 'ok')).flat()
    expect(results(transcriptOf([user('task'), ...sketches]), DEFAULT_RESULTS, context)).toEqual([])
  })

  it('takes the preview of what was spilled at birth, and leaves its pointers', () => {
    const pointer = (ref: string) => `[spillway ${ref}: Bash x, 4,000 characters. Back: /w/.spillway/spill/${ref}.txt]`
    const [one, other] = [pointer('abcdefghijkl'), pointer('mnopqrstuvwx')]
    const body = `${one}\n${'preview '.repeat(200)}\n${other}\n${'preview '.repeat(200)}`
    const sketches = [user('task'), ...exchange('a', body), ...exchange('b', one), ...many(10)]
    const edits = results(transcriptOf(sketches), DEFAULT_RESULTS, context)
    expect(edits).toMatchObject([{ at: { entry: 2 }, text: `${one}\n${other}`, removed: [{ content: body }] }])
    expect(edits[0]?.frees).toBeGreaterThan(400)
  })

  it('leaves pointers, a person’s refusal and parts of unknown type alone', () => {
    const pointer = '[spillway abcdefghijkl: Bash x, 4,000 characters. Back: spillway recall abcdefghijkl]'
    const sketches = [
      user('task'),
      ...exchange('a', pointer),
      ...exchange('b', long('no')),
      ...exchange('c', ''),
      ...many(10),
    ]
    sketches[4] = user({ result: 'b', text: long('no'), denied: 'person' })
    sketches[6] = user({
      result: 'c',
      parts: [
        { type: 'text', text: long('x') },
        { type: 'opaque', name: 'ref', json: '{}' },
      ],
    })
    expect(results(transcriptOf(sketches), DEFAULT_RESULTS, context)).toEqual([])
  })

  it('does not count answers that a repair made up', () => {
    const sketches = [user('task'), ...exchange('a', long('x')), ...many(10)]
    sketches[4] = user({ result: 't0', text: '[no result recorded: x]', invented: true })
    expect(results(transcriptOf(sketches), DEFAULT_RESULTS, context)).toEqual([])
  })

  it('pairs ids inside a turn only, since they repeat', () => {
    const same = Array.from({ length: 11 }, (_, index) => exchange('t', long(`output ${index}`))).flat()
    const edits = results(transcriptOf([user('task'), ...same]), DEFAULT_RESULTS, context)
    expect(edits.map((edit) => edit.at.entry)).toEqual([2])
  })
})
