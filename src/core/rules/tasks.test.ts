import { describe, expect, it } from 'vitest'
import { announced, childKey, inForeground, settled, spawned } from '../../../test/support/delegations.ts'
import {
  assistant,
  exchange,
  long,
  type MessageSketch,
  spokenBy,
  transcriptOf,
  user,
} from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { check } from '../legality/index.ts'
import { referencesIn } from '../pointer.ts'
import { digestOf } from '../tasks/digest.ts'
import { groupLineIn } from '../tasks/group-line.ts'
import { tasksOf } from '../tasks/scan.ts'
import type { Transcript } from '../transcript.ts'
import { viewTokens } from '../transcript.ts'
import { callLines } from './call-lines.ts'
import { ledger } from './ledger.ts'
import { results } from './results.ts'
import type { RuleContext } from './rule.ts'
import { DEFAULT_TASKS, tasks } from './tasks.ts'

const CONTEXT: RuleContext = { answerLast: false }
const TASK = user('the task')
const AFTER = [...exchange('x', 'ok'), ...exchange('y', 'ok'), ...exchange('z', 'ok')]
const REPORT = `Edited src/a.ts, all tests pass. ${long('details', 6000)}.`

function folded(told: readonly MessageSketch[], options = DEFAULT_TASKS, context = CONTEXT): Transcript {
  const transcript = transcriptOf(told)
  return apply(transcript, tasks(transcript, options, context))
}

describe('a finished task folds', () => {
  it('the call keeps its id and its keys, its result is the record, the announcement goes', () => {
    const brief = `Do a.\n${long('Follow the rules', 2000)}`
    const out = folded([
      TASK,
      ...spawned('a', { brief }),
      assistant('wait'),
      announced('a', REPORT),
      assistant('ok'),
      ...AFTER,
    ])
    const [first, call, result, wait, ok] = spokenBy(out)
    expect(first).toBe('user: text the task')
    expect(call).toBe('assistant: sessions_spawn({"label":"a","task":"Do a."}) #call-a')
    expect(result).toMatch(/^user: #call-a \[spillway [a-z2-7]{12}: task completed\. Back: spillway recall /)
    expect(result).toContain('files~: src/a.ts')
    expect(result).toContain(`from: ${childKey('a')}`)
    expect([wait, ok]).toEqual(['assistant: text wait', 'assistant: text ok'])
    expect(check(out, { at: 'rest' })).toEqual([])
    expect(tasksOf(out)).toMatchObject([{ id: 'call-a', state: 'completed', record: expect.any(String) }])
  })

  it('everything that leaves is named, and the record leads to all of it', () => {
    const told = [TASK, ...spawned('a'), announced('a', REPORT), assistant('ok'), ...AFTER]
    const edits = tasks(transcriptOf(told), DEFAULT_TASKS, CONTEXT)
    const removed = new Map(edits.flatMap((edit) => edit.removed).map((out) => [out.ref, String(out.content)]))
    const record = tasksOf(apply(transcriptOf(told), edits))[0]?.record ?? ''
    const bundle = removed.get(referencesIn(record)[0] ?? '') ?? ''
    expect(bundle).toContain(REPORT)
    for (const ref of referencesIn(bundle)) expect(removed.has(ref)).toBe(true)
    const all = [...removed.values()].join('\n')
    for (const message of transcriptOf(told).messages.slice(2, 4)) {
      for (const block of message.blocks) if (block.type === 'text') expect(all).toContain(block.text)
    }
    expect(edits.every(({ frees }) => frees > 0)).toBe(true)
  })

  it('a short launch becomes a longer record where the announcement pays for it', () => {
    const told: MessageSketch[] = [
      TASK,
      ...inForeground('a', 'Async agent launched successfully.\nagentId: a7'),
      {
        ...user(
          `<task-notification>\n<task-id>a7</task-id>\n<status>completed</status>\n<result>${REPORT}</result>\n</task-notification>`,
        ),
        kind: 'task-event',
      },
      assistant('ok'),
      ...AFTER,
    ]
    const edits = tasks(transcriptOf(told), DEFAULT_TASKS, CONTEXT)
    expect(edits.map(({ kind }) => kind).sort()).toEqual(['drop-message', 'replace-result'])
    expect(edits.every(({ frees }) => frees > 0)).toBe(true)
  })

  it('frees what it says', () => {
    const transcript = transcriptOf([TASK, ...spawned('a'), announced('a', REPORT), assistant('ok'), ...AFTER])
    const edits = tasks(transcript, DEFAULT_TASKS, CONTEXT)
    const freed = edits.reduce((sum, { frees }) => sum + frees, 0)
    expect(viewTokens(transcript) - viewTokens(apply(transcript, edits))).toBe(freed)
  })

  it('again changes nothing', () => {
    const out = folded([TASK, ...spawned('a'), announced('a', REPORT), assistant('ok'), ...AFTER])
    expect(tasks(out, DEFAULT_TASKS, CONTEXT)).toEqual([])
  })

  it('a summary stands in its place where it can, the digest where it cannot', () => {
    const told = [TASK, ...inForeground('a', REPORT), ...AFTER]
    const [task] = tasksOf(transcriptOf(told))
    if (!task) throw new Error('no task was found')
    const digest = digestOf(task)
    const said = (summary: object): string => {
      const summaries = new Map([['call-a', { ...digest, ...summary }]])
      return tasksOf(folded(told, DEFAULT_TASKS, { ...CONTEXT, summaries }))[0]?.record ?? ''
    }
    expect(said({ result: 'In short: fine.' })).toContain('result: "In short: fine."')
    expect(said({ result: 'In short: fine.', filesChanged: [] })).toContain('Edited src/a.ts')
    expect(said({ references: ['zzzzzzzzzzzz'], result: 'x' })).toContain(digest.references[0])
  })
})

describe('what does not fold', () => {
  const stays = (told: readonly MessageSketch[]) =>
    expect(tasks(transcriptOf(told), DEFAULT_TASKS, CONTEXT)).toEqual([])

  it('a running task, and one that only seems to be done', () => {
    stays([TASK, ...spawned('a', { brief: long('x') }), ...AFTER])
    stays([TASK, ...spawned('a'), announced('a', `${REPORT}\n250/486 boards … Continuing`), assistant('ok'), ...AFTER])
    stays([TASK, ...spawned('a'), announced('a', REPORT, { tokens: '0 (in 0 / out 0)' }), assistant('ok'), ...AFTER])
  })

  it('one that timed out, and one that never started', () => {
    stays([TASK, ...spawned('a'), announced('a', REPORT, { status: 'timed out' }), assistant('ok'), ...AFTER])
    const refusal = JSON.stringify({ status: 'forbidden', error: long('not allowed') })
    stays([TASK, ...inForeground('a', refusal), ...AFTER])
  })

  it('one whose report was read only now', () => {
    stays([TASK, ...inForeground('a', REPORT), assistant('I see.')])
  })

  it('one that would hardly shrink', () => {
    stays([TASK, ...inForeground('a', 'All checks passed, nothing to do.'), ...AFTER])
  })

  it('one that a person refused or stopped', () => {
    const told = [TASK, ...inForeground('a', ''), ...AFTER]
    const refused = told.map((message, index) =>
      index === 2 ? user({ result: 'call-a', text: long('no'), error: true, denied: 'stopped' }) : message,
    )
    stays(refused)
  })
})

describe('messages of several tasks', () => {
  const three = (report: string): MessageSketch[] => [
    TASK,
    ...spawned('a', { brief: long('Do a.') }),
    ...spawned('b', { brief: long('Do b.') }),
    user('and be quick'),
    ...spawned('c'),
    settled([
      { name: 'a', report: REPORT },
      { name: 'b', report: REPORT },
      { name: 'c', report },
    ]),
    assistant('all in'),
    ...AFTER,
  ]

  it('one message that settles three leaves with all of them; a person’s words between stay', () => {
    const out = folded(three(REPORT))
    expect(tasksOf(out).map(({ record }) => record !== undefined)).toEqual([true, true, true])
    expect(spokenBy(out).join('\n')).not.toContain('now settled')
    expect(spokenBy(out)).toContain('user: text and be quick')
    expect(check(out, { at: 'rest' })).toEqual([])
  })

  it('stays while one of them only seems to be done', () => {
    const out = folded(three('Half of it. Continuing'), { ...DEFAULT_TASKS, shrink: 0 })
    expect(tasksOf(out).map(({ state, record }) => [state, record !== undefined])).toEqual([
      ['completed', true],
      ['completed', true],
      ['suspicious', false],
    ])
    expect(spokenBy(out).join('\n')).toContain('now settled')
  })
})

describe('old records roll up', () => {
  const KEEP = { ...DEFAULT_TASKS, keep: 3 }
  const many = (count: number, between: (index: number) => MessageSketch[] = () => []): MessageSketch[] => [
    TASK,
    ...Array.from({ length: count }, (_, index) => [
      ...inForeground(`t${index}`, REPORT),
      assistant(`Task ${index} is in.`),
      ...between(index),
    ]).flat(),
    ...AFTER,
  ]
  const lines = (transcript: Transcript) => {
    return transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'text' ? (groupLineIn(block.text) ?? []) : [])),
    )
  }

  it('ten beyond the newest become a line, nine do not', () => {
    expect(lines(folded(many(12), KEEP))).toEqual([])
    const out = folded(many(13), KEEP)
    expect(lines(out)).toMatchObject([{ level: 1, completed: 10, failed: 0, names: 't0 … t9' }])
    expect(tasksOf(out)).toHaveLength(3)
    expect(check(out, { at: 'rest' })).toEqual([])
    expect(tasks(out, KEEP, CONTEXT)).toEqual([])
  })

  it('the same lines come of all at once and of one epoch after the other', () => {
    const told = many(60)
    const once = folded(told, KEEP)
    let grown = transcriptOf(told.slice(0, 1))
    for (let end = 1; end <= told.length; end += 20) {
      const next = transcriptOf(told).messages.slice(grown.messages.length === 1 ? 1 : end, end + 20)
      grown = { ...grown, messages: [...grown.messages, ...next] }
      grown = apply(grown, tasks(grown, KEEP, CONTEXT))
    }
    expect(lines(grown).map(({ names }) => names)).toEqual(lines(once).map(({ names }) => names))
  })

  it('ten lines become one of a hundred; the number of lines grows like the logarithm', () => {
    const out = folded(many(125), KEEP)
    expect(lines(out).map(({ level }) => level)).toEqual([2, 1, 1])
    expect(lines(out)[0]).toMatchObject({ completed: 100, names: 't0 … t99' })
    const size = (count: number): number => viewTokens(folded(many(count), KEEP))
    expect(size(1000) / size(100)).toBeLessThan(10 ** 0.2)
  })

  it('what a person said stays, and so does what was said to that person', () => {
    const told = many(13, (index) =>
      index === 4 ? [assistant('Five are in.'), user('good, go on'), assistant('I will.')] : [],
    )
    const said = spokenBy(folded(told, KEEP))
    expect(said).toContain('user: text good, go on')
    expect(said).toContain('assistant: text Five are in.')
    expect(said).not.toContain('assistant: text Task 7 is in.')
  })

  it('notes of the harness go with the tasks they follow; announcements of unknown tasks stay', () => {
    const note: MessageSketch = {
      ...user('Waiting. [Context: The previous turn ended via sessions_yield.]'),
      kind: 'task-event',
    }
    const foreign = announced('nobody', REPORT)
    const told = many(13, (index) => (index === 4 ? [note] : index === 6 ? [foreign, assistant('Not ours.')] : []))
    const said = spokenBy(folded(told, KEEP))
    expect(said.join('\n')).not.toContain('sessions_yield')
    expect(said.join('\n')).toContain('task: nobody')
    expect(said).toContain('assistant: text Not ours.')
  })

  it('running tasks among them stay where they are', () => {
    const told = many(14, (index) => (index === 2 ? spawned('open') : []))
    const out = folded(told, KEEP)
    expect(lines(out)).toHaveLength(1)
    expect(tasksOf(out)).toMatchObject([{ name: 'open', state: 'running' }, {}, {}, {}, {}])
    expect(check(out, { at: 'rest' })).toEqual([])
  })

  it('a line leads to the records, and each record to its task', () => {
    const edits = tasks(transcriptOf(many(125)), KEEP, CONTEXT)
    const removed = new Map(edits.flatMap((edit) => edit.removed).map((out) => [out.ref, String(out.content)]))
    const open = spokenBy(apply(transcriptOf(many(125)), edits)).flatMap(referencesIn)
    const seen = new Set<string>()
    for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
      const content = removed.get(ref)
      if (content === undefined || seen.has(ref)) continue
      seen.add(ref)
      open.push(...referencesIn(content))
    }
    const reached = [...seen].map((ref) => removed.get(ref) ?? '')
    for (let index = 0; index < 125; index++) {
      expect(
        reached.some((content) => content.startsWith(`task: t${index}\n`)),
        `t${index}`,
      ).toBe(true)
    }
  })
})

describe('other rules', () => {
  it('leave records and open tasks alone', () => {
    const told = [TASK, ...spawned('open', { brief: long('x') }), ...inForeground('a', REPORT), ...AFTER]
    const out = folded(told)
    expect(tasksOf(out)[1]?.record).toBeDefined()
    const calls = (edits: readonly { at: { entry: number } }[]) => edits.map(({ at }) => at.entry)
    expect(calls(callLines(out, { afterTurns: 0 }, CONTEXT)).filter((entry) => entry < 5)).toEqual([])
    expect(
      calls(ledger(out, { afterTurns: 0, keepTokens: 1 }, CONTEXT)).filter((entry) => entry > 0 && entry < 5),
    ).toEqual([])
    expect(calls(results(out, { keep: 0, keepReads: 0, minChars: 0 }, CONTEXT)).filter((entry) => entry < 5)).toEqual(
      [],
    )
  })
})
