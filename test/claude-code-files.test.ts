/** Claude Code files through reader and writer: generated ones with random edits, and every recorded one. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apply } from '../src/core/apply.ts'
import type { Edit } from '../src/core/edits.ts'
import { exchangesOf, type Message, type Transcript } from '../src/core/transcript.ts'
import { claudeCode } from '../src/formats/claude-code/index.ts'
import { readClaude, writeClaude } from './support/claude-lines.ts'
import { asClaudeCode, story } from './support/generated-sessions.ts'
import { someEdits, words } from './support/pi.ts'
import { undone } from './support/session-bytes.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 500)
const numbers = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 40 })

/**
 * Edits that rules may propose: nothing comes between a call and its result, and the harness's own words stay (they
 * say what a message is). What moves is a result to its call; test/invariants has those, from the repairs.
 */
function editsFor(transcript: Transcript, choices: readonly number[]): Edit[] {
  const entriesOf = (is: (message: Message) => boolean): Set<number> =>
    new Set(transcript.messages.filter(is).flatMap(({ entries }) => entries))
  const exchanging = entriesOf(({ blocks }) => blocks.some(({ type }) => type === 'call' || type === 'result'))
  const harness = entriesOf(({ kind }) => kind !== undefined)
  return someEdits(transcript, choices).filter(({ kind, at }) => {
    if (kind === 'replace-text') return !harness.has(at.entry)
    if (kind === 'insert-message') return !exchanging.has(at.entry)
    return kind !== 'reorder' && kind !== 'move'
  })
}

/** `read(write(edits))` says what `apply(read, edits)` says, nothing becomes illegal, and the splices undo it. */
function agree(bytes: Buffer, choices: readonly number[]): void {
  const session = readClaude(bytes)
  // Whoever edits also repairs: how a broken parent is read depends on the lines around it.
  const edits = [...claudeCode.repairs(session), ...editsFor(session.main, choices)]
  const { output, splices } = writeClaude(bytes, edits)
  expect(undone(output, splices).equals(bytes)).toBe(true)
  const after = readClaude(output)
  expect(words(after.main)).toEqual(words(apply(session.main, edits)))
  const rejected = claudeCode.check(after, 'rest').filter(({ severity }) => severity === 'reject')
  expect(rejected.map(({ rule, message }) => `${rule} ${message}`)).toEqual([])
}

/** Repairs leave nothing that a loader refuses, and say the same conversation. */
function repairs(bytes: Buffer, fileName?: string): void {
  const options = fileName === undefined ? {} : { fileName }
  const session = readClaude(bytes, options)
  const { output, splices } = writeClaude(bytes, claudeCode.repairs(session), options)
  expect(undone(output, splices).equals(bytes)).toBe(true)
  const after = readClaude(output, options)
  expect(claudeCode.check(after, 'rest').filter(({ severity }) => severity === 'reject')).toEqual([])
  expect(words(after.main)).toEqual(words(session.main))
}

describe('Claude Code files, generated', () => {
  it('are not changed without edits', () => {
    fc.assert(
      fc.property(story(10, true), (told) => {
        const bytes = asClaudeCode(told)
        const { output, splices } = writeClaude(bytes, [])
        expect(output.equals(bytes)).toBe(true)
        expect(splices).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  it('say after writing what the edits say', () => {
    fc.assert(
      fc.property(story(10, true), numbers, (told, choices) => agree(asClaudeCode(told), choices)),
      { numRuns: RUNS },
    )
  })

  it('are whole after repair', () => {
    fc.assert(
      fc.property(story(10, true), (told) => repairs(asClaudeCode(told))),
      { numRuns: RUNS },
    )
  })
})

describe.skipIf(!hasData)('Claude Code files, recorded', () => {
  if (!hasData) noticeMissing('../shared/data')
  const files = ['claude-code', 'claude-code-probe'].flatMap(sessionFiles)
  it.each(files.map((file) => [file.split('/').slice(-3).join('/'), file]))('%s', (_, file) => {
    const bytes = gunzipSync(readFileSync(file))
    expect(writeClaude(bytes, []).output.equals(bytes)).toBe(true)
    repairs(bytes, file)
    for (let seed = 1; seed <= 3; seed++) agree(bytes, [seed, seed * 31, seed * 77, 5])
  })

  it('hold every recorded call in their history', () => {
    for (const file of files) {
      const bytes = gunzipSync(readFileSync(file))
      const reader = (reading: 'view' | 'history'): number =>
        exchangesOf(readClaude(bytes, { reading }).main).filter(({ result }) => result).length
      expect(reader('history')).toBeGreaterThanOrEqual(reader('view'))
    }
  })
})
