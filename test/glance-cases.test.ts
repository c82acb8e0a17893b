import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { classify } from '../src/shell/index.ts'
import { sharedCases } from './support/glance-cases.ts'
import { CASES, hasCases, noticeMissing } from './support/shared.ts'

/** What no look at the text can tell: that a file is a pipe, and what a repository configures (docs/glance.md). */
const KNOWN_FALSE_ALLOWS = ['cat fifo', 'cd evilrepo && git diff', 'git -C evilrepo status']

if (!hasCases) noticeMissing('../shared/cases')

describe.skipIf(!hasCases)('the labelled glances', () => {
  it.each([
    ['real', []],
    ['adversarial', KNOWN_FALSE_ALLOWS],
  ] as const)('%s: no false allow but the known ones, no false refusal', (name, known) => {
    const cases = sharedCases(name)
    expect(cases.length).toBeGreaterThan(200)
    const allowed = cases.filter(({ cmd, glance }) => !glance && classify(cmd).allow).map(({ cmd }) => cmd)
    expect(allowed.sort()).toEqual(known)
    const refused = cases.filter(({ cmd, glance }) => glance && !classify(cmd).allow)
    expect(refused.map(({ cmd }) => `${cmd} :: ${classify(cmd).reason}`)).toEqual([])
  })

  it('behaviour/ephemeral.json: goes stale exactly when it should', () => {
    const { cases } = JSON.parse(readFileSync(join(CASES, 'behaviour/ephemeral.json'), 'utf8'))
    expect(cases.length).toBeGreaterThan(50)
    const wrong = cases.filter(({ cmd, want }: { cmd: string; want: boolean }) => classify(cmd).ephemeral !== want)
    expect(wrong).toEqual([])
  })
})
