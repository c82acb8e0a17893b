/** Who refused a call: on a session recorded from the real binary, and on hand-made entries for the other kinds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exchangesOf } from '../src/core/transcript.ts'
import { denialSession, HAND_MADE_DENIALS } from './support/denial-entries.ts'
import { formatOf, readBytes } from './support/session-bytes.ts'
import { EXAMPLES } from './support/shared.ts'

function denialsIn(bytes: Buffer) {
  return exchangesOf(readBytes(formatOf(bytes), bytes).main).map(({ call, result }) => ({
    command: String(call.input.command ?? call.tool),
    denied: result?.denied,
  }))
}

describe('denials', () => {
  it('are told apart in the recorded session', () => {
    const calls = denialsIn(readFileSync(join(EXAMPLES, 'damaged.jsonl')))
    expect(calls.filter((call) => call.denied !== undefined)).toEqual([
      { command: expect.stringContaining('touch published.txt && node'), denied: 'machine' },
      { command: 'touch published.txt', denied: 'machine' },
      { command: 'rm -r src/vessels', denied: 'person' },
      { command: 'rm -r src/vessels', denied: 'person' },
      { command: 'rm src/vessels/rules.test.ts', denied: 'machine' },
      { command: 'touch note.txt', denied: 'machine' },
      { command: 'touch note.txt', denied: 'machine' },
      { command: expect.stringContaining('sleep 20'), denied: 'stopped' },
      { command: expect.stringContaining('node tools/settle.mjs 60; sleep 20'), denied: 'stopped' },
    ])
  })

  it.each(HAND_MADE_DENIALS)('hand-made: $name', (made) => {
    expect(denialsIn(Buffer.from(denialSession(made)))).toEqual([{ command: 'rm -r src/vessels', denied: made.denied }])
  })
})
