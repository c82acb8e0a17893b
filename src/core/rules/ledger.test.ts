import { describe, expect, it } from 'vitest'
import { assistant, exchange, long, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { callLines } from './call-lines.ts'
import { ledger } from './ledger.ts'

const context = { answerLast: false }
const options = { afterTurns: 1, keepTokens: 60 }

describe('ledger', () => {
  it('a stretch of very old calls leaves one pointer to their lines, parted by what the user said', () => {
    const transcript = transcriptOf([
      user('task'),
      ...exchange('a', long('one')),
      ...exchange('b', long('two')),
      user('next'),
      ...exchange('c', long('three')),
      ...exchange('d', long('four')),
      ...exchange('e', 'new'),
    ])
    const edits = ledger(transcript, options, context)
    const said = spokenBy(apply(transcript, edits))
    expect(said).toHaveLength(6)
    expect(said[1]).toMatch(/^assistant: text \[spillway [a-z2-7]{12}: 2 calls, \d+ characters\. Back: spillway recall/)
    expect(said[3]).toMatch(/2 calls/)
    const [list] = edits[0]?.removed ?? []
    expect(
      String(list?.content)
        .split('\n')
        .map((line) => line.replace(/call \w+/, 'call')),
    ).toEqual(['[call: Bash run a]', '[call: Bash run b]'])
    expect(edits.every((edit) => edit.frees > 0)).toBe(true)
  })

  it('calls that became lines before leave in the same way', () => {
    const old = ['a', 'b', 'c', 'd'].flatMap((id) => exchange(id, long(id)))
    const told = [user('task'), ...old, ...exchange('e', 'new')]
    const folded = apply(transcriptOf(told), callLines(transcriptOf(told), { afterTurns: 1 }, context))
    const lines = spokenBy(folded).filter((line) => line.includes('[call '))
    expect(lines).toHaveLength(4)
    const edits = ledger(folded, options, context)
    expect(String(edits[0]?.removed[0]?.content).split('\n')).toEqual(lines.map((line) => line.replace(/^.*?\[/, '[')))
    expect(spokenBy(apply(folded, edits)).filter((line) => line.startsWith('assistant: text'))).toHaveLength(1)
  })

  it('a long text of the user becomes a pointer that opens with its words; short and new ones stay', () => {
    const wish = long('please keep the API stable', 2000)
    const told = [
      user('task'),
      user(wish),
      user('ok'),
      ...exchange('a', 'x'),
      assistant('y'),
      user(wish),
      assistant('z'),
    ]
    const edits = ledger(transcriptOf(told), { ...options, afterTurns: 2 }, context)
    expect(edits.map((edit) => edit.at.entry)).toEqual([1])
    expect(edits[0]?.removed.map(({ content }) => content)).toEqual([wish])
    expect(edits[0]).toMatchObject({ kind: 'replace-text', text: expect.stringContaining('user text please kee') })
  })
})
