/** The linter of briefs on a real coordinator: how much of its briefs its workers would know from a page of rules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { lintBrief, rulesIn, tasksOf } from '../src/core/tasks/index.ts'
import { formatOf, readBytes } from './support/session-bytes.ts'
import { DATA, hasData, noticeMissing } from './support/shared.ts'

if (!hasData) noticeMissing(DATA)

it.skipIf(!hasData)('nearly half of seven recorded briefs repeats what the others say too', () => {
  const bytes = gunzipSync(readFileSync(join(DATA, 'openclaw', 'volvox-3c0cbde4.jsonl.gz')))
  const briefs = tasksOf(readBytes(formatOf(bytes), bytes).main).map(({ brief }) => brief)
  const lints = briefs.map((brief) => lintBrief(brief, rulesIn(briefs)))
  const sum = (of: (lint: (typeof lints)[number]) => number): number =>
    lints.reduce((total, each) => total + of(each), 0)
  const share = sum(({ repeatedChars }) => repeatedChars) / sum(({ chars }) => chars)
  process.stdout.write(`${briefs.length} briefs, ${(100 * share).toFixed(0)} % of their characters repeated\n`)
  expect(briefs).toHaveLength(7)
  expect(lints[0]?.repeated).toContain('- Use an isolated git worktree.')
  expect(share).toBeGreaterThan(0.4)
  expect(share).toBeLessThan(0.6)
})
