import { describe, expect, it } from 'vitest'
import type { EventBody, RunEvent } from '../../agent/index.ts'
import { liveLines } from './live-lines.ts'
import { createRunView } from './run-view.ts'

function main(body: EventBody, context = 0): RunEvent {
  return { step: 's', at: 0, context, ...body }
}

function byWorker(body: EventBody): RunEvent {
  return { step: 's', at: 0, worker: { callId: 'c', role: '分析员' }, ...body }
}

const STARTED: EventBody = { type: 'task', state: 'started', taskId: 't', role: '分析员', description: 'Count files' }

describe('what is said', () => {
  it('is the prose of the main thread, never that of workers', () => {
    const view = createRunView()
    expect(view.take(main({ type: 'text', text: 'Three files.' }))).toEqual([{ kind: 'answer', text: 'Three files.' }])
    expect(view.take(byWorker({ type: 'text', text: 'I try.' }))).toEqual([])
    expect(view.take(byWorker({ type: 'tool_call', callId: 'x', tool: 'Bash', input: {} }))).toEqual([])
  })

  it('names delegated work at its start and at its end, with what it took', () => {
    const view = createRunView()
    expect(view.take(main(STARTED))[0]?.text).toContain('分析员: Count files')
    const done: EventBody = {
      type: 'task',
      state: 'completed',
      taskId: 't',
      calls: 12,
      tokens: 3400,
      milliseconds: 4200,
    }
    expect(view.take(main(done))[0]?.text).toContain('分析员: Count files (12 calls, 3,400 tokens, 4 s)')
  })

  it('cannot be forged by what a model or a file says', () => {
    const view = createRunView()
    const [answer] = view.take(main({ type: 'text', text: 'a\u001b[2Jb\u202e' }))
    expect(answer?.text).toBe('a\\u001b[2Jb\\u202e')
    const input = { command: 'echo \u001b]0;title\u0007\nrm' }
    const [call] = view.take(main({ type: 'tool_call', callId: 'c', tool: 'Bash', input }))
    expect(call?.text).not.toMatch(/\u001b\]|\u0007|\n/)
  })

  it('tells denials, errors, waits and epochs', () => {
    const view = createRunView()
    const told = [
      main({ type: 'denial', guard: 'g', tool: 'Bash', callId: 'c', reason: 'no glance' }),
      main({ type: 'error', class: 'transient', text: '529 Overloaded' }),
      main({ type: 'retry', waitsFor: 'backoff', attempt: 2, delayMs: 4000 }),
      main({ type: 'epoch', outcome: 'rewritten', tokensBefore: 9000, tokensAfter: 3000, edits: 4, explanation: [] }),
    ].flatMap((event) => view.take(event).map(({ text }) => text))
    expect(told).toEqual([
      '✗ Bash refused: no glance',
      '✗ transient: 529 Overloaded',
      '… try 2 in 4.0 s',
      '∗ history: 9,000 to 3,000 tokens',
    ])
  })
})

describe('what is shown while it runs', () => {
  it('is one line a worker and one for the whole', () => {
    const view = createRunView()
    view.take(main({ type: 'system', kind: 'init', text: '', model: 'claude-opus-5-5' }))
    view.take(main(STARTED))
    view.take(
      main({
        type: 'task',
        state: 'progress',
        taskId: 't',
        calls: 3,
        tokens: 900,
        lastTool: 'Bash',
        description: 'Running ls',
      }),
    )
    view.take(main({ type: 'thinking', text: 'hm' }, 50_000))
    const spill = {
      type: 'spill',
      ref: 'r',
      tool: 'Bash',
      callId: 'c',
      size: 300_000,
      unit: 'characters',
      path: '/p',
    } as const
    view.take(byWorker(spill))
    const [worker, whole] = view.live(200)
    expect(worker).toBe('  分析员: Count files · 3 calls, 900 tokens · Bash: Running ls')
    expect(whole).toContain('50,000 of 200,000 tokens (25.0 %)')
    expect(whole).toContain('1 spilled, 300,000 characters')
    // Never wider than the terminal: two columns for a character of the role's name.
    expect(view.live(30)[0]).toBe('  分析员: Count files · 3 cal…')
    expect(view.live(60)[1]?.length).toBe(60)
  })

  it('is drawn in place on a terminal, and not at all elsewhere', () => {
    const written: string[] = []
    const stream = { isTTY: true, write: (text: string) => written.push(text) > 0 }
    const lines = liveLines(stream)
    lines.redraw(['one', 'two'])
    lines.redraw(['one', 'two'])
    lines.redraw(['three'], () => stream.write('said\n'))
    lines.end()
    expect(written.join('')).toBe('one\ntwo\n\u001b[2A\u001b[0Jsaid\nthree\n\u001b[1A\u001b[0J')
    written.length = 0
    const plain = liveLines({ ...stream, isTTY: false })
    plain.redraw(['one'], () => stream.write('said\n'))
    plain.end()
    expect(written.join('')).toBe('said\n')
  })
})
