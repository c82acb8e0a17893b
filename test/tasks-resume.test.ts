/**
 * Sessions whose tasks were folded resume in the real Claude Code binary without a refusal of the strict server: on a
 * model that binds thinking to its prefix, with announcements and polls gone, and with old records rolled up.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionTasks } from '../src/sessions/tasks.ts'
import { temporaryFolder } from './support/archive.ts'
import { claudeCodeBinary, createClaudeHome } from './support/claude-code.ts'
import { delegatedRun } from './support/delegated-run.ts'
import { type Change, faultsOf, MATRIX_MODELS, recordedSession, runCells, summaryOf } from './support/matrix.ts'
import { DATA, hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")
if (!hasData) noticeMissing(DATA)

const [BOUND] = MATRIX_MODELS
/** Announced in the background, polled for, in the foreground with thinking around. */
const RECORDED = /entire-bc|erk-8ced|entire-36|erk-94c3/

async function expectResumes(file: string, changes: readonly Change[]): Promise<void> {
  const { tasks, mainThread } = await sessionTasks(file)
  expect(tasks.some(({ record }) => record !== null)).toBe(true)
  expect(mainThread.after).toBeLessThan(mainThread.before)
  const home = createClaudeHome()
  try {
    const cells = await runCells(home, recordedSession(file, BOUND), () => changes)
    process.stdout.write(`${summaryOf(cells)}\n`)
    expect(cells.flatMap(faultsOf)).toEqual([])
    // The fold is in what was sent.
    expect(Math.min(...cells.map(({ gone, replaced }) => gone + replaced))).toBeGreaterThan(0)
  } finally {
    home.remove()
  }
}

describe.skipIf(!binary)('folded tasks in the real binary', () => {
  it('a run of 60 tasks, 40 of them rolled up', async () => {
    const file = join(temporaryFolder(), 'run.jsonl')
    writeFileSync(file, delegatedRun(60, { open: 2 }))
    await expectResumes(file, ['tasks'])
  }, 120_000)

  it.each(sessionFiles('claude-code').filter((file) => RECORDED.test(file)))(
    '%s',
    async (file) => {
      await expectResumes(file, ['tasks', 'long'])
    },
    120_000,
  )
})
