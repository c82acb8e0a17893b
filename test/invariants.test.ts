/**
 * The invariants of DESIGN section 4, over generated sessions of both formats and over the recorded ones, on bytes:
 * read, economize, write, read again.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { economize } from '../src/core/economy.ts'
import { check } from '../src/core/legality/index.ts'
import { chooseAll, DEFAULT_POLICY, type EconomyContext, type Policy } from '../src/core/policy.ts'
import { referenceOf } from '../src/core/reference.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import { isAnnouncement, tasksOf } from '../src/core/tasks/index.ts'
import { estimateTokens } from '../src/core/tokens.ts'
import { turnsOf } from '../src/core/transcript.ts'
import type { Format } from '../src/formats/format.ts'
import { FORMATS } from '../src/formats/index.ts'
import { PRESETS } from '../src/planning/presets.ts'
import { economizeSession } from '../src/sessions/economize-session.ts'
import { asCodex } from './support/generated-rollouts.ts'
import { asClaudeCode, asPi, delegating, type Story, story } from './support/generated-sessions.ts'
import { formatOf, readBytes, undone, written } from './support/session-bytes.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'
import { spokenBy } from './support/transcripts.ts'

/** Runs of each generated property: six of them make 10,000 and more; the nightly run asks for many more. */
const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 1700)
vi.setConfig({ testTimeout: 120_000 * Math.max(1, RUNS / 1700) })
const CONTEXT: EconomyContext = { now: 0, limit: 184_000, epoch: 'asked', answerLast: true }

/** Tokens of the longest text of the user that the ledger leaves alone. */
const LEDGER_KEEPS = 30

/** Folds and moves so early that every session has something to fold. */
const FOLDS_EARLY = {
  name: 'folds early',
  rules: {
    ...PRESETS.lean.rules,
    'call-lines': { afterTurns: 5 },
    ledger: { afterTurns: 15, keepTokens: LEDGER_KEEPS },
  },
}

const taskOptions = fc.record({ afterTurns: fc.nat(2), keep: fc.nat(4), shrink: fc.constantFrom(0, 0.5, 0.8) })

/** Small windows, so that short stories have something to lose. */
const policies: fc.Arbitrary<Policy> = fc
  .record({
    keep: fc.nat(3),
    keepReads: fc.nat(5),
    afterTurns: fc.nat(2),
    denials: fc.nat(2),
    folds: fc.option(fc.nat(3), { nil: undefined }),
    moves: fc.option(fc.nat(4), { nil: undefined }),
    tasks: fc.option(taskOptions, { nil: undefined }),
  })
  .map(({ keep, keepReads, afterTurns, denials, folds, moves, tasks }) => ({
    name: `keep-${keep}`,
    rules: {
      ...DEFAULT_RULES,
      denials: { keep: denials },
      images: { keep, keepReads, minChars: 0, afterTurns },
      results: { keep, keepReads, minChars: 0 },
      arguments: { minTokens: 50, afterTurns },
      ...(tasks === undefined ? {} : { tasks }),
      ...(folds === undefined ? {} : { 'call-lines': { afterTurns: folds } }),
      ...(moves === undefined ? {} : { ledger: { afterTurns: moves, keepTokens: LEDGER_KEEPS } }),
    },
    choose: chooseAll,
  }))

function compacted(format: Format, bytes: Buffer, policy: Policy, context = CONTEXT) {
  const session = readBytes(format, bytes)
  const out = economizeSession(session, policy, { ...context, repairs: format.repairs(session) })
  const { output, splices } = written(format, session, bytes, out.edits)
  return { session, out, output, splices, again: readBytes(format, output) }
}

function rejections(format: Format, session: ReturnType<typeof readBytes>): string[] {
  return [...check(session.main, { at: 'request' }), ...format.check(session, 'rest')]
    .filter((violation) => violation.severity === 'reject')
    .map((violation) => `${violation.rule} line ${violation.line ?? '?'}: ${violation.message}`)
}

const userTexts = (session: ReturnType<typeof readBytes>): string[] =>
  session.main.messages
    .filter((message) => message.role === 'user' && message.kind === undefined)
    .flatMap((message) =>
      message.blocks.flatMap((block) => (block.type === 'text' && block.text.trim() ? [block.text] : [])),
    )
    // Older versions of OpenClaw tell that a harness speaks by nothing but its words.
    .filter((text) => !isAnnouncement(text))

/** Everything one compaction must hold, whatever the session was. */
function holds(format: Format, bytes: Buffer, policy: Policy): Buffer {
  const { session, out, output, splices, again } = compacted(format, bytes, policy)
  // 1 legal
  expect(rejections(format, again)).toEqual([])
  // 2 lossless
  expect(undone(output, splices).equals(bytes)).toBe(true)
  for (const removed of out.removed) expect(removed.ref).toBe(referenceOf(removed.content))
  // the neutral view and the bytes say the same
  expect(spokenBy(again.main)).toEqual(spokenBy(out.transcript))
  // 3 idempotent
  const second = compacted(format, output, policy)
  expect(second.out.edits.map((edit) => `${edit.rule} ${edit.kind} ${edit.reason}`)).toEqual([])
  expect(second.output.equals(output)).toBe(true)
  // 5 shrinking
  if (out.edits.length === 0) expect(output.equals(bytes)).toBe(true)
  for (const edit of out.edits) if (edit.purpose === 'economy') expect(edit.frees).toBeGreaterThan(0)
  // 6 faithful
  const said = userTexts(again)
  const movable = (text: string): boolean =>
    policy.rules.ledger !== undefined && estimateTokens(text) > policy.rules.ledger.keepTokens
  for (const text of userTexts(session)) if (!movable(text)) expect(said).toContain(text)
  expect(spokenBy(again.main)[0]).toEqual(spokenBy(session.main)[0])
  openTasksStay(session, again)
  return output
}

/** Nothing that runs or only seems to be done is ever folded, whatever the rules. */
function openTasksStay(before: ReturnType<typeof readBytes>, after: ReturnType<typeof readBytes>): void {
  const now = new Map(tasksOf(after.main).map((task) => [task.id, task]))
  for (const { id, state, spawn, brief, report } of tasksOf(before.main)) {
    if ((state !== 'running' && state !== 'suspicious') || !spawn.result) continue
    expect(now.get(id)).toMatchObject({ state, brief, ...(report === undefined ? {} : { report }) })
    expect(now.get(id)?.record).toBeUndefined()
  }
}

const FORMATS_AS: readonly (readonly [string, (story: Story) => Buffer])[] = [
  ['claude-code', asClaudeCode],
  ['pi', asPi],
  ['codex', asCodex],
]

describe.each(FORMATS_AS)('invariants over generated %s sessions', (name, write) => {
  const format = FORMATS.find((candidate) => candidate.name === name) as Format

  it('hold for healthy sessions', () => {
    fc.assert(
      fc.property(story(12, false), policies, (told, policy) => {
        holds(format, write(told), policy)
      }),
      { numRuns: RUNS },
    )
  })

  it('hold for damaged sessions', () => {
    fc.assert(
      fc.property(story(10, true), policies, (told, policy) => {
        holds(format, write(told), policy)
      }),
      { numRuns: RUNS },
    )
  })

  it('hold after any sequence of compactions and appended turns, and restore undoes them newest first', () => {
    fc.assert(
      fc.property(fc.array(story(5, false), { minLength: 1, maxLength: 3 }), policies, (stories, policy) => {
        const [first, ...later] = stories
        if (!first) return
        let told = first
        const inputs: Buffer[] = [write(first)]
        let current = holds(format, inputs[0] as Buffer, policy)
        for (const next of later) {
          const longer: Story = { ...told, steps: [...told.steps, ...next.steps] }
          const tail = write(longer).subarray(write(told).length)
          told = longer
          current = holds(format, Buffer.concat([current, tail]), policy)
        }
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    )
  })

  it('hold where much is delegated: records roll up, epoch after epoch', () => {
    const epochs = fc.array(delegating(12), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(epochs, policies, taskOptions, (stories, base, tasks) => {
        const policy = { ...base, rules: { ...base.rules, tasks } }
        let told: Story | undefined
        let current: Buffer = Buffer.alloc(0)
        for (const next of stories) {
          const longer: Story = { ...next, ...told, steps: [...(told?.steps ?? []), ...next.steps] }
          const tail = write(longer).subarray(told ? write(told).length : 0)
          told = longer
          current = holds(format, Buffer.concat([current, tail]), policy)
        }
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  })

  it('4 stable: what was decided is replayed, so appending changes nothing before the last epoch', () => {
    fc.assert(
      fc.property(story(8, true), story(4, false), policies, (begun, appended, policy) => {
        // A story that ends on a branch that was left goes on elsewhere: that is no appending.
        const told: Story = { ...begun, steps: [...begun.steps, { kind: 'user', text: 'go on' }] }
        // The harness's own compaction is an epoch that it chose.
        const next = { ...appended, steps: appended.steps.filter((step) => step.kind !== 'compaction') }
        const before = write(told)
        const after = write({ ...told, steps: [...told.steps, ...next.steps] })
        const open = { ...CONTEXT, answerLast: false }
        const first = compacted(format, before, policy, open).out
        const session = readBytes(format, after)
        const wait: Policy = { ...policy, choose: (edits) => ({ edits: [], waiting: edits }) }
        const later = economize(session.main, wait, { ...open, repairs: format.repairs(session) }, first.state)
        const said = spokenBy(first.transcript)
        expect(spokenBy(later.transcript).slice(0, said.length)).toEqual(said)
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    )
  })
})

describe.skipIf(!hasData)('invariants over recorded sessions', () => {
  const folders = ['claude-code', 'pi', 'openclaw', 'codex', 'claude-code-probe', 'openclaw-probe']
  it.each(folders.flatMap(sessionFiles).map((file) => [basename(file), file] as const))('%s', (_, file) => {
    const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
    const format = formatOf(bytes)
    const output = holds(format, bytes, DEFAULT_POLICY)
    // Newest turns are never touched.
    const last = (session: ReturnType<typeof readBytes>) => {
      const turn = turnsOf(session.main).at(-1)
      return spokenBy({ ...session.main, messages: session.main.messages.slice(turn?.start ?? 0) })
        .filter((line) => !line.includes(': thinking'))
        .slice(0, 1)
    }
    expect(last(readBytes(format, output))).toEqual(last(readBytes(format, bytes)))
  })

  const long = ['claude-code', 'pi', 'openclaw'].flatMap(sessionFiles).map((file) => [basename(file), file] as const)
  it.each(long)('%s, with the rules that fold old turns', (_, file) => {
    const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)
    for (const { name, rules } of [PRESETS.lean, FOLDS_EARLY]) {
      holds(formatOf(bytes), bytes, { name, rules, choose: chooseAll })
    }
  })
})

if (!hasData) noticeMissing('../shared/data')
