import { describe, expect, it } from 'vitest'
import { assistant, exchange, transcriptOf, user } from '../../test/support/transcripts.ts'
import type { JsonObject } from '../core/transcript.ts'
import { findIn } from './found.ts'

const done = (tool: string, input: JsonObject, answer = 'ok') =>
  exchange(`${tool}${JSON.stringify(input).length}`, answer, tool, input)

describe('what a run needs, found in its messages', () => {
  it('the task, and what the user said since', () => {
    const sketches = [
      user('task', 'and more'),
      assistant('yes'),
      user('rule'),
      ...done('Bash', {}),
      user({ result: 'x' }, 'late'),
    ]
    expect(findIn(transcriptOf(sketches))).toEqual({ task: 'task\nand more', rules: ['rule', 'late'] })
  })

  it.each([
    ['TodoWrite', { todos: [{ content: 'a', status: 'in_progress' }] }, 'in_progress'],
    ['write_todos', { todos: [{ content: 'a', status: 'pending' }] }, 'pending'],
    ['update_plan', { plan: [{ step: 'a', status: 'completed' }] }, 'completed'],
  ])('the list as %s last left it', (tool, input, status) => {
    const sketches = [
      user('task'),
      ...done(tool, { todos: [{ content: 'old', status: 'pending' }] }),
      ...done(tool, input),
    ]
    expect(findIn(transcriptOf(sketches)).todos).toEqual([{ text: 'a', status }])
  })

  it('the tasks of TaskCreate and TaskUpdate', () => {
    const sketches = [
      user('task'),
      ...done('TaskCreate', { subject: 'one' }, 'Task #7 created successfully: one'),
      ...done('TaskCreate', { subject: 'second one' }, 'Task #8 created successfully: second one'),
      ...done('TaskUpdate', { taskId: '7', status: 'completed' }),
      ...done('TaskUpdate', { taskId: '8', status: 'in_progress', subject: 'two' }),
      ...done('TaskCreate', { subject: 'a third one' }, 'Task #9 created successfully'),
      ...done('TaskUpdate', { taskId: '9', status: 'deleted' }),
      ...done('TaskUpdate', { taskId: '99', status: 'completed' }),
    ]
    expect(findIn(transcriptOf(sketches)).todos).toEqual([
      { text: 'one', status: 'completed' },
      { text: 'two', status: 'in_progress' },
    ])
  })

  it('the file of the last edit, and the plan apart from it', () => {
    const sketches = [
      user('task'),
      ...done('Edit', { file_path: 'a.ts' }),
      ...done('str_replace_based_edit_tool', { command: 'view', path: 'only-seen.ts' }),
      ...done('Write', { file_path: 'docs/PLAN.md', content: '1. look' }),
    ]
    expect(findIn(transcriptOf(sketches))).toMatchObject({ file: 'a.ts', plan: { path: 'docs/PLAN.md' } })
    const patch = '*** Begin Patch\n*** Update File: src/b.ts\n@@\n*** End Patch'
    expect(findIn(transcriptOf([...sketches, ...done('apply_patch', { input: patch })])).file).toBe('src/b.ts')
    expect(findIn(transcriptOf([...sketches, ...done('ExitPlanMode', { plan: 'do it' })])).plan).toEqual({
      text: 'do it',
    })
  })

  it('calls that failed, were refused or are open do not count', () => {
    const sketches = [
      user('task'),
      assistant({ call: 'a', tool: 'Edit', input: { file_path: 'a.ts' } }),
      user({ result: 'a', error: true }),
      assistant({ call: 'b', tool: 'Edit', input: { file_path: 'b.ts' } }),
      user({ result: 'b', denied: 'person' }),
      assistant({ call: 'c', tool: 'TodoWrite', input: { todos: [] } }),
    ]
    expect(findIn(transcriptOf(sketches))).toEqual({ task: 'task', rules: [] })
  })

  it('a list that is done with is empty, and odd inputs are none', () => {
    expect(findIn(transcriptOf([user('task'), ...done('TodoWrite', { todos: [] })])).todos).toEqual([])
    expect(findIn(transcriptOf([user('task'), ...done('TodoWrite', { todos: 'later' })])).todos).toBeUndefined()
    expect(findIn(transcriptOf([user('task'), ...done('TodoWrite', { todos: [3, null, {}] })])).todos).toEqual([])
  })
})
