import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { historyOf } from '../../test/support/recordings.ts'
import { EXAMPLES, hasData, noticeMissing, sessionFiles } from '../../test/support/shared.ts'
import { claims } from '../core/claims.ts'
import { DEFAULT_RULES, RULES, type RuleOptions } from '../core/rules/index.ts'
import { addressKey, type Transcript, turnsOf } from '../core/transcript.ts'
import { candidatesOf } from './candidates.ts'
import { recordingOf } from './recording.ts'

const WINDOW = { keep: 4, keepReads: 9, minChars: 0 }
const CASES: Readonly<Record<string, RuleOptions>> = {
  results: { results: WINDOW },
  arguments: { arguments: { minTokens: 50, afterTurns: 7 } },
  glances: { glances: { keep: 3, maxChars: 2000 } },
  images: { images: { ...WINDOW, afterTurns: 5 } },
  denials: { denials: DEFAULT_RULES.denials },
  'call-lines': { 'call-lines': { afterTurns: 12 } },
}
const TASKS = { afterTurns: 2, keep: 1000, shrink: 0.8 }
const TASK_CASES: Readonly<Record<string, RuleOptions>> = {
  tasks: { tasks: TASKS },
  'rolled tasks': { tasks: { ...TASKS, keep: 2 } },
}
const STEP = 7

const files = [
  join(EXAMPLES, 'long.jsonl'),
  ...sessionFiles('claude-code').filter((file) => /erk-92|entire-72|entire-63/.test(file)),
  ...sessionFiles('pi'),
]

const delegating = sessionFiles('claude-code').filter((file) => /erk-8ced|erk-87|entire-bc/.test(file))

describe('candidates', () => {
  it.each([...files.map((file) => [file, CASES] as const), ...delegating.map((file) => [file, TASK_CASES] as const)])(
    'agree with what the rules propose on every beginning of %s',
    (file, cases) => {
      const { main } = historyOf(file)
      const recording = recordingOf(main, file)
      const keys = new Map([...recording.itemOf].map(([key, item]) => [item, key]))
      const turns = turnsOf(main)
      for (const [name, rules] of Object.entries(cases)) {
        const candidates = candidatesOf(recording, rules)
        for (let call = 1; call < turns.length; call += STEP) {
          const beginning = { ...main, messages: main.messages.slice(0, turns[call]?.start) }
          const taken = claims(beginning, 1)
          const proposed = new Set<string>()
          for (const rule of RULES) {
            for (const edit of taken.admit(rule.propose(beginning, rules, { answerLast: false }))) {
              const dropped = edit.kind === 'drop-message' ? edit.entries : []
              for (const entry of dropped) for (const key of blocksOf(beginning, entry)) proposed.add(key)
              if (edit.kind !== 'drop-message') proposed.add(addressKey(edit.at))
              if ((edit.kind === 'fold-exchange' || edit.kind === 'drop-exchange') && edit.result) {
                proposed.add(addressKey(edit.result))
              }
            }
          }
          const allowed = candidates.filter(({ from }) => from <= call).map(({ item }) => keys.get(item))
          expect({ name, call, items: [...new Set(allowed)].sort() }).toEqual({
            name,
            call,
            items: [...proposed].sort(),
          })
        }
      }
    },
  )
})

function blocksOf({ messages }: Transcript, entry: number): string[] {
  return messages.flatMap(({ blocks }) => blocks.filter(({ at }) => at.entry === entry).map(({ at }) => addressKey(at)))
}

if (!hasData) noticeMissing('../shared/data')
