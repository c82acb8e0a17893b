/** Finished tasks fold in every request format that people's own loops send, whatever harness the words come from. */
import { describe, expect, it } from 'vitest'
import { economize } from '../src/core/economy.ts'
import { chooseAll } from '../src/core/policy.ts'
import { DEFAULT_TASKS } from '../src/core/rules/tasks.ts'
import { tasksOf } from '../src/core/tasks/index.ts'
import type { Transcript } from '../src/core/transcript.ts'
import { ARRAY_FORMATS } from '../src/formats/array-formats.ts'
import { convert, type TargetFormat } from '../src/formats/conversion/index.ts'
import { announced, inForeground, settled, spawned } from './support/delegations.ts'
import { assistant, exchange, long, spokenBy, transcriptOf, user } from './support/transcripts.ts'

const REPORT = `Edited src/a.ts, all tests pass. ${long('details', 6000)}.`
const TOLD = transcriptOf([
  user('the task'),
  ...inForeground('front', REPORT),
  assistant('noted'),
  ...spawned('back', { brief: long('Do it.') }),
  ...spawned('open', { brief: long('Do that.') }),
  user('and be quick'),
  assistant('I will.'),
  announced('back', REPORT),
  assistant('in'),
  ...spawned('one', { tool: 'delegate_task', brief: long('One.') }),
  ...spawned('two', { tool: 'delegate_task', brief: long('Two.') }),
  settled([
    { name: 'one', report: REPORT },
    { name: 'two', report: `${REPORT}\nNow the second half:` },
  ]),
  assistant('seen'),
  ...exchange('x', 'ok'),
  ...exchange('y', 'ok'),
  ...exchange('z', 'ok'),
  user('thanks'),
])
const POLICY = { name: 'tasks', rules: { tasks: DEFAULT_TASKS }, choose: chooseAll }

const recordsIn = (transcript: Transcript) =>
  Object.fromEntries(
    tasksOf(transcript).map(({ name, state, record }) => [name, record === undefined ? state : 'record']),
  )

describe.each(ARRAY_FORMATS.map((format) => [format.name as TargetFormat, format] as const))('%s', (name, format) => {
  const request = convert(TOLD, name).value
  const { transcript, native } = format.read(request)
  const out = economize(transcript, POLICY, { now: 0, limit: 184_000, epoch: 'asked' })
  const value = format.write(native, out.edits)

  it('finished tasks become records, open and suspicious ones stay', () => {
    expect(recordsIn(transcript)).toEqual({
      front: 'completed',
      back: 'completed',
      open: 'running',
      one: 'completed',
      two: 'suspicious',
    })
    const again = format.read(value).transcript
    expect(spokenBy(again)).toEqual(spokenBy(out.transcript))
    expect(recordsIn(again)).toEqual({
      front: 'record',
      back: 'record',
      open: 'running',
      one: 'completed',
      two: 'suspicious',
    })
  })

  it('the announcement of one child leaves, the one that an open child shares stays, and so do a person’s words', () => {
    const said = spokenBy(format.read(value).transcript)
    expect(said.filter((line) => line.includes('Internal task completion event'))).toEqual([])
    expect(said.filter((line) => line.includes('has now settled'))).toHaveLength(1)
    for (const words of ['the task', 'and be quick', 'thanks']) expect(said).toContain(`user: text ${words}`)
  })

  it('is as legal as before, and finds nothing more to do', () => {
    const faults = (given: typeof value) => format.check(given, 'request').map(({ rule }) => rule)
    expect(faults(value)).toEqual(faults(request))
    const second = economize(format.read(value).transcript, POLICY, { now: 0, limit: 184_000, epoch: 'asked' })
    expect(second.edits).toEqual([])
  })
})
