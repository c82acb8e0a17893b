/** Texts that workers and strangers write, long and of one piece: read in time in proportion to their length. */
import { describe, expect, it } from 'vitest'
import { toldByAnswer } from './answers.ts'
import { lintBrief } from './brief.ts'
import { toldByPoll } from './notifications.ts'
import { readReport } from './report.ts'
import { endsMidWork } from './suspicion.ts'
import { toldIn } from './wording.ts'

const CHARS = 300_000
/** Quadratic readers take minutes. */
const MOST_MS = 4000

const EVENT = '[Internal task completion event]\n'
const INTERNAL = `[Inter-session message]\n${EVENT}`
const SETTLED = '[Subagent Context] Every subagent spawned from this session has now settled\n'

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ['the brief linter', (text) => lintBrief(text, [text])],
  ['what ends in the middle', endsMidWork],
  ['what is announced', toldIn],
  ['the answer to a spawn', (text) => toldByAnswer(text, false)],
  ['a poll', toldByPoll],
  ['a report', readReport],
]

const OPENINGS = [
  '',
  INTERNAL,
  `${INTERNAL}Stats: runtime `,
  SETTLED,
  '<task-notification>',
  'A subagent task "x" failed: ',
]
const PIECES = ['.', '*', '_', '-', '1', '1.', ' ', '\n', '<', EVENT, `${EVENT}<prompt-data>x</prompt-data>`]
const MORE = [
  '<task-notification></task-notification>',
  '\n1. Child task <prompt-data>x</prompt-data>',
  '\nagentId: a (b)',
]

describe.each(READERS)('%s', (_, read) => {
  it.each(OPENINGS)('is linear behind %j', (opening) => {
    for (const piece of [...PIECES, ...MORE]) {
      const text = `${opening}${piece.repeat(CHARS / piece.length)}x`
      const begun = performance.now()
      read(text)
      expect(performance.now() - begun, JSON.stringify(piece)).toBeLessThan(MOST_MS)
    }
  })
})

describe('what is told', () => {
  it('is found in each of many events, also where only some have words between markers', () => {
    const event = (name: string, words = ''): string => `${EVENT}task: ${name}\nstatus: completed\n${words}\n`
    const fenced = (name: string): string => event(name, `<prompt-data>${name} is done</prompt-data>`)
    const other = event('c', '<<<BEGIN_UNTRUSTED_CHILD_RESULT>>>c too<<<END_UNTRUSTED_CHILD_RESULT>>>')
    const told = toldIn(`[Inter-session message]\n${fenced('a')}${fenced('b')}${other}${fenced('d')}${event('e')}`)
    expect(told.map(({ name, report }) => [name, report])).toEqual([
      ['a', 'a is done'],
      ['b', 'b is done'],
      ['c', 'c too'],
      ['d', 'd is done'],
      ['e', undefined],
    ])
  })
})
