import { describe, expect, it } from 'vitest'
import { assistant, exchange, long, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { isCallLine } from '../call-line.ts'
import { pointerTo } from '../pointer.ts'
import { referenceOf } from '../reference.ts'
import { callLines } from './call-lines.ts'

const context = { answerLast: false }
const input = { command: 'npm test' }

describe('call lines', () => {
  it('an old turn keeps one line a call; its words, arguments and result leave, a newer turn stays', () => {
    const body = long('all green')
    const transcript = transcriptOf([
      user('task'),
      assistant('I will run the tests.', { call: 'a', input }),
      user({ result: 'a', text: body }),
      ...exchange('b', long('more')),
    ])
    const edits = callLines(transcript, { afterTurns: 1 }, context)
    const said = spokenBy(apply(transcript, edits))
    expect(said.slice(0, 2)).toEqual(['user: text task', `assistant: text [call ${referenceOf(body)}: Bash npm test]`])
    expect(said).toHaveLength(4)
    expect(edits.flatMap((edit) => edit.removed.map(({ content }) => content))).toEqual([
      JSON.stringify(input),
      body,
      'I will run the tests.',
    ])
    expect(edits.every((edit) => edit.frees > 0)).toBe(true)
  })

  it('names the reference of the pointer where the result already left, and says that a call failed', () => {
    const pointer = pointerTo({ ref: 'abcdefghijkl', tool: 'Bash', size: '9 characters' })
    const transcript = transcriptOf([
      user('task'),
      assistant({ call: 'a', input }),
      user({ result: 'a', text: pointer, error: true }),
    ])
    const [edit] = callLines(transcript, { afterTurns: 0 }, context)
    expect(edit).toMatchObject({ text: '[failed call abcdefghijkl: Bash npm test]' })
    expect(edit?.removed).toHaveLength(1)
  })

  it('leaves answers in words, refusals, stopped and unanswered calls alone', () => {
    const transcript = transcriptOf([
      user('task'),
      assistant('An answer in words.'),
      assistant('x', { call: 'p' }),
      user({ result: 'p', text: 'no', error: true, denied: 'person' }),
      assistant({ call: 's' }),
      user({ result: 's', text: 'stop', error: true, denied: 'stopped' }),
      assistant({ call: 'u' }),
    ])
    expect(callLines(transcript, { afterTurns: 0 }, context)).toEqual([])
  })

  it('a line is recognised, whatever the target, and a pointer is none', () => {
    const transcript = transcriptOf([
      user('task'),
      ...exchange('a', long('x'), 'Bash', { command: `a ] \n 🙂 ${'y'.repeat(500)}` }),
    ])
    const [edit] = callLines(transcript, { afterTurns: 0 }, context)
    expect(edit?.kind === 'fold-exchange' && isCallLine(edit.text)).toBe(true)
    expect(isCallLine(pointerTo({ ref: 'abcdefghijkl', tool: 'Bash', size: '9 characters' }))).toBe(false)
  })
})

describe('thinking of old turns', () => {
  const turn = (id: string) => [
    assistant({ thinking: 'deep' }, 'words', { call: id, input }),
    user({ result: id, text: long(id) }),
  ]
  const thinkingLeft = (told: ReturnType<typeof user>[]) => {
    const transcript = transcriptOf(told)
    return spokenBy(apply(transcript, callLines(transcript, { afterTurns: 1 }, context))).filter((line) =>
      line.includes('thinking'),
    )
  }

  it('leaves once somebody has spoken since', () => {
    expect(thinkingLeft([user('task'), ...turn('a'), user('go on'), ...turn('b')])).toHaveLength(1)
  })

  it('stays in a turn that still goes on, and where nothing else is left of the message', () => {
    expect(thinkingLeft([user('task'), ...turn('a'), ...turn('b')])).toHaveLength(2)
    expect(thinkingLeft([user('task'), assistant({ thinking: 'x' }), user('go on'), ...turn('b')])).toHaveLength(2)
  })
})
