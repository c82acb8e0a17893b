/**
 * Delegated tasks (docs/tasks.md). What those of the shared sessions fold into, and a generated run of 2,000: how its
 * main thread grows when finished tasks fold, and how long an epoch takes. No model is called.
 */
import { economize } from '../src/core/economy.ts'
import { chooseAll } from '../src/core/policy.ts'
import type { RuleOptions } from '../src/core/rules/index.ts'
import { DEFAULT_TASKS } from '../src/core/rules/tasks.ts'
import { type EconomyState, EMPTY_STATE } from '../src/core/state.ts'
import { tasksOf } from '../src/core/tasks/index.ts'
import { estimateTokens } from '../src/core/tokens.ts'
import { PRESETS } from '../src/planning/presets.ts'
import { sessionTasks } from '../src/sessions/tasks.ts'
import { readClaude } from '../test/support/claude-lines.ts'
import { delegatedRun } from '../test/support/delegated-run.ts'
import { sessionFiles } from '../test/support/shared.ts'

const TASKS = 2000
/** Tasks between two epochs. */
const EPOCH = 50
const MOST_EXPONENT = 0.2
/** Percent that half of the folded tasks must shrink by. */
const LEAST_MEDIAN = 90
const NO_LIMIT = Number.MAX_SAFE_INTEGER
const SHOWN: readonly number[] = [50, 100, 200, 500, 1000, 2000]

export interface RunGrowth {
  /** Slope of log(tokens) on log(tasks), over the largest size in each stretch between two epochs. */
  readonly exponent: number
  /** Tokens right before each epoch, and right after it. */
  readonly peaks: readonly number[]
  readonly folded: readonly number[]
  readonly milliseconds: number
}

/** Plays the run with an epoch every 50 tasks; the decisions of earlier epochs are replayed, as in a real run. */
export function runGrowth(tasks: number, rules: RuleOptions = { tasks: DEFAULT_TASKS }): RunGrowth {
  const whole = readClaude(delegatedRun(tasks)).main
  const ends = tasksOf(whole).map(({ spawn }) => (spawn.resultMessage ?? 0) + 1)
  const peaks: number[] = []
  const folded: number[] = []
  let state: EconomyState = EMPTY_STATE
  const start = performance.now()
  for (let count = EPOCH; count <= tasks; count += EPOCH) {
    const transcript = { ...whole, messages: whole.messages.slice(0, ends[count - 1]) }
    const policy = { name: 'growth', rules, choose: chooseAll }
    const epoch = economize(transcript, policy, { now: 0, limit: NO_LIMIT }, state)
    state = epoch.state
    peaks.push(epoch.report.tokens.before)
    folded.push(epoch.report.tokens.after)
  }
  const milliseconds = performance.now() - start
  return { exponent: slope(peaks), peaks, folded, milliseconds }
}

function slope(peaks: readonly number[]): number {
  const points = peaks.map((tokens, epoch) => [Math.log(EPOCH * (epoch + 1)), Math.log(tokens)] as const)
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const above = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  const below = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return below === 0 ? 0 : above / below
}

export async function benchTasks(): Promise<void> {
  await recordedTasks()
  print(`\na run of ${TASKS} tasks, an epoch every ${EPOCH}: tokens of the main thread before each epoch`)
  print(`rules        ${SHOWN.map((count) => String(count).padStart(9)).join('')}   exponent   ms an epoch`)
  const { default: usual, long, lean } = PRESETS
  const rows = { tasks: { tasks: DEFAULT_TASKS }, long: long.rules, lean: lean.rules, default: usual.rules }
  for (const [name, rules] of Object.entries(rows)) {
    const { exponent, peaks, milliseconds } = runGrowth(TASKS, rules)
    const sizes = SHOWN.map((count) =>
      Math.round(peaks[count / EPOCH - 1] ?? 0)
        .toLocaleString('en-US')
        .padStart(9),
    )
    const each = Math.round(milliseconds / peaks.length)
    print(`${name.padEnd(13)}${sizes.join('')}${exponent.toFixed(3).padStart(11)}${String(each).padStart(14)}`)
    if (name === 'default' || exponent <= MOST_EXPONENT) continue
    print(`MISSED: the exponent of ${name} is ${exponent.toFixed(3)}, at most ${MOST_EXPONENT} was promised`)
    process.exitCode = 1
  }
}

async function recordedTasks(): Promise<void> {
  const files = ['claude-code', 'openclaw'].flatMap(sessionFiles)
  const reports = await Promise.all(files.map((file) => sessionTasks(file)))
  const tasks = reports.flatMap((report) => report.tasks)
  const folded = tasks.filter(({ record }) => record !== null)
  const shares = folded.map(({ tokens }) => 100 * (1 - (tokens.record ?? 0) / tokens.before))
  const records = folded.map(({ record }) => estimateTokens(record ?? ''))
  const states = new Map<string, number>()
  for (const { state } of tasks) states.set(state, (states.get(state) ?? 0) + 1)
  print(`${tasks.length} tasks in ${reports.filter((report) => report.tasks.length > 0).length} shared sessions`)
  print(`states: ${[...states].map(([state, count]) => `${count} ${state}`).join(', ')}`)
  print(`${folded.length} fold, the others would free less than ${100 * DEFAULT_TASKS.shrink} % of what they take`)
  const spread = (values: readonly number[]) =>
    `10 %: ${at(values, 0.1)}, half: ${at(values, 0.5)}, 95 %: ${at(values, 0.95)}`
  print(`tokens of a task: ${spread(folded.map(({ tokens }) => tokens.before))}`)
  print(`tokens of a record, estimated: ${spread(records)}`)
  print(`freed %: ${spread(shares)}`)
  if (Number(at(shares, 0.5)) >= LEAST_MEDIAN) return
  print(`MISSED: half of the folded tasks shrink by ${at(shares, 0.5)} %, at least ${LEAST_MEDIAN} was promised`)
  process.exitCode = 1
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(0)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
