import { describe, expect, it } from 'vitest'
import { assistant, type MessageSketch, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { dangling, NO_RESULT_TEXT } from './dangling.ts'

const answered = (sketches: MessageSketch[], answerLast = false): string[] => {
  const transcript = transcriptOf(sketches)
  return spokenBy(apply(transcript, dangling(transcript, {}, { answerLast })))
}

describe('dangling', () => {
  it('answers a call that is followed by a later message, directly behind it', () => {
    expect(answered([user('task'), assistant({ call: 'a' }), user('go on')])).toEqual([
      'user: text task',
      'assistant: Bash({}) #a',
      `user: #a ${NO_RESULT_TEXT}`,
      'user: text go on',
    ])
  })

  it('answers only the missing one of parallel calls', () => {
    const said = answered([user('task'), assistant({ call: 'a' }, { call: 'b' }), user({ result: 'b' }), user('go on')])
    expect(said.slice(3)).toEqual([`user: #a ${NO_RESULT_TEXT}`, 'user: #b done', 'user: text go on'])
  })

  it('leaves a call at the very end alone unless the result will be resumed', () => {
    const open = [user('task'), assistant({ call: 'a' })]
    expect(answered(open)).toHaveLength(2)
    expect(answered(open, true)).toHaveLength(3)
  })

  it('a reminder behind the last call does not settle it', () => {
    const reminder: MessageSketch = { role: 'system', blocks: ['tokens left'], kind: 'reminder' }
    expect(answered([user('task'), assistant({ call: 'a' }), reminder])).toHaveLength(3)
  })
})
