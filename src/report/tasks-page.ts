/** The page of `tasks --html`: when each task ran, and what it left. */
import type { ReportedTask, TasksReport } from '../sessions/tasks.ts'
import { page, type Section } from './page.ts'
import type { Bar } from './timeline.ts'

/** The newest ones; the table has all. */
const MOST_BARS = 400

export function tasksPage(report: TasksReport): string {
  const { tasks, mainThread } = report
  const { from, to, bars } = barsOf(tasks)
  const sections: Section[] = [
    ...(bars.length > 0
      ? [{ kind: 'timeline', title: 'When each task ran', from, to, bars: bars.slice(-MOST_BARS) } as const]
      : []),
    {
      kind: 'table',
      title: 'The main thread',
      columns: ['', 'now', 'with finished tasks folded'],
      rows: [['tokens', mainThread.before, mainThread.after]],
    },
    {
      kind: 'table',
      title: 'Every task',
      columns: ['task', 'state', 'spawned', 'seconds', 'tokens', 'record', 'files', 'what it folds into'],
      rows: tasks.map((task) => [
        task.name,
        task.state,
        task.spawnedAt === null ? '' : minuteOf(Date.parse(task.spawnedAt)),
        task.durationMs === null ? '' : Math.round(task.durationMs / 1000),
        task.tokens.before,
        task.tokens.record ?? '',
        task.files.join(' '),
        task.record ?? '',
      ]),
      anchors: tasks.map((_, index) => `task-${index}`),
    },
  ]
  return page(`Spillway: ${report.file}, ${tasks.length} tasks`, sections, report)
}

/** By time where every task has one, else in order. */
function barsOf(tasks: readonly ReportedTask[]): { from: string; to: string; bars: Bar[] } {
  const spans = tasks.map(({ spawnedAt, completedAt, durationMs, state }, index) => {
    const start = spawnedAt === null ? undefined : Date.parse(spawnedAt)
    const told = completedAt === null ? undefined : Date.parse(completedAt)
    const end = told ?? (start === undefined || durationMs === null ? undefined : start + durationMs)
    return { index, runs: state === 'running', start, end: end ?? start }
  })
  const isTimed = spans.every(({ start }) => start !== undefined)
  const placed = isTimed ? spans : spans.map(({ index, runs }) => ({ index, runs, start: index, end: index + 1 }))
  const times = placed.flatMap(({ start, end }) => [start ?? 0, end ?? start ?? 0])
  // Not spread into a call: a session may hold more tasks than the stack holds arguments.
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const length = Math.max(1, times.reduce((most, time) => Math.max(most, time), first) - first)
  const bars = placed.map(({ index, runs, start, end }): Bar => {
    const { name, state } = tasks[index] ?? { name: '', state: 'running' }
    return {
      label: name,
      state,
      start: ((start ?? 0) - first) / length,
      ...(runs || end === undefined ? {} : { end: (end - first) / length }),
      link: `task-${index}`,
    }
  })
  const ends = isTimed
    ? { from: minuteOf(first), to: minuteOf(first + length) }
    : { from: 'first task', to: 'last task' }
  return { ...(tasks.length === 0 ? { from: '', to: '' } : ends), bars }
}

/** The last moment that a date can be. */
const LAST_TIME = 8.64e15

/** Universal time, without what nobody reads. */
function minuteOf(time: number): string {
  return new Date(Math.min(time, LAST_TIME)).toISOString().slice(0, 16).replace('T', ' ')
}
