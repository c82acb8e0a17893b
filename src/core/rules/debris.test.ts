import { describe, expect, it } from 'vitest'
import { assistant, type MessageSketch, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { debris, STOPPED_TEXT } from './debris.ts'

const context = { answerLast: false }
const error: MessageSketch = { role: 'assistant', blocks: ['API Error: 529'], kind: 'api-error' }
const cleaned = (sketches: MessageSketch[]): string[] => {
  const transcript = transcriptOf(sketches)
  return spokenBy(apply(transcript, debris(transcript, {}, context)))
}

describe('debris', () => {
  it('drops synthetic API errors', () => {
    expect(cleaned([user('task'), error, error, user('again'), assistant('ok')])).toEqual([
      'user: text task',
      'user: text again',
      'assistant: text ok',
    ])
  })

  it('drops the thinking that a dropped error leaves alone', () => {
    expect(cleaned([user('task'), assistant({ thinking: 'hm' }), error, user('again')])).toEqual([
      'user: text task',
      'user: text again',
    ])
    expect(cleaned([user('task'), assistant({ thinking: 'hm' }), error])).toEqual(['user: text task'])
  })

  it('keeps thinking whose message goes on, and a last one that may still be being written', () => {
    const goesOn = [user('task'), assistant({ thinking: 'hm' }), assistant('so')]
    expect(cleaned(goesOn)).toHaveLength(3)
    expect(cleaned([user('task'), assistant({ thinking: 'hm' })])).toHaveLength(2)
  })

  it('neutralises what a stopped call left, without losing partial output', () => {
    const stopped = (partial: string) => [
      user('task'),
      assistant({ call: 'a' }),
      user({ result: 'a', text: `${partial}[Request interrupted by user]`, error: true, denied: 'stopped', partial }),
    ]
    expect(cleaned(stopped(''))[2]).toBe(`user: #a ${STOPPED_TEXT}`)
    expect(cleaned(stopped('half of it\n'))[2]).toMatch(/^user: #a \[interrupted: [^\n]*\]\nhalf of it\n$/)
  })

  it('leaves an answer alone that a repair made up', () => {
    const invented = { result: 'a', text: 'ended before this was recorded', denied: 'stopped' as const, invented: true }
    expect(cleaned([user('task'), assistant({ call: 'a' }), user(invented)])[2]).toBe(
      'user: #a ended before this was recorded',
    )
  })

  it('proposes nothing on its own result', () => {
    const sketches = [
      user('task'),
      assistant({ call: 'a' }),
      user({ result: 'a', text: 'x', error: true, denied: 'stopped', partial: 'half' }),
      error,
    ]
    const transcript = transcriptOf(sketches)
    const once = apply(transcript, debris(transcript, {}, context))
    expect(debris(once, {}, context)).toEqual([])
  })
})
