import { describe, expect, it } from 'vitest'
import { exchange, long, transcriptOf, user } from '../../../test/support/transcripts.ts'
import type { Edit } from '../edits.ts'
import { exchangesOf } from '../transcript.ts'
import { callLines } from './call-lines.ts'
import { ledger } from './ledger.ts'

const told = transcriptOf([
  user('task'),
  ...exchange('a', long('one')),
  ...exchange('b', long('two')),
  ...exchange('c', long('three')),
  ...exchange('d', 'ok'),
])
const first = exchangesOf(told)[0]

/** As an earlier rule would take the first exchange out, or rework its answer. */
function edit(change: 'drop' | 'rework'): Edit[] {
  if (!first?.result) throw new Error('the first call has no answer')
  const facts = { rule: 'x', reason: '', purpose: 'economy', class: 'restorable', frees: 1, removed: [] } as const
  return change === 'drop'
    ? [{ ...facts, kind: 'drop-exchange', at: first.call.at, result: first.result.at }]
    : [{ ...facts, kind: 'replace-result', at: first.result.at, text: 'x' }]
}

describe('what an earlier rule decided in the same pass', () => {
  const entries = (edits: readonly Edit[]) => edits.map(({ at }) => at.entry)

  it('what left is no part of a turn or a stretch any more', () => {
    const context = { answerLast: false, before: edit('drop') }
    expect(entries(callLines(told, { afterTurns: 1 }, context))).toEqual([3, 5])
    const moved = ledger(told, { afterTurns: 1, keepTokens: 60 }, context)
    expect(entries(moved)).toEqual([3, 5])
    expect(moved[0]?.reason).toContain('2 very old calls')
  })

  it('what was reworked keeps its turn', () => {
    const context = { answerLast: false, before: edit('rework') }
    expect(entries(callLines(told, { afterTurns: 1 }, context))).toEqual([3, 5])
    expect(entries(callLines(told, { afterTurns: 1 }, { answerLast: false }))).toEqual([1, 3, 5])
  })
})
