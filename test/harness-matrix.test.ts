/**
 * Every shared Claude Code session, changed by us, resumes in the real binary on a model that binds thinking to its
 * prefix and on an older one, without one refusal of the strict server. The binary heals a broken prefix once by
 * losing all thinking; that counts as a failure.
 */
import { describe, expect, it } from 'vitest'
import { thinkingRuleOf } from '../src/core/models.ts'
import { RULES } from '../src/core/rules/index.ts'
import { PRESET_NAMES } from '../src/planning/presets.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { claudeCodeBinary } from './support/claude-code.ts'
import {
  type Cell,
  type Change,
  cutsOf,
  EVERY_RULE,
  faultsOf,
  inLanes,
  MATRIX_MODELS,
  type RecordedSession,
  recordedSession,
  runCells,
  summaryOf,
  thinkingIn,
} from './support/matrix.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const CUTS = 3
/** All presets take a quarter of an hour: `SPILLWAY_EVERY_PRESET=1` asks for them. */
const EVERY_PRESET = process.env.SPILLWAY_EVERY_PRESET === '1'
const CHANGES: readonly Change[] = [...(EVERY_PRESET ? PRESET_NAMES : (['default'] as const)), 'every rule']
const CONTROL: Change = 'default, thinking kept'
/** Milliseconds; on two busy cores the longest took seven minutes. */
const MOST_TIME = 20 * 60_000

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")
if (!hasData) noticeMissing('the shared data')
const files = sessionFiles('claude-code')

function print(title: string, cells: readonly Cell[]): void {
  process.stdout.write(`${title}: ${summaryOf(cells)}\n`)
}

describe.skipIf(!binary || !hasData)('recorded sessions in the real binary', () => {
  it('uses every rule that there is', () => {
    expect(Object.keys(EVERY_RULE.rules).sort()).toEqual(RULES.map(({ name }) => name).sort())
  })

  for (const model of MATRIX_MODELS) {
    const bound = thinkingRuleOf(model) === 'bound'

    it(
      `${model}: economized, each resumes without a refusal`,
      async () => {
        const cells = (
          await inLanes(files, (home, file) =>
            runCells(home, recordedSession(file, model), (original) =>
              bound && thinkingIn(original) > 0 ? [...CHANGES, CONTROL] : CHANGES,
            ),
          )
        ).flat()
        for (const change of CHANGES) {
          const changed = cells.filter((cell) => cell.change === change)
          print(`${model}, ${change}`, changed)
          expect(changed).toHaveLength(files.length)
          expect(changed.flatMap(faultsOf)).toEqual([])
          expectThinking(changed, bound)
        }
        if (bound) expectControl(cells.filter(({ change }) => change === CONTROL))
      },
      (EVERY_PRESET ? 3 : 1) * MOST_TIME,
    )

    it(
      `${model}: cut at ${CUTS} places and economized, each resumes without a refusal`,
      async () => {
        const cuts = files.flatMap((file) => cutsOf(recordedSession(file, model), CUTS))
        const cells = (await inLanes(cuts, (home, cut) => runCells(home, cut, () => ['every rule']))).flat()
        print(`${model}, cut`, cells)
        expect(cells).toHaveLength(files.length * CUTS)
        expect(cells.flatMap(faultsOf)).toEqual([])
        expectThinking(cells, bound)
      },
      MOST_TIME,
    )

    it(
      `${model}: broken on disk, each resumes after doctor --fix with everything that was said`,
      async () => {
        const sick: RecordedSession[] = []
        for (const file of files) {
          const { violations } = await doctorSession(file)
          if (violations.some(({ severity }) => severity === 'reject')) sick.push(recordedSession(file, model))
        }
        const cells = (await inLanes(sick, (home, session) => runCells(home, session, () => ['doctor']))).flat()
        print(`${model}, repaired`, cells)
        expect(cells.length).toBeGreaterThan(5)
        expect(cells.flatMap(faultsOf)).toEqual([])
        expect(cells.filter(({ gone }) => gone > 0)).toEqual([])
      },
      MOST_TIME,
    )
  }
})

/** Thinking reaches the wire, and on a model that binds it some had to go: the cells mean something. */
function expectThinking(cells: readonly Cell[], bound: boolean): void {
  expect(cells.some(({ thinking }) => thinking.sent > 0)).toBe(true)
  if (bound) expect(cells.some(({ thinking }) => thinking.sent < thinking.recorded)).toBe(true)
}

/** Without the thinking step every session that has thinking behind its first edit is refused. */
function expectControl(cells: readonly Cell[]): void {
  const behind = cells.filter(({ thinking }) => thinking.behind > 0)
  const refused = cells.filter(({ refusals }) => refusals.length > 0)
  process.stdout.write(`control: ${refused.length} of ${files.length} sessions refused without the thinking step\n`)
  expect(behind.length).toBeGreaterThan(10)
  expect(refused.map(({ name }) => name)).toEqual(behind.map(({ name }) => name))
  expect(refused.flatMap(({ refusals }) => refusals)).toEqual(refused.map(() => expect.stringMatching(/^A33 /)))
  expect(refused.filter(({ stripped }) => !stripped)).toEqual([])
}
