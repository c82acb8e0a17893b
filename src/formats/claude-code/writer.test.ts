import { describe, expect, it } from 'vitest'
import {
  answered,
  type ClaudeEntry,
  call,
  edit,
  entriesIn,
  fileOf,
  linksIn,
  other,
  outline,
  readClaude,
  result,
  said,
  text,
  thinking,
  writeClaude,
} from '../../../test/support/claude-lines.ts'
import { undone } from '../../../test/support/session-bytes.ts'
import type { Edit } from '../../core/edits.ts'
import { check } from '../../core/legality/index.ts'
import type { ResultBlock } from '../../core/transcript.ts'
import { claudeCode } from './index.ts'

/** Writes, and holds what always holds: the splices bring the input back. */
function write(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const { output, splices } = writeClaude(bytes, edits)
  expect(undone(output, splices).equals(bytes)).toBe(true)
  return output
}

const task = said('u1', null, 'do it')
const asked = answered(
  'a1',
  'u1',
  [text('look'), call('t1'), call('t2', 'Write', { path: '/a', content: 'old' })],
  'm1',
)
const replied = said('r1', 'a1', [result('t1', 'one'), result('t2', 'two')])
const long = 'x'.repeat(500)

describe('lines without edits', () => {
  it.each([
    ['line feeds', fileOf([task, asked, replied])],
    ['CRLF', fileOf([task, asked], '\r\n')],
    ['a BOM', Buffer.concat([Buffer.from('\ufeff'), fileOf([task])])],
    ['no newline at the end', fileOf([task, asked]).subarray(0, -1)],
    ['bad lines', Buffer.concat([fileOf([task, '{"cut', '{}{}', '']), Buffer.from([0xff, 0x00, 0x0a])])],
    ['nothing', Buffer.alloc(0)],
  ])('pass as they are: %s', (_, bytes) => {
    expect(write(bytes, []).equals(bytes)).toBe(true)
  })
})

describe('spliced lines', () => {
  const odd =
    '{"parentUuid":"a1","n":1.0,"big":12345678901234567890,"a":1,"a":2,"7":"\\/ \\u00e9","uuid":"r1","type":"user",' +
    '"message": { "role":"user", "content" : [ {"tool_use_id":"t1","type":"tool_result","content":"one \\ud83d\\ude42 \\/"} ] } }'

  it('change nothing but the edited place', () => {
    const bytes = fileOf([task, answered('a1', 'u1', [call('t1')], 'm1'), odd])
    const output = write(bytes, [edit({ entry: 2, block: 0 }, { kind: 'replace-result', text: 'short "é"\n' })])
    expect(output.toString()).toBe(bytes.toString().replace('"one \\ud83d\\ude42 \\/"', '"short \\"é\\"\\n"'))
  })

  it('keep CRLF and a missing last newline', () => {
    const bytes = Buffer.from(
      fileOf([task, answered('a1', 'u1', [text('é')], 'm1')], '\r\n')
        .toString()
        .trimEnd(),
    )
    const output = write(bytes, [edit({ entry: 0, block: 0 }, { kind: 'replace-text', text: 'ß' })])
    expect(output.toString()).toBe(bytes.toString().replace('do it', 'ß'))
  })
})

describe('replace-result', () => {
  const one = (content: unknown, rest: ClaudeEntry, fields: ClaudeEntry): ClaudeEntry => {
    const bytes = fileOf([
      task,
      answered('a', 'u1', [call('t')], 'm'),
      said('r', 'a', [result('t', content, rest)], fields),
    ])
    return (
      entriesIn(
        write(bytes, [edit({ entry: 2, block: 0 }, { kind: 'replace-result', text: 'N', isError: false })]),
      )[2] ?? {}
    )
  }
  const block = (entry: ClaudeEntry): unknown => (entry.message as { content: unknown[] }).content[0]

  it('keeps the shape of the body', () => {
    expect(block(one('body', {}, {}))).toEqual(result('t', 'N'))
    expect(block(one([text('a'), text('b')], {}, {}))).toEqual(result('t', [text('N')]))
    expect(block(one(undefined, {}, {}))).toEqual({ type: 'tool_result', tool_use_id: 't', content: 'N' })
  })

  it('changes the error flag when asked', () => {
    expect(block(one('body', { is_error: true }, {}))).toEqual(result('t', 'N', { is_error: false }))
    const bytes = fileOf([task, answered('a', 'u1', [call('t')], 'm'), said('r', 'a', [result('t', 'x')])])
    const failed = write(bytes, [edit({ entry: 2, block: 0 }, { kind: 'replace-result', text: 'N', isError: true })])
    expect(readClaude(failed).main.messages[2]?.blocks[0]).toMatchObject({ isError: true })
  })

  it('replaces long strings of the copy, anywhere in it, and keeps its keys, numbers and short strings', () => {
    const toolUseResult = { file: { content: long, path: '/a', lines: [long, 'short', 5] }, big: 1, [long]: 'key' }
    const entry = one(long, {}, { toolUseResult })
    expect(entry.toolUseResult).toEqual({
      file: { content: 'N', path: '/a', lines: ['N', 'short', 5] },
      big: 1,
      [long]: 'key',
    })
    expect(one(long, {}, { toolUseResult: `Error: ${long}` }).toolUseResult).toBe('N')
    const escaped = '\u0001'.repeat(100)
    expect(one(long, {}, { toolUseResult: { escaped } }).toolUseResult).toEqual({ escaped })
  })

  it('leaves a copy alone that may belong to another result of the entry', () => {
    const bytes = fileOf([task, asked, { ...replied, toolUseResult: long }])
    const first = edit({ entry: 2, block: 0 }, { kind: 'replace-result', text: 'N' })
    expect(entriesIn(write(bytes, [first]))[2]?.toolUseResult).toBe(long)
    const second = edit({ entry: 2, block: 1 }, { kind: 'replace-result', text: 'N' })
    expect(entriesIn(write(bytes, [first, second]))[2]?.toolUseResult).toBe('N')
  })
})

describe('other replacements', () => {
  it('replace arguments at their paths', () => {
    const input = { path: '/a', edits: [{ old: long, count: 1.5 }] }
    const bytes = fileOf([task, answered('a', 'u1', [call('t', 'Edit', input)], 'm')])
    const values = [{ path: ['edits', 0, 'old'], text: 'N' }]
    const output = write(bytes, [edit({ entry: 1, block: 0 }, { kind: 'replace-arguments', values })])
    expect(output.toString()).toBe(bytes.toString().replace(long, 'N'))
  })

  it('replace an image block, and an image inside a result with its copy', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: long } }
    const bytes = fileOf([
      said('u1', null, [text('see'), image]),
      answered('a', 'u1', [call('t')], 'm'),
      said('r', 'a', [result('t', [image, text('words')])], { toolUseResult: { file: { base64: long } } }),
    ])
    const output = entriesIn(
      write(bytes, [
        edit({ entry: 0, block: 1 }, { kind: 'replace-media', text: 'N' }),
        edit({ entry: 2, block: 0 }, { kind: 'replace-media', text: 'P', part: 0 }),
      ]),
    )
    expect(output[0]?.message).toEqual({ role: 'user', content: [text('see'), text('N')] })
    expect(output[2]?.message).toEqual({ role: 'user', content: [result('t', [text('P'), text('words')])] })
    expect(output[2]?.toolUseResult).toEqual({ file: { base64: 'P' } })
  })

  it('put results first, together with other edits of the entry', () => {
    const bytes = fileOf([
      task,
      answered('a', 'u1', [call('t')], 'm'),
      said('r', 'a', [text('first'), result('t', 'x'), text('last')]),
    ])
    const output = write(bytes, [
      edit({ entry: 2 }, { kind: 'reorder', order: [1, 0, 2] }),
      edit({ entry: 2, block: 1 }, { kind: 'replace-result', text: 'N' }),
      edit({ entry: 2, block: 2 }, { kind: 'drop-block' }),
    ])
    expect(entriesIn(output)[2]?.message).toEqual({ role: 'user', content: [result('t', 'N'), text('first')] })
  })

  it('turn an orphan result into text', () => {
    const bytes = fileOf([said('r', null, [result('gone', [text('words'), text('more')])])])
    const output = write(bytes, [edit({ entry: 0, block: 0 }, { kind: 'result-to-text' })])
    expect(entriesIn(output)[0]?.message).toEqual({ role: 'user', content: [text('words\nmore')] })
  })

  it('set a field, also one that is not there yet', () => {
    const bytes = fileOf([{ ...task, compactMetadata: { kept: { keys: ['a', 'b'] } } }])
    const output = write(bytes, [
      edit({ entry: 0 }, { kind: 'set-field', field: 'compactMetadata.kept.keys', value: ['a'] }),
      edit({ entry: 0 }, { kind: 'set-field', field: 'fresh', value: null }),
    ])
    expect(entriesIn(output)[0]).toEqual({ ...task, compactMetadata: { kept: { keys: ['a'] } }, fresh: null })
  })
})

describe('strip-thinking', () => {
  it('empties the entry and keeps its line', () => {
    const bytes = fileOf([task, answered('a1', 'u1', [thinking('hm')], 'm'), answered('a2', 'a1', [text('x')], 'm')])
    const output = write(bytes, [edit({ entry: 1 }, { kind: 'strip-thinking' })])
    expect(entriesIn(output)[1]?.message).toMatchObject({ content: [] })
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', 'a2<a1'])
  })

  it('keeps what else the entry holds', () => {
    const bytes = fileOf([task, answered('a1', 'u1', [thinking('hm'), text('x'), thinking('more')], 'm')])
    const output = write(bytes, [edit({ entry: 1 }, { kind: 'strip-thinking' })])
    expect(entriesIn(output)[1]?.message).toMatchObject({ content: [text('x')] })
  })
})

describe('drop-exchange', () => {
  const drop = (entry: number, block: number, resultAt: { entry: number; block: number }): Edit =>
    edit({ entry, block }, { kind: 'drop-exchange', result: { thread: 'main', ...resultAt } })

  it('takes the call and its result, and the copy of a result whose entry stays', () => {
    const bytes = fileOf([task, asked, { ...replied, toolUseResult: { stdout: 'two' } }])
    const output = entriesIn(write(bytes, [drop(1, 2, { entry: 2, block: 1 })]))
    expect(output[1]?.message).toMatchObject({ content: [text('look'), call('t1')] })
    expect(output[2]?.message).toMatchObject({ content: [result('t1', 'one')] })
    expect(output[2]).not.toHaveProperty('toolUseResult')
  })

  it('takes entries that are empty now, and leads their references to the nearest living ancestor', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [call('t1')], 'm1'),
      answered('a2', 'a1', [call('t2')], 'm1'),
      said('r1', 'a1', [result('t1', 'one')]),
      said('r2', 'a2', [result('t2', 'two')], { sourceToolAssistantUUID: 'a2' }),
      other('p', 'r2', 'progress', { data: {} }),
      { type: 'last-prompt', leafUuid: 'r2' },
      answered('z', 'p', [text('ok')], 'm2'),
    ])
    const output = write(bytes, [drop(2, 0, { entry: 4, block: 0 })])
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', 'r1<a1', 'p<a1', 'z<p'])
    expect(entriesIn(output).find((entry) => entry.type === 'last-prompt')?.leafUuid).toBe('a1')
    expect(outline(readClaude(output))).toEqual([
      'user: do it',
      'assistant: call t1',
      'user: result t1',
      'assistant: ok',
    ])
  })

  it('takes the whole message when nothing but thinking is left of it', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [thinking('hm')], 'm1'),
      answered('a2', 'a1', [call('t')], 'm1'),
      said('r', 'a2', [result('t', 'no')]),
      answered('z', 'r', [text('ok')], 'm2'),
    ])
    const output = write(bytes, [drop(2, 0, { entry: 3, block: 0 })])
    expect(linksIn(output)).toEqual(['u1<', 'z<u1'])
  })

  it('takes attachments about the call, whatever their line, and those alone', () => {
    const about = (key: string, parent: string, toolUseID: string): ClaudeEntry =>
      other(key, parent, 'attachment', {
        attachment: { type: 'hook_blocking_error', toolUseID },
        rendered: [{ content: 'no' }],
      })
    const bytes = fileOf([
      task,
      answered('a0', 'u1', [call('t')], 'm0'),
      said('r0', 'a0', [result('t', 'yes')]),
      about('h0', 'r0', 't'),
      answered('a1', 'h0', [call('t')], 'm1'),
      said('r1', 'a1', [result('t', 'no')]),
      about('h1', 'r1', 't'),
      about('h2', 'h1', 'other'),
      answered('z', 'h2', [text('ok')], 'm2'),
    ])
    const output = write(bytes, [drop(4, 0, { entry: 5, block: 0 })])
    expect(linksIn(output)).toEqual(['u1<', 'a0<u1', 'r0<a0', 'h0<r0', 'h2<h0', 'z<h2'])
  })

  it('keeps siblings reachable whose way led over the dropped call', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [call('t1')], 'm1'),
      answered('a2', 'a1', [call('t2')], 'm1'),
      said('r2', 'a2', [result('t2', 'two')]),
      said('r1', 'a1', [result('t1', 'one')]),
      answered('z', 'r1', [text('ok')], 'm2'),
    ])
    const output = write(bytes, [drop(1, 0, { entry: 4, block: 0 })])
    expect(outline(readClaude(output))).toEqual([
      'user: do it',
      'assistant: call t2',
      'user: result t2',
      'assistant: ok',
    ])
  })

  it('works by place where entries have no uuid', () => {
    const bytes = fileOf([
      task,
      answered(undefined, 'u1', [call('t')]),
      said('r', 'u1', [result('t', 'no')]),
      answered('z', 'r', [text('ok')]),
    ])
    expect(outline(readClaude(write(bytes, [drop(1, 0, { entry: 2, block: 0 })])))).toEqual([
      'user: do it',
      'assistant: ok',
    ])
  })
})

describe('drop-message', () => {
  it('leads leaf, boundary and preserved lists past the entry', () => {
    const compactMetadata = {
      preservedMessages: { anchorUuid: 's', uuids: ['a1', 'e', 'u2'], allUuids: ['a1', 'never-written', 'e', 'u2'] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: 'u2' },
    }
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [text('x')], 'm1'),
      answered('e', 'a1', [text('API Error')], 'x', { isApiErrorMessage: true }),
      said('u2', 'e', 'again'),
      { type: 'summary', summary: 'S', leafUuid: 'u2' },
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'u2', compactMetadata }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
    ])
    const gone = [2, 3].map((entry) => edit({ entry }, { kind: 'drop-message', entries: [entry] }))
    const output = entriesIn(write(bytes, gone))
    expect(output.find((entry) => entry.type === 'summary')?.leafUuid).toBe('a1')
    expect(output.find((entry) => entry.type === 'system')).toMatchObject({
      logicalParentUuid: 'a1',
      compactMetadata: {
        preservedMessages: { uuids: ['a1'], allUuids: ['a1', 'never-written'] },
        preservedSegment: { headUuid: 'a1', tailUuid: 'a1' },
      },
    })
  })

  it('makes a child of a dropped root a root, also out of a cycle', () => {
    const first = edit({ entry: 0 }, { kind: 'drop-message', entries: [0] })
    expect(linksIn(write(fileOf([task, said('u2', 'u1', 'two')]), [first]))).toEqual(['u2<'])
    const cycle = fileOf([said('a', 'b', 'a'), said('b', 'a', 'b'), said('c', 'b', 'c')])
    const both = edit({ entry: 0 }, { kind: 'drop-message', entries: [0, 1] })
    expect(linksIn(write(cycle, [both]))).toEqual(['c<'])
  })

  it('leads a repaired link past what leaves in the same epoch', () => {
    const bytes = fileOf([task, said('e', 'u1', 'leaves'), said('b', 'lost', 'branch'), said('c', 'u1', 'goes on')])
    const relink = edit({ entry: 2 }, { kind: 'relink', parent: 'e' })
    const drop = edit({ entry: 1 }, { kind: 'drop-message', entries: [1] })
    expect(linksIn(write(bytes, [relink]))).toEqual(['u1<', 'e<u1', 'b<e', 'c<u1'])
    expect(linksIn(write(bytes, [relink, drop]))).toEqual(['u1<', 'b<u1', 'c<u1'])
  })

  it('keeps the link of the leaf where an abandoned branch would take over', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [text('kept')], 'm1'),
      said('x', 'a1', 'abandoned'),
      said('e', 'a1', '  '),
      { type: 'last-prompt', leafUuid: 'e' },
    ])
    const output = write(bytes, [edit({ entry: 3 }, { kind: 'drop-message', entries: [3] })])
    expect(outline(readClaude(output))).toEqual(['user: do it', 'assistant: kept'])
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', 'x<a1', 'e<a1'])
    expect(entriesIn(output)[3]).not.toHaveProperty('message')
  })
})

describe('answer-call', () => {
  const file = fileOf([
    { ...task, cwd: '/w', version: '2.1.332' },
    answered('a1', 'u1', [call('t1')], 'm1', { cwd: '/w', version: '2.1.332', timestamp: '2026-01-01T00:00:00Z' }),
    answered('a2', 'a1', [call('t2')], 'm1'),
    said('r2', 'a2', [result('t2', 'two')]),
    other('p', 'a1', 'progress', { data: {} }),
    said('n', 'r2', 'go on'),
  ])
  const answer = (entry: number, callId: string): Edit =>
    edit({ entry, block: 0 }, { kind: 'answer-call', callId, text: '[none]', isError: false })

  it('adds an entry behind the call and leads the branch over it', () => {
    const output = write(file, [answer(1, 't1')])
    const added = entriesIn(output)[2] ?? {}
    expect(added).toMatchObject({
      parentUuid: 'a1',
      sessionId: 's1',
      cwd: '/w',
      version: '2.1.332',
      timestamp: '2026-01-01T00:00:00Z',
      isSidechain: false,
      type: 'user',
      sourceToolAssistantUUID: 'a1',
      message: { role: 'user', content: [result('t1', '[none]', { is_error: false })] },
    })
    expect(added.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', `${added.uuid}<a1`, `a2<${added.uuid}`, 'r2<a2', 'p<a1', 'n<r2'])
    const again = readClaude(output)
    expect(check(again.main, { at: 'request' })).toEqual([])
    const results = again.main.messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'result'))
    expect(results.map((block) => (block as ResultBlock).invented)).toEqual([true, false])
  })

  it('derives the same identity each time, so that what was resumed on it stays whole', () => {
    const open = fileOf([task, answered('a1', 'u1', [call('t')], 'm1')])
    const first = write(open, [answer(1, 't')])
    expect(write(open, [answer(1, 't')]).equals(first)).toBe(true)
    const leaf = String(entriesIn(first)[2]?.uuid)
    const resumed = Buffer.concat([first, fileOf([said('n', leaf, 'go on'), answered('z', 'n', [text('ok')], 'm2')])])
    expect(outline(readClaude(resumed))).toEqual([
      'user: do it',
      'assistant: call t',
      'user: result t',
      'user: go on',
      'assistant: ok',
    ])
  })

  it('answers several calls of one entry in order', () => {
    const open = fileOf([task, answered('a1', 'u1', [call('t1'), call('t2')], 'm1'), said('n', 'a1', 'go on')])
    const both = ['t1', 't2'].map((id, block) =>
      edit({ entry: 1, block }, { kind: 'answer-call', callId: id, text: '[none]', isError: false }),
    )
    const output = write(open, both)
    expect(outline(readClaude(output)).slice(2)).toEqual(['user: result t1', 'user: result t2', 'user: go on'])
    const [, , first, second, next] = entriesIn(output)
    expect([second?.parentUuid, next?.parentUuid]).toEqual([first?.uuid, second?.uuid])
  })

  it('re-links the child that goes on, not a progress line that came first', () => {
    const open = fileOf([
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      other('p', 'a1', 'progress', { data: {} }),
      said('n', 'a1', 'go on'),
    ])
    const [, , , p, n] = linksIn(write(open, [answer(1, 't')]))
    expect([p, n]).toEqual(['p<a1', expect.stringMatching(/^n<.{8}-/)])
  })

  it('answers a call whose entry has no uuid, and knows its own answer again', () => {
    const open = fileOf([task, answered(undefined, 'u1', [call('t')]), said('n', 'u1', 'go on')])
    const again = readClaude(write(open, [answer(1, 't')]))
    expect(outline(again)).toEqual(['user: do it', 'assistant: call t', 'user: result t', 'user: go on'])
    expect(again.main.messages[2]?.blocks[0]).toMatchObject({ invented: true })
  })

  it('stands between objects that were joined on one line', () => {
    const open = fileOf([
      task,
      JSON.stringify(answered('a1', 'u1', [call('t')], 'm1')) + JSON.stringify(said('n', 'a1', 'go on')),
    ])
    const kept = readClaude(write(open, [answer(1, 't')]))
    expect(outline(kept).slice(1)).toEqual(['assistant: call t', 'user: result t', 'user: go on'])
    const split = write(open, [answer(1, 't'), edit({ entry: 1 }, { kind: 'split-line' })])
    expect(entriesIn(split)).toHaveLength(4)
  })

  it('enters the lists of what a compaction preserved', () => {
    const compactMetadata = {
      preservedMessages: { anchorUuid: 's', uuids: ['a1'], allUuids: ['a1'] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: 'a1' },
    }
    const open = fileOf([
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'a1', compactMetadata }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
      said('n', 's', 'go on'),
    ])
    const output = write(open, [answer(1, 't')])
    const key = entriesIn(output)[2]?.uuid
    expect(entriesIn(output)[3]?.compactMetadata).toEqual({
      preservedMessages: { anchorUuid: 's', uuids: ['a1', key], allUuids: ['a1', key] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: key },
    })
    expect(outline(readClaude(output)).slice(1)).toEqual(['assistant: call t', 'user: result t', 'user: go on'])
  })

  it('enters lists that a repair of the same epoch mends, and a dropped anchor gives way', () => {
    const compactMetadata = {
      preservedMessages: { anchorUuid: 's', uuids: ['a1', 'lost'], allUuids: ['a1', 'lost'] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: 'lost' },
    }
    const open = fileOf([
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'a1', compactMetadata }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
      said('n', 's', 'go on'),
    ])
    const repairs = claudeCode.repairs(readClaude(open))
    const drop = edit({ entry: 3 }, { kind: 'drop-message', entries: [3] })
    const output = write(open, [...repairs, answer(1, 't'), drop])
    const key = entriesIn(output)[2]?.uuid
    expect(entriesIn(output)[3]?.compactMetadata).toEqual({
      preservedMessages: { anchorUuid: 'b', uuids: ['a1', key], allUuids: ['a1', key, 'lost'] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 'b', tailUuid: key },
    })
    expect(claudeCode.repairs(readClaude(output))).toEqual([])
  })
})

describe('insert-message, move, split-line', () => {
  it('weaves a message in behind an entry', () => {
    const bytes = fileOf([task, answered('a1', 'u1', [text('x')], 'm1'), said('n', 'a1', 'go on')])
    const output = write(bytes, [edit({ entry: 1 }, { kind: 'insert-message', role: 'user', text: 'between' })])
    expect(outline(readClaude(output))).toEqual(['user: do it', 'assistant: x', 'user: between', 'user: go on'])
  })

  it('moves a late result to its call, its line too, so that the leaf stays the leaf', () => {
    const late = [
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      said('n', 'a1', 'go on'),
      answered('b', 'n', [text('hm')], 'm2'),
      said('r', 'b', [result('t', 'built')]),
    ]
    const moved = [edit({ entry: 4 }, { kind: 'move', after: 1 })]
    const output = write(fileOf(late), moved)
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', 'r<a1', 'n<r', 'b<n'])
    expect(outline(readClaude(output))).toEqual([
      'user: do it',
      'assistant: call t',
      'user: result t',
      'user: go on',
      'assistant: hm',
    ])
    const followed = write(fileOf([...late, said('z', 'r', 'more')], '\r\n'), moved)
    expect(outline(readClaude(followed)).at(-1)).toBe('user: more')
    expect(linksIn(followed).at(-1)).toBe('z<b')
  })

  it('moves results before words that stand between the entries of their message', () => {
    const torn = fileOf([
      task,
      answered('a1', 'u1', [text('look')], 'm1'),
      said('x', 'a1', 'words'),
      answered('a2', 'x', [call('s')], 'm1'),
      said('q', 'a2', [result('s', 'one')]),
      answered('a3', 'q', [call('t')], 'm1'),
      said('r', 'a3', [result('t', 'two')]),
      said('n', 'r', 'go on'),
    ])
    const called = ['user: do it', 'assistant: look + call s + call t']
    const answers = ['user: result s', 'user: result t']
    expect(outline(readClaude(torn))).toEqual([...called, 'user: words', ...answers, 'user: go on'])
    const output = write(
      torn,
      [4, 6].map((entry) => edit({ entry }, { kind: 'move', after: 5 })),
    )
    expect(linksIn(output)).toEqual(['u1<', 'a1<u1', 'a2<a1', 'a3<a2', 'q<a3', 'r<q', 'x<r', 'n<x'])
    const mended = readClaude(output)
    expect(outline(mended)).toEqual([...called, ...answers, 'user: words', 'user: go on'])
    expect([...check(mended.main, { at: 'rest' }), ...claudeCode.repairs(mended)]).toEqual([])
  })

  it('splits joined objects, and the damage behind them', () => {
    const joined = `${JSON.stringify(task)}  ${JSON.stringify(said('u2', 'u1', 'two'))}{"cut`
    const output = write(fileOf([joined]), [edit({ entry: 0 }, { kind: 'split-line' })])
    expect(output.toString()).toBe(`${JSON.stringify(task)}\n${JSON.stringify(said('u2', 'u1', 'two'))}\n{"cut\n`)
  })

  it('takes one of two joined objects', () => {
    const joined = JSON.stringify(task) + JSON.stringify(said('u2', 'u1', 'two'))
    const second = edit({ entry: 1 }, { kind: 'drop-message', entries: [1] })
    expect(write(fileOf([joined]), [second]).toString()).toBe(`${JSON.stringify(task)}\n`)
    const first = edit({ entry: 0 }, { kind: 'drop-message', entries: [0] })
    expect(linksIn(write(fileOf([joined]), [first]))).toEqual(['u2<'])
  })
})

describe('what cannot be written', () => {
  it('is a reading that was made to measure', () => {
    const change = [edit({ entry: 0, block: 0 }, { kind: 'replace-text', text: 'x' })]
    expect(() => writeClaude(fileOf([task]), change, { sizesOnly: true })).toThrow(/made to measure/)
    expect(() => writeClaude(fileOf([task]), change, { reading: 'history' })).toThrow(/made to measure/)
  })
})
