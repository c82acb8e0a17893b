import { describe, expect, it } from 'vitest'
import type { ReportedTask, TasksReport } from '../sessions/tasks.ts'
import { tasksPage } from './tasks-page.ts'

const TASK: ReportedTask = {
  id: 'call',
  name: 'a',
  state: 'completed',
  spawnedAt: null,
  completedAt: null,
  durationMs: null,
  tokens: { before: 1, record: null },
  files: [],
  record: null,
}

function report(tasks: readonly ReportedTask[]): TasksReport {
  return { file: 's.jsonl', tasks, mainThread: { before: 1, after: 1 } }
}

describe('the page of tasks', () => {
  it('holds more tasks than a call takes arguments', () => {
    expect(tasksPage(report(Array.from({ length: 100_000 }, () => TASK)))).toContain('100000 tasks')
  })

  it('shows the last moment that a date can be', () => {
    const last = '+275760-09-13T00:00:00.000Z'
    expect(tasksPage(report([{ ...TASK, spawnedAt: last, completedAt: last }]))).toContain('+275760-09-13')
  })

  it('holds names and records as text', () => {
    const name = `</script><img src=x onerror=alert(1)>'"`
    const page = tasksPage(report([{ ...TASK, name, record: name, files: [name] }]))
    expect(page).not.toContain('<img')
    expect(page.match(/<\/script>/g)).toHaveLength(page.match(/<script/g)?.length ?? 0)
  })
})
