import { describe, expect, it } from 'vitest'
import { createBoundary } from './boundary.ts'

/** What the hook answers behind a batch of calls of this thread. */
async function behindBatch(boundary: ReturnType<typeof createBoundary>, agentId?: string): Promise<unknown> {
  const [matcher] = boundary.hooks.PostToolBatch ?? []
  const [hook] = matcher?.hooks ?? []
  const input = { hook_event_name: 'PostToolBatch', ...(agentId === undefined ? {} : { agent_id: agentId }) }
  return hook?.(input as never, undefined, { signal: new AbortController().signal })
}

const STOP = { continue: false, stopReason: 'why' }

describe('the end of a turn at a boundary', () => {
  it('comes when the history is due, on the main thread only', async () => {
    let due = false
    const boundary = createBoundary(
      'why',
      async () => due,
      () => {},
    )
    expect(await behindBatch(boundary)).toEqual({})
    due = true
    expect(await behindBatch(boundary, 'worker')).toEqual({})
    expect(await behindBatch(boundary)).toEqual(STOP)
    expect(boundary.stop).toEqual({ kind: 'epoch' })
  })

  it('comes for a person before any epoch, with all that was said, and stops workers too', async () => {
    const boundary = createBoundary(
      'why',
      async () => true,
      () => {},
    )
    boundary.interrupt('one')
    boundary.interrupt('two')
    expect(await behindBatch(boundary, 'worker')).toEqual(STOP)
    expect([...boundary.stopped]).toEqual(['worker'])
    expect(await behindBatch(boundary)).toEqual(STOP)
    expect(boundary.stop).toEqual({ kind: 'interrupt', message: 'one\n\ntwo' })
    expect(boundary.takeMessage()).toBeUndefined()
  })

  it('keeps words for which no boundary came', () => {
    const boundary = createBoundary(
      'why',
      async () => false,
      () => {},
    )
    boundary.interrupt('late')
    expect([boundary.stop, boundary.takeMessage()]).toEqual([undefined, 'late'])
  })

  it('does not come because a plan failed, which is said', async () => {
    const problems: unknown[] = []
    const failing = () => Promise.reject(new Error('disk'))
    const boundary = createBoundary('why', failing, (problem) => problems.push(problem))
    expect(await behindBatch(boundary)).toEqual({})
    expect(String(problems)).toBe('Error: disk')
  })
})
