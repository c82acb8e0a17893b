import { describe, expect, it } from 'vitest'
import {
  answered,
  call,
  fileOf,
  other,
  outline,
  readClaude,
  result,
  said,
  text,
  thinking,
} from '../../../test/support/claude-lines.ts'
import type { ResultBlock } from '../../core/transcript.ts'
import { claudeCode } from './index.ts'

const task = said('u1', null, 'do it')

describe('the active branch', () => {
  it('follows parents from the last entry and leaves abandoned branches out', () => {
    const file = fileOf([
      task,
      answered('a1', 'u1', [text('left')]),
      said('u2', 'u1', 'again'),
      answered('a2', 'u2', [text('kept')]),
    ])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'user: again', 'assistant: kept'])
  })

  it('passes parents that are not messages', () => {
    const file = fileOf([
      task,
      other('p1', 'u1', 'progress', { data: { type: 'hook_progress' } }),
      other('s1', 'p1', 'system', { subtype: 'turn_duration' }),
      answered('a1', 's1', [text('yes')]),
      other('p2', 'a1', 'progress', { data: {} }),
    ])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'assistant: yes'])
  })

  it('takes the entry before it for a parent that names nothing', () => {
    const file = fileOf([task, answered('a1', 'gone', [text('x')]), said('u2', 'a1', 'y')])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'assistant: x', 'user: y'])
  })

  it('breaks a cycle where the file begins it', () => {
    const file = fileOf([task, said('u2', 'u3', 'two'), said('u3', 'u2', 'three')])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'user: two', 'user: three'])
    expect(outline(readClaude(fileOf([said('u1', 'u1', 'self')])))).toEqual(['user: self'])
  })

  it('takes the first of two entries with one uuid', () => {
    const file = fileOf([task, answered('a1', 'u1', [text('x')]), task])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'assistant: x'])
  })

  it('keeps entries without uuid in file order', () => {
    const file = fileOf([
      task,
      answered(undefined, 'u1', [call('t')]),
      said('u2', 'u1', [result('t', 'done')]),
      answered('z', 'u2', [text('ok')]),
      said(undefined, 'z', 'last'),
    ])
    expect(outline(readClaude(file))).toEqual([
      'user: do it',
      'assistant: call t',
      'user: result t',
      'assistant: ok',
      'user: last',
    ])
  })

  it('reads a file without any uuid in file order', () => {
    const file = fileOf([said(undefined, null, 'one'), answered(undefined, null, [text('two')])])
    expect(outline(readClaude(file))).toEqual(['user: one', 'assistant: two'])
  })
})

describe('messages', () => {
  it('are all lines of one message id, with the results of parallel calls behind, wherever they hang', () => {
    const file = fileOf([
      task,
      answered('a1', 'u1', [thinking('hm')], 'm1'),
      answered('a2', 'a1', [call('t1')], 'm1'),
      answered('a3', 'a2', [call('t2')], 'm1'),
      said('r1', 'a2', [result('t1', 'one')]),
      other('p', 'a3', 'progress', { data: {} }),
      said('r2', 'p', [result('t2', 'two')]),
      answered('z', 'r1', [text('both')], 'm2'),
    ])
    const session = readClaude(file)
    expect(outline(session)).toEqual([
      'user: do it',
      'assistant: thinking hm + call t1 + call t2',
      'user: result t1',
      'user: result t2',
      'assistant: both',
    ])
    expect(session.main.messages[1]?.entries).toEqual([1, 2, 3])
    expect(session.main.messages[1]?.blocks.map((block) => block.at)).toEqual([
      { thread: 'main', entry: 1, block: 0 },
      { thread: 'main', entry: 2, block: 0 },
      { thread: 'main', entry: 3, block: 0 },
    ])
  })

  it('do not take a second result of an answered call from another branch', () => {
    const file = fileOf([
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      said('r1', 'a1', [result('t', 'old')]),
      said('r2', 'a1', [result('t', 'new')]),
    ])
    expect(outline(readClaude(file))).toEqual(['user: do it', 'assistant: call t', 'user: result t'])
  })

  it('pair a repeated call id with the newest call before the result', () => {
    const file = fileOf([
      task,
      answered('a1', 'u1', [call('t'), call('x')], 'm1'),
      said('r1', 'a1', [result('t', 'first')]),
      answered('a2', 'r1', [call('t')], 'm2'),
      said('r2', 'a2', [result('t', 'second')]),
      said('n', 'a2', 'go on'),
    ])
    expect(outline(readClaude(file)).slice(3)).toEqual(['assistant: call t', 'user: result t', 'user: go on'])
  })

  it('have kinds', () => {
    const kinds = (entries: Record<string, unknown>[]): unknown[] =>
      readClaude(fileOf(entries)).main.messages.map(({ role, kind }) => [role, kind])
    expect(
      kinds([
        said('k1', null, 'summary', { isCompactSummary: true }),
        said('k2', 'k1', [text('[Request interrupted by user]')]),
        said('k3', 'k2', '<task-notification>\n<task-id>a</task-id>'),
        said('k4', 'k3', 'caveat', { isMeta: true }),
        other('k5', 'k4', 'attachment', { attachment: {}, rendered: [{ content: 'r' }], renderedRole: 'system' }),
        other('k6', 'k5', 'attachment', { attachment: { type: 'prompt_snapshot' } }),
        other('k7', 'k6', 'system', { subtype: 'local_command', content: '<command-name>/x</command-name>' }),
        answered('k8', 'k7', [text('API Error')], 'e', { isApiErrorMessage: true }),
        other('k9', 'k8', 'assistant', { message: { model: '<synthetic>', content: [text('API Error')] } }),
        other('k10', 'k9', 'assistant', {
          isApiErrorMessage: false,
          message: { model: '<synthetic>', content: [text('No response requested.')] },
        }),
      ]),
    ).toEqual([
      ['user', 'compaction-summary'],
      ['user', 'interrupt'],
      ['user', 'task-event'],
      ['user', 'meta'],
      ['system', 'reminder'],
      ['user', 'meta'],
      ['assistant', 'api-error'],
      ['assistant', 'api-error'],
      ['assistant', undefined],
    ])
  })
})

describe('compactions', () => {
  const boundary = other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'r1' })
  const summary = said('s', 'b', 'so far', { isCompactSummary: true })
  const before = [task, answered('a1', 'u1', [call('t')], 'm1'), said('r1', 'a1', [result('t', 'x')])]

  it('start the view anew', () => {
    const file = fileOf([...before, boundary, summary, answered('z', 's', [text('on')])])
    expect(outline(readClaude(file))).toEqual(['user: so far', 'assistant: on'])
    expect(readClaude(file).facts.compactions).toBe(1)
  })

  it('start the view even where the boundary has a parent', () => {
    const file = fileOf([...before, { ...boundary, parentUuid: 'r1' }, summary])
    expect(outline(readClaude(file))).toEqual(['user: so far'])
  })

  it('re-attach what they preserved behind the summary', () => {
    const compactMetadata = { preservedMessages: { anchorUuid: 's', uuids: ['a1', 'r1'], allUuids: ['a1', 'r1'] } }
    const file = fileOf([...before, { ...boundary, compactMetadata }, summary, answered('z', 's', [text('on')])])
    expect(outline(readClaude(file))).toEqual(['user: so far', 'assistant: call t', 'user: result t', 'assistant: on'])
  })

  it('are passed by the history, without summaries', () => {
    const file = fileOf([...before, boundary, summary, answered('z', 's', [text('on')])])
    const history = ['user: do it', 'assistant: call t', 'user: result t', 'assistant: on']
    expect(outline(readClaude(file, { reading: 'history' }))).toEqual(history)
    const foreign = fileOf([
      ...before,
      { ...boundary, logicalParentUuid: 'gone' },
      summary,
      answered('z', 's', [text('on')]),
    ])
    expect(outline(readClaude(foreign, { reading: 'history' }))).toEqual(history)
  })
})

describe('other threads', () => {
  it('are sidechains and inline subagents, apart from the main thread', () => {
    const file = fileOf([
      task,
      said('x1', null, 'sub task', { isSidechain: true, agentId: 'one' }),
      answered('x2', 'x1', [text('sub')], 'mx', { isSidechain: true, agentId: 'one' }),
      said('y1', null, 'warm up', { isSidechain: true }),
      answered('y2', 'y1', [text('ready')], 'my', { isSidechain: true }),
      answered('a1', 'u1', [call('t', 'Task')], 'm1'),
      other('p1', 'a1', 'progress', {
        data: {
          type: 'agent_progress',
          agentId: 'two',
          message: { type: 'assistant', message: { id: 'mi', role: 'assistant', content: [call('i1')] } },
        },
      }),
      said('r1', 'a1', [result('t', 'report')]),
    ])
    const session = readClaude(file)
    expect(outline(session)).toEqual(['user: do it', 'assistant: call t', 'user: result t'])
    const threads = session.others.map(({ thread, messages }) => [thread, messages.length])
    expect(threads).toEqual([
      ['one', 2],
      ['y1', 2],
      ['two', 1],
    ])
    expect(session.main.links).toHaveLength(8)
  })

  it('are none where all entries are sidechain: the file is its own main', () => {
    const side = { isSidechain: true, agentId: 'one' }
    const file = fileOf([said('x1', null, 'sub task', side), answered('x2', 'x1', [text('sub')], 'mx', side)])
    const session = readClaude(file)
    expect(outline(session)).toEqual(['user: sub task', 'assistant: sub'])
    expect(session.others).toEqual([])
    expect(session.main.messages[0]?.blocks[0]?.at.thread).toBe('main')
    expect(session.facts.id).toBe('s1')
  })
})

describe('blocks', () => {
  const blockOf = (content: unknown, rest = {}): ResultBlock => {
    const file = fileOf([task, answered('a', 'u1', [call('t')], 'm'), said('r', 'a', [content], rest)])
    return readClaude(file).main.messages[2]?.blocks[0] as ResultBlock
  }

  it('keep how a result was spelled', () => {
    expect(blockOf(result('t', 'x'))).toMatchObject({ shape: 'string', parts: [{ type: 'text', text: 'x' }] })
    expect(blockOf(result('t', [text('x')]))).toMatchObject({ shape: 'array', chars: 1 })
    expect(blockOf({ type: 'tool_result', tool_use_id: 't' })).toMatchObject({ shape: 'absent', parts: [], chars: 0 })
    expect(blockOf(result('t', 'x')).raw).toBeUndefined()
  })

  it('keep the raw body of more than one text', () => {
    const data = Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e008', 'hex').toString('base64')
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const block = blockOf(result('t', [image, { type: 'tool_reference', tool_name: 'X' }]))
    expect(block.parts).toMatchObject([
      { type: 'image', width: 640, height: 480, mediaType: 'image/png' },
      { type: 'opaque', name: 'tool_reference' },
    ])
    expect(block.raw).toBe(JSON.stringify([image, { type: 'tool_reference', tool_name: 'X' }]))
  })

  it('know pointers and made-up answers', () => {
    const pointer = '[spillway aaaaaaaaaaaa: Bash ls, 5,000 characters. Back: spillway recall aaaaaaaaaaaa]'
    expect(blockOf(result('t', pointer))).toMatchObject({ spilled: true, invented: false })
    expect(blockOf(result('t', '<persisted-output>\nOutput too large'))).toMatchObject({ spilled: true })
    const harness =
      "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"
    expect(blockOf(result('t', harness))).toMatchObject({ invented: true })
    expect(blockOf(result('t', 'ok'))).toMatchObject({ spilled: false, invented: false })
  })

  it('hold a denial only where the result failed', () => {
    const rest = { toolDenialKind: 'permission-rule' }
    expect(blockOf(result('t', 'no', { is_error: true }), rest).denied).toBe('machine')
    expect(blockOf(result('t', 'yes'), rest).denied).toBeUndefined()
  })

  it('are carried verbatim where they are unknown', () => {
    const file = fileOf([
      task,
      answered(
        'a',
        'u1',
        [
          { type: 'server_tool_use', id: 's' },
          { type: 'redacted_thinking', data: 'd' },
        ],
        'm',
      ),
    ])
    expect(readClaude(file).main.messages[1]?.blocks).toMatchObject([
      { type: 'opaque', name: 'server_tool_use' },
      { type: 'thinking', redacted: true, signed: true },
    ])
  })
})

describe('facts', () => {
  const usage = (input: number): Record<string, number> => ({
    input_tokens: input,
    cache_read_input_tokens: 2,
    cache_creation_input_tokens: 3,
    output_tokens: 4,
  })
  const spoke = (key: string, parent: string, id: string, input: number): Record<string, unknown> =>
    other(key, parent, 'assistant', {
      message: { id, role: 'assistant', model: 'claude-opus-5-5', content: [text(key)], usage: usage(input) },
    })

  it('count each request once, the last line of it, by segment', () => {
    const file = fileOf([
      { ...task, cwd: '/w' },
      spoke('a1', 'u1', 'm1', 1),
      spoke('a2', 'a1', 'm1', 9),
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'a2' }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
      spoke('a3', 's', 'm2', 5),
      { type: 'custom-title', customTitle: 'A title', sessionId: 's1' },
    ])
    const { facts, main } = readClaude(file)
    expect(facts.requests).toMatchObject([
      { entry: 1, segment: 0, usage: { input: 9, cacheRead: 2, cacheWrite: 3, output: 4 } },
      { entry: 5, segment: 1, usage: { input: 5 } },
    ])
    expect(facts).toMatchObject({ id: 's1', cwd: '/w', title: 'A title', compactions: 1, entries: 7, lines: 7 })
    expect(main.model).toBe('claude-opus-5-5')
  })

  it('count errors and interrupts', () => {
    const file = fileOf([
      task,
      other('e', 'u1', 'system', { subtype: 'api_error' }),
      answered('a', 'e', [text('API Error')], 'x', { isApiErrorMessage: true }),
      said('i', 'a', [text('[Request interrupted by user for tool use]')]),
    ])
    expect(readClaude(file).facts).toMatchObject({ apiErrors: 2, interrupts: 1, requests: [] })
  })
})

describe('bad lines', () => {
  it('are reported with their line, and never stop the rest', () => {
    const bytes = Buffer.concat([
      fileOf([
        task,
        '{"cut":',
        JSON.stringify(answered('a1', 'u1', [text('x')])) + JSON.stringify(said('u2', 'a1', 'y')),
      ]),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    ])
    const session = readClaude(bytes)
    expect(outline(session)).toEqual(['user: do it', 'assistant: x', 'user: y'])
    expect(session.facts.badLines.map(({ line }) => line)).toEqual([2, 3, 4])
    expect(session.facts.lines).toBe(4)
  })
})

describe('sizesOnly', () => {
  it('measures the same and keeps no long text', () => {
    const long = 'word '.repeat(2000)
    const file = fileOf([
      task,
      answered('a1', 'u1', [thinking(long), text(long), call('t', 'Write', { file_path: '/a', content: long })], 'm'),
      said('r', 'a1', [result('t', [text(long), text(long)])]),
    ])
    const full = readClaude(file).main.messages.flatMap(({ blocks }) => blocks)
    const lean = readClaude(file, { sizesOnly: true }).main
    expect(lean.sizesOnly).toBe(true)
    const measured = lean.messages.flatMap(({ blocks }) => blocks)
    expect(measured.map(({ chars, tokens }) => [chars, tokens])).toEqual(
      full.map(({ chars, tokens }) => [chars, tokens]),
    )
    expect(JSON.stringify(measured).length).toBeLessThan(2000)
  })
})

describe('detect', () => {
  it('knows Claude Code entries and no others', () => {
    expect(claudeCode.detect([{ type: 'queue-operation', sessionId: 's' }])).toBe(true)
    expect(claudeCode.detect([{ type: 'summary', summary: 'x', leafUuid: 'y' }])).toBe(true)
    expect(claudeCode.detect([task])).toBe(true)
    expect(claudeCode.detect([{ type: 'user', message: { role: 'user', content: 'x' } }])).toBe(true)
    expect(
      claudeCode.detect([
        { type: 'session', id: 's', version: 3 },
        { type: 'message', message: {} },
      ]),
    ).toBe(false)
    expect(claudeCode.detect([{ timestamp: '', type: 'session_meta', payload: {} }])).toBe(false)
    expect(claudeCode.detect([null, 1, {}])).toBe(false)
  })
})
