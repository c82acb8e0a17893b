import { describe, expect, it } from 'vitest'
import { taskMark } from './task-mark.ts'

describe('what Claude Code records about an agent', () => {
  it('in the foreground with its totals, in the background as launched', () => {
    expect(taskMark({ status: 'completed', agentId: 'a1', totalTokens: 7404, totalDurationMs: 117 })).toEqual({
      ids: ['a1'],
      status: 'completed',
      tokens: 7404,
      durationMs: 117,
    })
    expect(taskMark({ isAsync: true, status: 'async_launched', agentId: 'a2' })).toEqual({
      ids: ['a2'],
      status: 'launched',
    })
  })

  it('polled', () => {
    const polled = { retrieval_status: 'success', task: { task_id: 'a3', task_type: 'local_agent', status: 'running' } }
    expect(taskMark(polled)).toEqual({ ids: ['a3'], status: 'running' })
  })

  it('copies of other tools are none', () => {
    expect(taskMark({ stdout: 'x', interrupted: false })).toBeUndefined()
    expect(taskMark({ status: 'completed' })).toBeUndefined()
    expect(taskMark(undefined)).toBeUndefined()
  })
})
