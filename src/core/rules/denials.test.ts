import { describe, expect, it } from 'vitest'
import { assistant, exchange, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { denials } from './denials.ts'
import { DEFAULT_RULES } from './index.ts'

const context = { answerLast: false }
const refused = (id: string) => [
  assistant({ call: id }),
  user({ result: id, text: 'no', error: true, denied: 'machine' as const }),
]

describe('denials', () => {
  it('older machine denials leave with their calls, the newest stays', () => {
    const transcript = transcriptOf([user('task'), ...refused('a'), ...refused('b'), ...exchange('c', 'ok')])
    const edits = denials(transcript, DEFAULT_RULES.denials, context)
    expect(edits.map((edit) => edit.at.entry)).toEqual([1])
    expect(spokenBy(apply(transcript, edits)).join('\n')).not.toContain('#a')
  })

  it('several in one message leave, the allowed call beside them stays, also when its good result comes first', () => {
    const transcript = transcriptOf([
      user('task'),
      assistant('look', { call: 'good' }, { call: 'bad' }, { call: 'worse' }),
      user(
        { result: 'good', text: 'fine' },
        { result: 'bad', text: 'no', error: true, denied: 'machine' },
        { result: 'worse', text: 'no', error: true, denied: 'machine' },
      ),
    ])
    const result = apply(transcript, denials(transcript, { keep: 0 }, context))
    expect(spokenBy(result)).toEqual([
      'user: text task',
      'assistant: text look',
      'assistant: Bash({}) #good',
      'user: #good fine',
    ])
  })

  it('a person’s refusal and a refusal without structure stay', () => {
    const sketches = [
      user('task'),
      assistant({ call: 'a' }),
      user({ result: 'a', text: "The user doesn't want to", error: true, denied: 'person' }),
      assistant({ call: 'b' }),
      user({ result: 'b', text: "The user doesn't want to", error: true }),
    ]
    expect(denials(transcriptOf(sketches), { keep: 0 }, context)).toEqual([])
  })

  it('leaves no assistant message of thinking alone', () => {
    const transcript = transcriptOf([
      user('task'),
      assistant({ thinking: 'try' }, { call: 'a' }),
      user({ result: 'a', text: 'no', error: true, denied: 'machine' }),
      user('well?'),
    ])
    expect(spokenBy(apply(transcript, denials(transcript, { keep: 0 }, context)))).toEqual([
      'user: text task',
      'user: text well?',
    ])
  })

  it('archives the call and the words of the refusal', () => {
    const [edit] = denials(transcriptOf([user('task'), ...refused('a')]), { keep: 0 }, context)
    expect(edit?.removed.map((removed) => removed.content)).toEqual(['{}', 'no'])
  })
})
