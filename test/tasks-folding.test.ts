/** Folded tasks: how much they shrink, that nothing is lost and everything is found again, and how long runs grow. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { runGrowth } from '../bench/tasks.ts'
import { openArchive } from '../src/archive/index.ts'
import { economize } from '../src/core/economy.ts'
import { isAnnouncement, tasksOf } from '../src/core/tasks/index.ts'
import { plannedPolicy } from '../src/planning/plan.ts'
import { PRESETS } from '../src/planning/presets.ts'
import { pricesFor } from '../src/planning/prices.ts'
import { compactSession } from '../src/sessions/compact.ts'
import type { CompactReport } from '../src/sessions/compact-report.ts'
import { recall } from '../src/sessions/recall.ts'
import { restoreSession } from '../src/sessions/restore.ts'
import { sessionTasks } from '../src/sessions/tasks.ts'
import { temporaryFolder } from './support/archive.ts'
import { delegatedRun } from './support/delegated-run.ts'
import { lostTexts } from './support/readable.ts'
import { formatOf, readBytes } from './support/session-bytes.ts'
import { DATA, hasData, noticeMissing, sessionFiles } from './support/shared.ts'

if (!hasData) noticeMissing(DATA)

interface Folded {
  readonly report: CompactReport
  readonly input: Buffer
  readonly output: Buffer
  readonly archive: string
}

/** Compacts with the tasks rule alone, so that everything that is gone was a task's. */
async function folded(file: string, folder: string): Promise<Folded> {
  const out = join(folder, `${basename(file).replace(/\..*/, '')}.folded.jsonl`)
  const archive = join(folder, 'archive')
  const report = await compactSession(file, { target: { kind: 'file', path: out }, rules: ['tasks'], archive })
  return { report, input: plain(file), output: readFileSync(out), archive }
}

function plain(file: string): Buffer {
  const bytes = readFileSync(file)
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

async function archived({ report, archive: folder }: Folded): Promise<{ content: string }[]> {
  const archive = await openArchive(folder, { readOnly: true })
  try {
    const references = new Set(report.edits.flatMap((edit) => edit.references))
    return [...references].map((ref) => ({ content: String(archive.get(ref)?.content) }))
  } finally {
    archive.close()
  }
}

/** Reads the session as the view of one thread. */
const main = (bytes: Buffer) => readBytes(formatOf(bytes), bytes).main

async function expectNothingLost(run: Folded): Promise<void> {
  const { input, output } = run
  expect(lostTexts(main(input), main(output), output.toString('utf8'), await archived(run))).toEqual([])
}

/** What people said stands as it stood; only what tells of a task's end has left. */
function expectPeopleKept({ input, output }: Folded): void {
  const said = (bytes: Buffer) =>
    main(bytes).messages.flatMap(({ role, kind, blocks }) =>
      role === 'user' && kind !== 'task-event'
        ? blocks.flatMap((block) => (block.type === 'text' && !isAnnouncement(block.text) ? [block.text] : []))
        : [],
    )
  expect(said(output)).toEqual(said(input))
}

describe('a run of 120 tasks, the last three still open', () => {
  it('folds all but the open ones; everything is archived, found by task, file and words, and restored', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'run.jsonl')
    writeFileSync(file, delegatedRun(120, { open: 3 }))
    const run = await folded(file, folder)
    expect(run.report).toMatchObject({ outcome: 'rewritten', violations: { before: 0, after: 0 } })
    expect(run.report.tokens.savedShare).toBeGreaterThan(0.9)
    await expectNothingLost(run)
    expectPeopleKept(run)
    const again = await compactSession(run.report.out ?? '', { target: { kind: 'nowhere' }, rules: ['tasks'] })
    expect(again.outcome).toBe('unchanged')

    const before = tasksOf(main(run.input))
    const after = new Map(tasksOf(main(run.output)).map((task) => [task.id, task]))
    const open = before.filter(({ state }) => state === 'running')
    expect(open).toHaveLength(3)
    for (const { id, brief, state } of open) expect(after.get(id)).toMatchObject({ brief, state })

    const find = async (words: string) => {
      const found = await recall({ words, archive: run.archive, workingFolder: folder, environment: {} })
      return found.kind === 'hits' ? found.hits.map(({ snippet, target }) => `${target} ${snippet}`) : []
    }
    // One that has rolled up with its neighbours, one whose record still stands.
    for (const index of [4, 100]) {
      const task = before[index]
      expect(task?.state).toBe('completed')
      expect((await find(task?.name ?? ''))[0]).toContain(task?.name)
      expect((await find(`module${index}.ts`))[0]).toContain(`module${index}.ts`)
      expect((await find(`round ${index} promised compared`)).join()).toContain(`${index}`)
    }

    const restored = join(folder, 'restored.jsonl')
    const { exact } = await restoreSession(run.report.out ?? '', { out: restored, archive: run.archive })
    expect([exact, readFileSync(restored).equals(run.input)]).toEqual([true, true])
  }, 60_000)
})

describe.skipIf(!hasData)('recorded sessions', () => {
  const files = ['claude-code', 'openclaw'].flatMap(sessionFiles)

  it('a folded task keeps at most a tenth of its tokens in the median', async () => {
    const shares: number[] = []
    for (const file of files) {
      for (const { tokens } of (await sessionTasks(file)).tasks) {
        if (tokens.record !== null) shares.push(1 - tokens.record / tokens.before)
      }
    }
    shares.sort((a, b) => a - b)
    const median = shares[Math.floor(shares.length / 2)] ?? 0
    process.stdout.write(`${shares.length} folded tasks shrink by ${(100 * median).toFixed(1)} % in the median\n`)
    expect(shares.length).toBeGreaterThan(30)
    expect(median).toBeGreaterThanOrEqual(0.9)
  }, 60_000)

  it.each(files.map((file) => [basename(file), file]))(
    '%s: legal, lossless, restored byte for byte',
    async (_, file) => {
      const folder = temporaryFolder()
      const run = await folded(file, folder)
      expect(run.report.violations.after).toBeLessThanOrEqual(run.report.violations.before)
      await expectNothingLost(run)
      expectPeopleKept(run)
      const again = await compactSession(run.report.out ?? '', { target: { kind: 'nowhere' }, rules: ['tasks'] })
      expect(again.outcome).toBe('unchanged')
      if (run.report.outcome === 'unchanged') return
      const restored = join(folder, 'restored.jsonl')
      await restoreSession(run.report.out ?? '', { out: restored, archive: run.archive })
      expect(readFileSync(restored).equals(run.input)).toBe(true)
    },
    60_000,
  )
})

it('a forced fit folds finished tasks also where the preset alone would not', () => {
  const policy = plannedPolicy(PRESETS.default, pricesFor('anthropic-5m').prices)
  const transcript = main(delegatedRun(300, { open: 1 }))
  const {
    outcome,
    report,
    transcript: fitted,
  } = economize(transcript, policy, { now: 0, limit: 50_000, epoch: 'resume' })
  expect(outcome).toBe('rewritten')
  expect(report.byRule.tasks?.edits).toBeGreaterThan(50)
  expect(report.tokens.after).toBeLessThanOrEqual(50_000)
  expect(tasksOf(fitted).filter(({ state }) => state === 'running')).toHaveLength(1)
})

it('the main thread of 2,000 tasks grows with an exponent of at most 0.2, without a model', () => {
  const { exponent, peaks } = runGrowth(2000)
  process.stdout.write(`exponent ${exponent.toFixed(3)} over ${peaks.length} epochs\n`)
  expect(peaks.length).toBe(40)
  expect(exponent).toBeLessThanOrEqual(0.2)
}, 60_000)
