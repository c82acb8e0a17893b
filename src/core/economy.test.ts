import { describe, expect, it } from 'vitest'
import { inForeground } from '../../test/support/delegations.ts'
import {
  assistant,
  exchange,
  long,
  type MessageSketch,
  spokenBy,
  transcriptOf,
  user,
} from '../../test/support/transcripts.ts'
import { economize } from './economy.ts'
import { chooseAll, type EconomyContext, type Policy } from './policy.ts'
import { DEFAULT_RULES } from './rules/index.ts'
import { digestOf, tasksOf } from './tasks/index.ts'
import { exchangesOf } from './transcript.ts'

const policy: Policy = { name: 'test', rules: DEFAULT_RULES, choose: chooseAll }
const context: EconomyContext = { now: 0, limit: 184_000 }
const turns = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => exchange(`t${from + index}`, long(`output ${from + index}`))).flat()

describe('economize', () => {
  it('says "unchanged" when nothing helps', () => {
    const out = economize(transcriptOf([user('task'), ...turns(3)]), policy, context)
    expect(out.outcome).toBe('unchanged')
    expect(out.edits).toEqual([])
  })

  it('rewrites old results and reports by rule', () => {
    const out = economize(transcriptOf([user('task'), ...turns(15)]), policy, context)
    expect(out.outcome).toBe('rewritten')
    expect(out.report.byRule.results?.edits).toBe(5)
    expect(out.report.tokens.before - out.report.tokens.after).toBe(out.report.byRule.results?.tokens)
    expect(out.removed.map((removed) => removed.content)).toContain(long('output 0'))
  })

  it('counts windows on the result of the structure: dropped denials do not push results out', () => {
    const refused = (id: string): MessageSketch[] => [
      assistant({ call: id }),
      user({ result: id, text: 'no', error: true, denied: 'machine' }),
    ]
    const sketches = [user('task'), ...turns(10), ...refused('x'), ...refused('y')]
    const out = economize(transcriptOf(sketches), policy, context)
    // Ten results and the newest denial stay; the older denial is gone, so exactly one result is beyond the window.
    expect(out.report.byRule).toMatchObject({ denials: { edits: 1 }, results: { edits: 1 } })
  })

  it('makes more changes than a call takes arguments', { timeout: 60_000 }, () => {
    const refused = Array.from({ length: 130_000 }, (_, index) => [
      assistant({ call: `c${index}` }),
      user({ result: `c${index}`, text: 'no', error: true, denied: 'machine' }),
    ])
    const out = economize(transcriptOf([user('task'), ...refused.flat()]), policy, context)
    expect(out.report.byRule.denials?.edits).toBeGreaterThan(125_000)
  })

  it('repairs are listed apart, and end every run unless they are switched off', () => {
    const broken = [user('task'), user({ result: 'gone', text: 'words' }), assistant('ok')]
    const out = economize(transcriptOf(broken), { ...policy, rules: {} }, context)
    expect(out.outcome).toBe('repaired')
    expect(out.report.repairs).toMatchObject([{ rule: 'A11', entry: 1 }])
    expect(economize(transcriptOf(broken), { ...policy, rules: {} }, { ...context, repair: false }).edits).toEqual([])
  })

  it('never touches the task, the system message and the newest turn', () => {
    const picture = { mediaType: 'image/png', bytes: 30, width: 2000, height: 2000, data: 'AAAA' }
    const parallel = Array.from({ length: 12 }, (_, index) => ({ call: `p${index}` }))
    const answers = Array.from({ length: 12 }, (_, index) => ({ result: `p${index}`, text: long(`p${index}`) }))
    const sketches = [
      user('task', { media: picture, type: 'image' as const }),
      ...turns(45),
      assistant(...parallel),
      user(...answers),
    ]
    const out = economize(transcriptOf(sketches), policy, context)
    const before = transcriptOf(sketches)
    expect(out.transcript.messages[0]).toEqual(before.messages[0])
    expect(out.transcript.messages.slice(-2)).toEqual(before.messages.slice(-2))
  })

  it('is idempotent, with and without its state', () => {
    const sketches = [user('task'), ...turns(15), assistant({ call: 'open' }), user('go on'), ...turns(2, 15)]
    const first = economize(transcriptOf(sketches), policy, context)
    expect(economize(first.transcript, policy, context).outcome).toBe('unchanged')
    const again = economize(first.transcript, policy, context, first.state)
    expect(again.outcome).toBe('unchanged')
    expect(spokenBy(again.transcript)).toEqual(spokenBy(first.transcript))
  })

  it('replays its decisions: appending never changes what stood before the last epoch', () => {
    const first = economize(transcriptOf([user('task'), ...turns(15)]), policy, context)
    const wait: Policy = { ...policy, choose: (edits) => ({ edits: [], waiting: edits }) }
    const later = economize(transcriptOf([user('task'), ...turns(18)]), wait, context, first.state)
    expect(later.outcome).toBe('waiting')
    const said = spokenBy(first.transcript)
    expect(spokenBy(later.transcript).slice(0, said.length)).toEqual(said)
    expect(later.state.pending.length).toBeGreaterThan(0)
  })

  it('survives a state that went through JSON', () => {
    const first = economize(transcriptOf([user('task'), ...turns(15)]), policy, context)
    const state = JSON.parse(JSON.stringify(first.state))
    const again = economize(transcriptOf([user('task'), ...turns(15)]), policy, context, state)
    expect(again.outcome).toBe('unchanged')
    expect(spokenBy(again.transcript)).toEqual(spokenBy(first.transcript))
  })

  it('has what was thought of a message that leaves whole among what it took out', () => {
    const sketches = [
      user('task'),
      assistant({ thinking: 'why' }, { call: 'x' }),
      user({ result: 'x', text: 'ok' }),
      ...turns(3),
    ]
    const drop: Policy = {
      ...policy,
      choose: (edits, transcript) => {
        const [exchange] = exchangesOf(transcript)
        const at = exchange?.call.at ?? { thread: 'main', entry: 0 }
        const result = exchange?.result?.at ?? at
        const facts = {
          rule: 'test',
          reason: '',
          purpose: 'economy',
          class: 'worthless',
          frees: 1,
          removed: [],
        } as const
        return { edits: [...edits, { kind: 'drop-exchange', at, result, ...facts }], waiting: [] }
      },
    }
    const out = economize(transcriptOf(sketches, { model: 'claude-opus-4-8' }), drop, context)
    expect(spokenBy(out.transcript).join()).not.toContain('why')
    expect(out.removed.map(({ content }) => content)).toEqual(['why'])
  })

  it('ends thinking-safe for a bound model and leaves thinking alone for others', () => {
    const sketches = [
      user('task'),
      assistant({ thinking: 'first' }, 'hi'),
      ...turns(15),
      assistant({ thinking: 'last' }, 'so'),
    ]
    const thoughts = (model: string): string[] =>
      spokenBy(economize(transcriptOf(sketches, { model }), policy, context).transcript).filter((line) =>
        line.includes('thinking'),
      )
    expect(thoughts('claude-opus-5-5')).toEqual(['assistant: thinking first'])
    expect(thoughts('claude-sonnet-4-5')).toHaveLength(2)
  })

  it('a handoff folds finished tasks whatever the policy, other epochs only where it says so', () => {
    const told = transcriptOf([user('task'), ...inForeground('a', long('All is done.', 9000)), ...turns(4)])
    const foldedAt = (epoch: EconomyContext['epoch']): boolean => {
      const at = epoch === undefined ? context : { ...context, epoch }
      return economize(told, policy, at).report.byRule.tasks !== undefined
    }
    expect([foldedAt('handoff'), foldedAt('asked'), foldedAt('resume'), foldedAt(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('takes summaries and workers’ threads from the context', () => {
    const report = `${long('All is done.', 9000)}.\nagentId: a7`
    const told = transcriptOf([user('task'), ...inForeground('a', report), ...turns(4)])
    const worker = transcriptOf([user('Do a.'), ...exchange('w', 'ok', 'Write', { file_path: 'src/new.ts' })])
    const at: EconomyContext = {
      ...context,
      epoch: 'handoff',
      tasks: { children: [{ ids: ['a7'], transcript: worker }] },
    }
    const record = (given: EconomyContext): string => spokenBy(economize(told, policy, given).transcript)[2] ?? ''
    expect(record(at)).toContain('files+: src/new.ts')
    const [task] = tasksOf(told, at.tasks)
    if (!task) throw new Error('no task was found')
    const summaries = new Map([[task.id, { ...digestOf(task), result: 'In short: done.' }]])
    expect(record({ ...at, summaries })).toContain('result: "In short: done."')
  })
})
