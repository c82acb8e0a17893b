import { describe, expect, it } from 'vitest'
import { assistant, exchange, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { listedFacts, workerFacts } from './worker-calls.ts'

const failing = (id: string, tool: string, input: Record<string, string>, text: string) => [
  assistant({ call: id, tool, input }),
  user({ result: id, text, error: true }),
]

describe("a worker's own calls", () => {
  it('tell which files it made and changed, and which commands failed', () => {
    const child = transcriptOf([
      user('Do it.'),
      ...exchange('1', 'ok', 'Read', { file_path: 'old.ts' }),
      ...exchange('2', 'ok', 'Write', { file_path: 'old.ts' }),
      ...exchange('3', 'ok', 'Write', { file_path: 'new.ts' }),
      ...exchange('4', 'ok', 'Edit', { file_path: 'new.ts' }),
      ...exchange('5', 'ok', 'edit', { path: 'third.ts' }),
      ...failing('6', 'Edit', { file_path: 'never.ts' }, 'String to replace not found'),
      ...failing('7', 'Bash', { command: 'npm test' }, '=====\nExit code 1\nAssertionError: 1 != 2'),
      ...exchange('8', 'half\nCommand exited with code 2', 'Bash', { command: 'make' }),
      ...exchange('9', 'fine', 'Bash', { command: 'npm test' }),
    ])
    expect(workerFacts(child)).toEqual({
      filesAdded: ['new.ts'],
      filesChanged: ['old.ts', 'third.ts'],
      failures: ['npm test: AssertionError: 1 != 2', 'make: half'],
    })
  })

  it('patches name their files', () => {
    const patch = '*** Begin Patch\n*** Add File: a.ts\n+x\n*** Update File: b.ts\n-y\n*** End Patch'
    const child = transcriptOf([user('Do it.'), ...exchange('1', 'ok', 'apply_patch', { input: patch })])
    expect(workerFacts(child)).toMatchObject({ filesAdded: ['a.ts'], filesChanged: ['b.ts'] })
  })

  it('stand in the answer to a poll as a list', () => {
    const report = '[Tool: Read] {"file_path":"a.ts"}\n[Tool: Edit] {"file_path":"a.ts"}\n[Tool: Edit] {"file_pa\ntext'
    expect(listedFacts(report)).toEqual({ filesAdded: [], filesChanged: ['a.ts'], failures: [] })
  })
})
