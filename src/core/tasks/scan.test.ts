import { describe, expect, it } from 'vitest'
import { announced, childKey, inForeground, replied, settled, spawned } from '../../../test/support/delegations.ts'
import { assistant, exchange, type MessageSketch, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { tasksOf } from './scan.ts'
import type { TaskOptions } from './task.ts'

function states(told: readonly MessageSketch[], options?: TaskOptions): Record<string, string> {
  return Object.fromEntries(tasksOf(transcriptOf(told), options).map(({ name, state }) => [name, state]))
}

const TASK = user('the task')

describe('pass 1: spawns', () => {
  it('are calls of the named tools; list tools spawn nothing', () => {
    const told = [
      TASK,
      ...inForeground('a', 'done.'),
      ...exchange('list', 'ok', 'TaskCreate', { subject: 'x' }),
      ...exchange('more', 'ok', 'TodoWrite', { todos: [] }),
    ]
    expect(states(told)).toEqual({ a: 'completed' })
  })

  it('names of tools are an option', () => {
    const told = [TASK, ...spawned('a', { tool: 'hire' })]
    expect(states(told)).toEqual({})
    expect(states(told, { spawnTools: ['hire'] })).toEqual({ a: 'running' })
  })

  it('an id that a session repeats names each of its tasks', () => {
    const again = inForeground('a', 'done.')
    expect(tasksOf(transcriptOf([TASK, ...again, ...again])).map(({ id }) => id)).toEqual(['call-a', 'call-a#2'])
  })
})

describe('pass 2: answers to spawns', () => {
  const refused = (answer: string, error = false): MessageSketch[] => [
    TASK,
    assistant({ call: 'c', tool: 'sessions_spawn', input: { label: 'bad', task: 'x' } }),
    user({ result: 'c', text: answer, error }),
  ]

  it.each([
    ['2026.3.28: no error flag', '{"status":"forbidden","error":"agentId is not allowed"}', false],
    ['2026.6.11: error flag', '{"status":"forbidden","error":"agentId is not allowed"}', true],
    ['a plain error', "Agent type 'x' not found", true],
  ])('%s', (_, answer, error) => {
    expect(states(refused(answer, error))).toEqual({ bad: 'failed-to-start' })
  })

  it('a refusal may name a child that reports all the same', () => {
    const answer = JSON.stringify({ status: 'error', error: 'retained', childSessionKey: childKey('bad') })
    expect(states(refused(answer))).toEqual({ bad: 'failed-to-start' })
    expect(states([...refused(answer), announced('bad', 'It worked.'), assistant('ok')])).toEqual({ bad: 'completed' })
  })

  it('a call that was refused by a person or a machine never started; one that was stopped has failed', () => {
    const denied = (kind: 'person' | 'machine' | 'stopped') => [
      TASK,
      assistant({ call: 'c', tool: 'Agent', input: { description: 'd', prompt: 'x' } }),
      user({ result: 'c', text: 'no', error: true, denied: kind }),
    ]
    expect(states(denied('person'))).toEqual({ d: 'failed-to-start' })
    expect(states(denied('machine'))).toEqual({ d: 'failed-to-start' })
    expect(states(denied('stopped'))).toEqual({ d: 'failed' })
  })

  it('without an answer it runs', () => {
    expect(states([TASK, assistant({ call: 'c', tool: 'Agent', input: { description: 'd' } })])).toEqual({
      d: 'running',
    })
  })
})

describe('pass 3: completions', () => {
  it('parallel tasks end in any order, with a person speaking in between', () => {
    const told = [
      TASK,
      ...spawned('a'),
      ...spawned('b'),
      ...spawned('c'),
      announced('c', 'Done c.'),
      assistant('noted'),
      user('and hurry'),
      assistant('yes'),
      announced('a', 'Half of a.', { status: 'failed: it broke' }),
      assistant('noted'),
    ]
    expect(states(told)).toEqual({ a: 'failed', b: 'running', c: 'completed' })
    const [a, , c] = tasksOf(transcriptOf(told))
    expect(a).toMatchObject({ error: 'it broke', ids: ['call-a', childKey('a'), 'run-a'] })
    expect(c?.completions).toMatchObject([{ kind: 'announcement', message: 7, tasks: 1 }])
  })

  it('one message settles three, each with its own end', () => {
    const told = [
      TASK,
      ...spawned('a'),
      ...spawned('b'),
      ...spawned('c'),
      settled([
        { name: 'a', report: 'Done a.' },
        { name: 'b', report: 'no', status: 'error: it broke' },
        { name: 'c', report: '250/486 boards (~51%). Continuing...' },
      ]),
      assistant('all in'),
    ]
    expect(states(told)).toEqual({ a: 'completed', b: 'failed', c: 'suspicious' })
    expect(tasksOf(transcriptOf(told))[0]?.completions[0]?.tasks).toBe(3)
  })

  it('by name, the oldest that still runs is meant', () => {
    const named: MessageSketch = user('A subagent task "again" just completed successfully.\n\nResult:\nDone.')
    const spawn = (id: string) => [
      assistant({ call: id, tool: 'sessions_spawn', input: { label: 'again', task: id } }),
      user({ result: id, text: '{"status":"accepted"}' }),
    ]
    const told = [TASK, ...spawn('one'), ...spawn('two'), named, assistant('ok')]
    expect(tasksOf(transcriptOf(told)).map(({ state }) => state)).toEqual(['completed', 'running'])
  })

  it("a child of somebody else's is nobody of ours, whatever its name", () => {
    const foreign = announced('a', 'Done.')
    const text = String(foreign.blocks[0]).replaceAll(childKey('a'), childKey('stranger'))
    expect(states([TASK, ...spawned('a'), { ...foreign, blocks: [text] }, assistant('ok')])).toEqual({ a: 'running' })
  })

  it('a message that was sent for one child tells of that child alone, whatever its text says', () => {
    const one = announced('a', 'Done a.')
    const forged = String(announced('b', 'Done b.').blocks[0]).replace('OpenClaw runtime context (internal):', '')
    const both = { ...one, blocks: [String(one.blocks[0]) + forged], task: { ids: [childKey('a')] } }
    expect(states([TASK, ...spawned('a'), ...spawned('b'), both, assistant('ok')])).toEqual({
      a: 'completed',
      b: 'running',
    })
    const other = { ...announced('b', 'Done b.'), task: { ids: [childKey('a')] } }
    expect(states([TASK, ...spawned('a'), ...spawned('b'), other, assistant('ok')])).toEqual({
      a: 'completed',
      b: 'running',
    })
  })

  it('a message whose words nobody knows is told by its mark; one that is a pointer tells nothing', () => {
    const marked = (text: string): MessageSketch => ({
      ...user(text),
      kind: 'task-event',
      task: { ids: [childKey('a')] },
    })
    expect(states([TASK, ...spawned('a'), marked('words of 2027'), assistant('ok')])).toEqual({ a: 'completed' })
    const pointer = '[spillway abcdefghijkl: user text x, 9 characters. Back: spillway recall abcdefghijkl]'
    expect(states([TASK, ...spawned('a'), marked(pointer), assistant('ok')])).toEqual({ a: 'running' })
  })

  it('an announcement that was not stored is told by the id of the answer to it', () => {
    const told = [TASK, ...spawned('a'), ...spawned('b'), assistant('wait'), replied('in', { ids: [childKey('b')] })]
    expect(states(told)).toEqual({ a: 'running', b: 'completed' })
  })

  it('an answer that nobody asked for ends the only task that runs, and none where announcements are stored', () => {
    const unasked = replied('in', { ids: [] })
    expect(states([TASK, ...spawned('a'), assistant('wait'), unasked])).toEqual({ a: 'completed' })
    expect(states([TASK, ...spawned('a'), ...spawned('b'), unasked])).toEqual({ a: 'running', b: 'running' })
    const heard = [TASK, ...spawned('a'), announced('a', 'Done.'), assistant('ok'), ...spawned('b'), unasked]
    expect(states(heard)).toEqual({ a: 'completed', b: 'running' })
  })

  it('launch and poll; a poll that finds it running changes nothing', () => {
    const poll = (status: string) =>
      exchange(
        `poll-${status}`,
        `<retrieval_status>success</retrieval_status>\n<task_id>a7</task_id>\n<status>${status}</status>\n<output>\nDone.\n</output>`,
        'TaskOutput',
        { task_id: 'a7' },
      )
    const launched = inForeground('a', 'Async agent launched successfully.\nagentId: a7 (internal)')
    expect(states([TASK, ...launched, ...poll('running')])).toEqual({ a: 'running' })
    expect(states([TASK, ...launched, ...poll('running'), ...poll('completed')])).toEqual({ a: 'completed' })
  })

  it('more to do makes a task run again, until it reports once more', () => {
    const more = exchange('more', 'sent', 'sessions_send', { sessionKey: childKey('a'), message: 'and the docs' })
    const told = [TASK, ...spawned('a'), announced('a', 'Done.'), ...more]
    expect(states(told)).toEqual({ a: 'running' })
    expect(states([...told, announced('a', 'Docs too.'), assistant('ok')])).toEqual({ a: 'completed' })
  })
})

describe('suspicion', () => {
  const end = (report: string, facts = {}) =>
    states([TASK, ...spawned('a'), announced('a', report, facts), assistant('ok')]).a

  it.each([
    ['no tokens', 'All is done.', { tokens: '0 (in 0 / out 0)' }],
    ['it goes on', '250/486 boards (~51%) … Continuing', {}],
    ['a last line that leads on', 'All parts are read.\nNow the tests:', {}],
    [
      'cut at 80 characters',
      '34/34 tests pass, clean build of the whole tree. Now docker repro for the other '.padEnd(80, 'x'),
      {},
    ],
    ['a last line that announces more', 'Two files are fixed.\nLet me run the tests', {}],
  ])('%s', (_, report, facts) => {
    expect(end(report, facts)).toBe('suspicious')
  })

  it.each(['Worker result: edited src/add.ts, tests 3 passed.', 'ok', '{"ok":true}', '| a | b |', 'All 486/486 done'])(
    'a plain end is none: %s',
    (report) => {
      expect(end(report)).toBe('completed')
    },
  )

  it("a worker's own last words stand for a report that was cut, and for one that is missing", () => {
    const whole = '34/34 tests pass, clean build of the whole tree. Now docker repro for the other branch is done too.'
    const transcript = transcriptOf([user('[Subagent Task] Do a.'), assistant(whole)])
    const children = [{ ids: [childKey('a')], transcript }]
    const told = [TASK, ...spawned('a'), announced('a', whole.slice(0, 80)), assistant('ok')]
    expect(states(told)).toEqual({ a: 'suspicious' })
    expect(states(told, { children })).toEqual({ a: 'completed' })
    expect(tasksOf(transcriptOf(told), { children })[0]?.report).toBe(whole)
    expect(states([TASK, ...spawned('a')], { children })).toEqual({ a: 'completed' })
  })

  it('a worker whose thread ends in the middle of its work only seems to be done', () => {
    const transcript = transcriptOf([user('Do a.'), ...exchange('x', 'half way')])
    const children = [{ ids: [childKey('a')], transcript }]
    expect(states([TASK, ...spawned('a'), announced('a', 'Done.'), assistant('ok')], { children })).toEqual({
      a: 'suspicious',
    })
  })
})

describe('pass 4: tokens and duration', () => {
  it('count what the task takes here, and what the harness counted for the worker', () => {
    const transcript = transcriptOf([TASK, ...spawned('a'), announced('a', 'Done.'), assistant('ok')])
    const [task] = tasksOf(transcript)
    const own = transcript.messages.slice(1, 4).flatMap(({ blocks }) => blocks.map(({ tokens }) => tokens))
    expect(task?.tokens).toEqual({ main: own.reduce((sum, each) => sum + each, 0), worker: 7600 })
    expect(task?.durationMs).toBe(5000)
  })

  it('a message of three counts a third for each', () => {
    const three = ['a', 'b', 'c']
    const told = [
      TASK,
      ...three.flatMap((name) => spawned(name)),
      settled(three.map((name) => ({ name, report: `Done ${name}.` }))),
      assistant('ok'),
    ]
    const transcript = transcriptOf(told)
    const tokens = (index: number) => transcript.messages[index]?.blocks[0]?.tokens ?? 0
    expect(tasksOf(transcript)[0]?.tokens.main).toBe(Math.round(tokens(1) + tokens(2) + tokens(7) / 3))
  })
})
