/** How `spillway analyze` prints a run directory: the figures of the run, then its sessions. */
import type { RunAnalysis } from '../agent/run-directory/analyze-run.ts'
import { printableText } from './printable.ts'
import { count, note, paint, percent, print, table } from './terminal.ts'

const NUMBER = { align: 'right' } as const

/** Rows of what a run came to; `value` as a person reads it. */
export function runFigures(run: RunAnalysis): readonly (readonly [string, string])[] {
  const { delegation, spills, scripts } = run
  const calls = `${count(delegation.mainCalls)} : ${count(delegation.workerCalls)}`
  const bytes = spills.bytes > 0 ? `, ${count(spills.bytes)} bytes of images` : ''
  return [
    ['turns in workers', percent(delegation.turnShare)],
    ['characters in workers', percent(delegation.charShare)],
    ['calls, main : workers', calls],
    ['spilled', `${count(spills.count)} results, ${count(spills.characters)} characters${bytes}`],
    ['scripts', `${count(scripts.scripts)} written ${count(scripts.writes)} times, run ${count(scripts.runs)} times`],
    ['context', contextOf(run)],
    ['cache hit rate', percent(run.cacheHitRate)],
    ['cost', `$${run.cost.toFixed(4)}`],
  ]
}

/** Of the longest main thread: how it grew, and where it would be full. */
function contextOf({ sessions }: RunAnalysis): string {
  const [longest] = [...sessions].sort((one, other) => other.context.prompts.length - one.context.prompts.length)
  if (!longest) return 'nothing was asked'
  const { peak, slopePerTurn: slope, projectedWallTurn: wall } = longest.context
  const growth = slope === null ? '' : `, ${count(slope)} tokens a turn`
  return `peak ${count(peak)}${growth}${wall === null ? '' : `, full at turn ${count(wall)}`}`
}

export function showRun(run: RunAnalysis): void {
  print(paint.bold(run.runDirectory))
  print(`\n${table([{ title: 'figure' }, { title: 'value', flexible: true }], runFigures(run))}`)
  const steps = run.steps.map(({ step, state, attempts, turns, cost, sessionId }) => [
    step,
    state,
    count(attempts),
    count(turns),
    `$${cost.toFixed(4)}`,
    sessionId,
  ])
  const columns = [
    { title: 'step', flexible: true },
    { title: 'state' },
    { title: 'tries', ...NUMBER },
    { title: 'turns', ...NUMBER },
    { title: 'cost', ...NUMBER },
    { title: 'session' },
  ]
  print(`\n${table(columns, steps)}`)
  const sessions = run.sessions.map(({ file, context }) => [
    file,
    count(context.prompts.length),
    count(context.last),
    count(context.peak),
    context.slopePerTurn === null ? '' : count(context.slopePerTurn),
    context.projectedWallTurn === null ? '' : count(context.projectedWallTurn),
  ])
  const growth = ['requests', 'last', 'peak', 'a turn', 'full at turn'].map((title) => ({ title, ...NUMBER }))
  print(`\n${table([{ title: 'context of', flexible: true }, ...growth], sessions)}\n`)
  if (run.missing.length > 0) note(paint.yellow(`no longer in the store: ${printableText(run.missing.join(', '))}`))
}
