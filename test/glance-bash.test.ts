import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { classify } from '../src/shell/index.ts'
import { GLANCES, sharedCases } from './support/glance-cases.ts'
import { allowedCommands } from './support/glance-oracle.ts'

/** Generated commands that are compared with bash; a call of bash takes about 2 ms. */
const GENERATED = 3000

/** The commands that bash does not parse without a word. */
function unparsed(commands: readonly string[]): readonly string[] {
  return commands.filter((command) => {
    const { status, stderr } = spawnSync('/bin/bash', ['--noprofile', '--norc', '-n', '-c', command], {
      encoding: 'utf8',
    })
    return status !== 0 || stderr !== ''
  })
}

describe('what we accept, bash parses', () => {
  it('our own cases', () => {
    expect(unparsed(GLANCES)).toEqual([])
  })

  it('the shared cases that are allowed', () => {
    const cases = [...sharedCases('real'), ...sharedCases('adversarial')].map(({ cmd }) => cmd)
    expect(unparsed(cases.filter((command) => classify(command).allow))).toEqual([])
  })

  it('generated commands', () => {
    expect(unparsed(allowedCommands(GENERATED).commands)).toEqual([])
  })

  it('and bash does refuse what it cannot parse', () => {
    expect(unparsed(['ls', 'ls $(', 'if ls'])).toEqual(['ls $(', 'if ls'])
  })
})
