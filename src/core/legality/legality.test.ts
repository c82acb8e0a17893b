import { describe, expect, it } from 'vitest'
import { assistant, type MessageSketch, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { check, repairTurns } from './index.ts'

const rulesOf = (sketches: MessageSketch[], at: 'rest' | 'request' = 'request'): string[] =>
  check(transcriptOf(sketches), { at }).map((violation) => violation.rule)

/** Repairs until nothing is left, as the economy does. */
function repaired(sketches: MessageSketch[]): { said: string[]; rules: string[] } {
  let transcript = transcriptOf(sketches)
  for (let round = 0; round < 8; round++) transcript = apply(transcript, repairTurns(transcript, { answerLast: true }))
  return { said: spokenBy(transcript), rules: check(transcript, { at: 'request' }).map((violation) => violation.rule) }
}

const call = (...ids: string[]) => assistant(...ids.map((id) => ({ call: id })))

describe('check and repair', () => {
  const cases: { name: string; rule: string; sketches: MessageSketch[]; said: string[] }[] = [
    {
      name: 'A06 a message without content',
      rule: 'A06',
      sketches: [user('q'), assistant('a'), user(), assistant('b')],
      said: ['user: text q', 'assistant: text a', 'assistant: text b'],
    },
    {
      name: 'A07 an empty text block',
      rule: 'A07',
      sketches: [user('', 'q')],
      said: ['user: text q'],
    },
    {
      name: 'A08 a blank text block, also when it is alone',
      rule: 'A08',
      sketches: [user('q'), assistant('\n\n'), user('r')],
      said: ['user: text q', 'user: text r'],
    },
    {
      name: 'A09 an unanswered call',
      rule: 'A09',
      sketches: [user('q'), call('a'), user('never mind')],
      said: [
        'user: text q',
        'assistant: Bash({}) #a',
        expect.stringMatching(/^user: #a \[no result/),
        'user: text never mind',
      ],
    },
    {
      name: 'A11 a result without call stays as text',
      rule: 'A11',
      sketches: [user('q'), user({ result: 'x', text: 'words' })],
      said: ['user: text q', 'user: text words'],
    },
    {
      name: 'A12 a second result for one call',
      rule: 'A12',
      sketches: [user('q'), call('a'), user({ result: 'a', text: 'one' }, { result: 'a', text: 'two' })],
      said: ['user: text q', 'assistant: Bash({}) #a', 'user: #a one'],
    },
    {
      name: 'A13 one id twice in a turn',
      rule: 'A13',
      sketches: [user('q'), call('a', 'a'), user({ result: 'a', text: 'one' })],
      said: ['user: text q', 'assistant: Bash({}) #a', 'user: #a one'],
    },
    {
      name: 'A14 a result in an assistant message',
      rule: 'A14',
      sketches: [user('q'), assistant({ result: 'a', text: 'words' })],
      said: ['user: text q', 'assistant: text words'],
    },
    {
      name: 'A14 a call in a user message',
      rule: 'A14',
      sketches: [user('q', { call: 'a' })],
      said: ['user: text q'],
    },
    {
      name: 'A14 a call in a user message that something follows',
      rule: 'A14',
      sketches: [user('q', { call: 'a' }), user('go on'), assistant('so')],
      said: ['user: text q', 'user: text go on', 'assistant: text so'],
    },
    {
      name: 'A15 text before the result of its message',
      rule: 'A15',
      sketches: [user('q'), call('a'), user('here:', { result: 'a' })],
      said: ['user: text q', 'assistant: Bash({}) #a', 'user: #a done', 'user: text here:'],
    },
    {
      name: 'A16 a message between a call and its result',
      rule: 'A16',
      sketches: [user('q'), call('a'), user('wait'), user({ result: 'a' })],
      said: ['user: text q', 'assistant: Bash({}) #a', 'user: #a done', 'user: text wait'],
    },
  ]
  for (const { name, rule, sketches, said } of cases) {
    it(name, () => {
      expect(rulesOf(sketches)).toContain(rule)
      expect(repaired(sketches)).toEqual({ said, rules: [] })
    })
  }

  it('a legal history has no violations and no repairs', () => {
    const legal = [
      user('q'),
      user('and'),
      assistant({ thinking: 'hm' }, 'look', { call: 'a' }, { call: 'b' }),
      user({ result: 'b' }),
      user({ result: 'a' }, 'go on'),
      assistant('so'),
    ]
    expect(rulesOf(legal)).toEqual([])
    expect(repairTurns(transcriptOf(legal), { answerLast: true })).toEqual([])
  })

  it('a result a turn too late answers nothing and its call is unanswered', () => {
    const late = [user('q'), call('a'), user('x'), assistant('y'), user({ result: 'a', text: 'late words' })]
    expect(rulesOf(late).sort()).toEqual(['A09', 'A11'])
    const { said, rules } = repaired(late)
    expect(rules).toEqual([])
    expect(said).toContain('user: text late words')
  })

  it('at rest an unanswered call at the very end is legal, also behind a reminder', () => {
    const reminder: MessageSketch = { role: 'system', blocks: ['left'], kind: 'reminder' }
    expect(rulesOf([user('q'), call('a'), reminder], 'rest')).toEqual([])
    expect(rulesOf([user('q'), call('a')], 'request')).toEqual(['A09'])
  })

  it('says which call and where', () => {
    const [violation] = check(transcriptOf([user('q'), call('a'), user('x')]), { at: 'rest' })
    expect(violation).toMatchObject({ severity: 'reject', id: 'a', at: { thread: 'main', entry: 1, block: 0 } })
  })
})
