import { describe, expect, it } from 'vitest'
import { assistant, exchange, long, type MessageSketch, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { economize } from '../../core/economy.ts'
import { budgetOf } from './budget.ts'
import { type BudgetTerms, budgetPolicy } from './choose.ts'
import { noteText } from './note.ts'
import { transcriptSize } from './size.ts'

const turns = (count: number, chars: number): MessageSketch[] =>
  Array.from({ length: count }, (_, index) => exchange(`t${index}`, long(`output ${index}`, chars))).flat()

function chosen(sketches: readonly MessageSketch[], window: number, terms: Partial<BudgetTerms> = {}) {
  const { policy, choice } = budgetPolicy({
    budget: budgetOf(window),
    floor: 0,
    scale: 1,
    noteSize: () => 80,
    standsAlone: () => true,
    ...terms,
  })
  const transcript = transcriptOf(sketches)
  const out = economize(transcript, policy, { now: 0, limit: budgetOf(window).limit, answerLast: true })
  const made = choice()
  if (!made) throw new Error('not asked')
  return { ...made, out, size: transcriptSize(transcript), after: transcriptSize(out.transcript) }
}

const sizeOf = (sketches: readonly MessageSketch[]): number => transcriptSize(transcriptOf(sketches))

describe('the choice', () => {
  it('nothing below the limit', () => {
    const sketches = [user('task'), ...turns(20, 400)]
    expect(chosen(sketches, 100_000)).toMatchObject({ state: 'fits', plan: { edits: [], waiting: [] }, evicted: [] })
  })

  it('reversible steps first: where pointers are enough, no turn leaves', () => {
    const sketches = [user('task'), ...turns(30, 4000)]
    const { state, evicted, out } = chosen(sketches, Math.floor(sizeOf(sketches) / 0.48))
    expect([state, evicted]).toEqual(['compacted', []])
    expect(Object.keys(out.report.byRule)).toContain('results')
  })

  it('then whole turns, the oldest first, down to half the room', () => {
    const sketches = [user('task'), ...turns(60, 60)]
    const { evicted, after, plan } = chosen(sketches, Math.floor(sizeOf(sketches) / 0.48))
    const entries = evicted.flatMap((turn) => turn.entries)
    expect(entries).toEqual(Array.from({ length: entries.length }, (_, index) => index + 1))
    expect(after).toBeLessThan(sizeOf(sketches) * 0.55)
    expect(plan.shortfall).toBeUndefined()
  })

  it('a result that stands beside words of the user leaves, the words stay', () => {
    const sketches = [
      user('task'),
      assistant({ call: 'a' }),
      user({ result: 'a', text: long('first', 200) }, 'and be careful'),
      ...turns(60, 60),
    ]
    const { out } = chosen(sketches, Math.floor(sizeOf(sketches) / 0.48))
    const words = out.transcript.messages.flatMap(({ blocks }) =>
      blocks.map((block) => ('text' in block ? block.text : block.type)),
    )
    expect(words.slice(0, 2)).toEqual(['task', 'and be careful'])
  })

  it('waits between limit and budget until a tenth of the budget could leave', () => {
    const sketches = [user(long('task', 4000)), ...turns(3, 60)]
    const size = sizeOf(sketches)
    const { state, plan } = chosen(sketches, Math.floor(size / 0.49))
    expect([state, plan.edits]).toEqual(['waits', []])
  })

  it('does not rewrite again and again for next to nothing', () => {
    const sketches = [user('task'), ...turns(60, 60)]
    const window = Math.floor(sizeOf(sketches) / 0.5)
    const { state, plan, eligible } = chosen(sketches, window, { standsAlone: () => false })
    expect([state, plan.edits]).toEqual(['waits', []])
    expect(eligible).toBeLessThan(0.1 * 0.6 * window)
  })

  it('says what cannot fit, and cuts as deep as it can', () => {
    const sketches = [
      user('task'),
      ...turns(30, 60),
      assistant(long('the newest answer', 30_000), { call: 'z' }),
      user({ result: 'z' }),
    ]
    const { state, plan, evicted } = chosen(sketches, 3000)
    expect(state).toBe('cannot-fit')
    expect(plan.shortfall).toMatchObject({ reason: 'cannot-fit', limit: 1800 })
    expect(evicted).toHaveLength(30)
  })

  it('a note of an earlier eviction is not pinned, and leaves when a newer one comes', () => {
    const { text } = noteText(
      { ref: 'abcdefghijkl', turns: 1, calls: 1, byTool: {} },
      [{ heading: 'Plan', body: long('x', 900) }],
      900,
    )
    const bare = [user('task'), user('go on'), ...turns(60, 60)]
    const noted = [user('task'), user('go on', text), ...turns(60, 60)]
    const window = Math.floor(sizeOf(noted) / 0.48)
    const { needed, out, earlierNote, evicted } = chosen(noted, window)
    expect(needed).toBe(chosen(bare, window).needed)
    expect([earlierNote, evicted.length > 0]).toEqual([text, true])
    expect(JSON.stringify(out.transcript.messages)).not.toContain('context note')
    expect(JSON.stringify(out.transcript.messages)).toContain('go on')
  })

  it('floor and scale count', () => {
    const sketches = [user('task'), ...turns(20, 400)]
    const window = Math.ceil((sizeOf(sketches) + 5) / 0.48)
    expect(chosen(sketches, window).state).toBe('fits')
    expect(chosen(sketches, window, { floor: 200 }).state).toBe('compacted')
    expect(chosen(sketches, window, { scale: 1.2 }).state).toBe('compacted')
    expect(chosen(sketches, window, { floor: window })).toMatchObject({ state: 'floor-too-large', plan: { edits: [] } })
  })
})
