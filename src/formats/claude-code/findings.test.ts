import { describe, expect, it } from 'vitest'
import {
  answered,
  type ClaudeEntry,
  call,
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
import { claudeCode } from './index.ts'

const task = said('u1', null, 'do it')

function found(bytes: Buffer, fileName?: string): string[] {
  const session = readClaude(bytes, fileName === undefined ? {} : { fileName })
  return claudeCode.check(session, 'rest').map(({ rule, severity, line }) => `${rule} ${severity} ${line}`)
}

/** The repaired file; nothing of severity reject is left in it. */
function repaired(bytes: Buffer, fileName?: string): Buffer {
  const options = fileName === undefined ? {} : { fileName }
  const edits = claudeCode.repairs(readClaude(bytes, options))
  const { output } = writeClaude(bytes, edits, options)
  expect(found(output, fileName).filter((finding) => finding.includes('reject'))).toEqual([])
  return output
}

describe('a healthy file', () => {
  it('has no finding', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [call('t')], 'm1'),
      said('r1', 'a1', [result('t', 'x')], { sourceToolAssistantUUID: 'a1' }),
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'r1' }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
      { type: 'last-prompt', leafUuid: 's' },
      { type: 'file-history-snapshot', messageId: 'u1' },
    ])
    expect(found(bytes)).toEqual([])
    expect(claudeCode.repairs(readClaude(bytes))).toEqual([])
  })
})

describe('parents', () => {
  it('D01: one that names nothing is linked to the entry before', () => {
    const bytes = fileOf([task, answered('a1', 'GONE', [text('x')], 'm1')])
    expect(found(bytes)).toEqual(['D01 reject 2'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'a1<u1'])
    expect(linksIn(repaired(fileOf([said('u1', 'GONE', 'x')])))).toEqual(['u1<'])
  })

  it('D02: a cycle is broken where the file begins it', () => {
    const bytes = fileOf([task, said('u2', 'u3', 'two'), said('u3', 'u2', 'three')])
    expect(found(bytes)).toEqual(['D02 warn 2'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'u2<u1', 'u3<u2'])
  })

  it('D04: a main entry is never linked to a sidechain', () => {
    const bytes = fileOf([task, said('x', null, 'sub', { isSidechain: true }), answered('a1', 'x', [text('y')], 'm')])
    expect(found(bytes)).toEqual(['D04 reject 3'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'x<', 'a1<u1'])
  })

  it('say nothing about a sidechain that starts at a main entry', () => {
    expect(found(fileOf([task, said('x', 'u1', 'sub', { isSidechain: true })]))).toEqual([])
  })
})

describe('D02: repeated uuids', () => {
  it('drops a line that repeats another, and keeps one that says something else', () => {
    const bytes = fileOf([task, answered('a1', 'u1', [text('x')], 'm'), task, said('u1', null, 'other words')])
    expect(found(bytes)).toEqual(['D02 warn 3', 'D02 warn 4'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'a1<u1', 'u1<'])
  })
})

describe('references that name nothing', () => {
  it('are foreign: warned of and kept', () => {
    const bytes = fileOf([
      task,
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'GONE' }),
      said('r', 'b', 'x', { sourceToolAssistantUUID: 'GONE' }),
      { type: 'last-prompt', leafUuid: 'GONE' },
      { type: 'summary', summary: 'T', leafUuid: 'GONE' },
    ])
    expect(found(bytes)).toEqual(['D08 warn 2', 'D07 warn 3', 'D03 warn 4', 'D12 warn 5'])
    expect(repaired(bytes).equals(bytes)).toBe(true)
  })
})

describe('D05: entries of one message', () => {
  it('stand together after the repair', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [thinking('hm')], 'm1'),
      answered('a2', 'a1', [text('t')], 'm2'),
      answered('a3', 'a2', [call('t1')], 'm1'),
      said('r', 'a3', [result('t1', 'x')]),
    ])
    expect(found(bytes)).toEqual(['D05 reject 4'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'a1<u1', 'a2<a3', 'a3<a1', 'r<a2'])
  })

  it('may have results between them', () => {
    const bytes = fileOf([
      task,
      answered('a1', 'u1', [call('t1')], 'm1'),
      said('r1', 'a1', [result('t1', 'x')]),
      answered('a2', 'r1', [call('t2')], 'm1'),
    ])
    expect(found(bytes)).toEqual([])
  })
})

describe('D07: the copy of a result', () => {
  const pointer = '[spillway aaaaaaaaaaaa: Bash ls, 5,000 characters. Back: spillway recall aaaaaaaaaaaa]'
  const withCopy = (toolUseResult: unknown): Buffer =>
    fileOf([task, answered('a', 'u1', [call('t')], 'm'), said('r', 'a', [result('t', pointer)], { toolUseResult })])

  it('must not keep what left the message', () => {
    expect(found(withCopy({ stdout: 'x'.repeat(401) }))).toEqual(['D07 warn 3'])
    expect(found(withCopy({ stdout: pointer }))).toEqual([])
  })

  it('may keep what stands in the message: the preview of what was spilled at birth, and what was short', () => {
    const stdout = `${pointer}\nFirst 400 characters:\n${'x'.repeat(400)}`
    const stderr = 'e'.repeat(500)
    const lines = [task, answered('a', 'u1', [call('t')], 'm')]
    const spilled = said('r', 'a', [result('t', `${stdout}\n${stderr}`)], { toolUseResult: { stdout, stderr } })
    expect(found(fileOf([...lines, spilled]))).toEqual([])
    const other = said('r', 'a', [result('t', stdout)], { toolUseResult: { stdout, stderr } })
    expect(found(fileOf([...lines, other]))).toEqual(['D07 warn 3'])
  })
})

describe('compactions', () => {
  it('D08: a boundary has no parent', () => {
    const boundary = other('b', 'u1', 'system', { subtype: 'compact_boundary', logicalParentUuid: 'u1' })
    const bytes = fileOf([task, boundary, said('s', 'b', 'so far', { isCompactSummary: true })])
    expect(found(bytes)).toEqual(['D08 reject 2'])
    expect(linksIn(repaired(bytes))).toEqual(['u1<', 'b<', 's<b'])
  })

  const preserving = (compactMetadata: unknown): Buffer =>
    fileOf([
      task,
      answered('a1', 'u1', [text('x')], 'm'),
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'a1', compactMetadata }),
      said('s', 'b', 'so far', { isCompactSummary: true }),
    ])

  it('D09: what they preserved must exist', () => {
    const bytes = preserving({
      preservedMessages: { anchorUuid: 'GONE', uuids: ['GONE', 'a1'], allUuids: ['GONE', 'a1'] },
      preservedSegment: { headUuid: 'GONE', anchorUuid: 'GONE', tailUuid: 'GONE' },
    })
    expect(new Set(found(bytes))).toEqual(new Set(['D09 reject 3']))
    expect(outline(readClaude(repaired(bytes)))).toEqual(['user: so far', 'assistant: x'])
  })

  it('D09: may list uuids that the harness never wrote', () => {
    const bytes = preserving({
      preservedMessages: { anchorUuid: 's', uuids: ['a1'], allUuids: ['a1', 'GONE'] },
      preservedSegment: { headUuid: 'a1', anchorUuid: 's', tailUuid: 'a1' },
    })
    expect(found(bytes)).toEqual([])
  })
})

describe('D11, D15', () => {
  it('warn of errors that look like words of a model', () => {
    expect(found(fileOf([task, answered('a', 'u1', [text('API Error')], 'x', { isApiErrorMessage: true })]))).toEqual([
      'D11 warn 2',
    ])
  })

  it("warn of outputs in another session's folder", () => {
    const output = (folder: string): ClaudeEntry =>
      said('r', 'a', [
        result('t', `<persisted-output>\nOutput too large. Saved to: /h/projects/-w/${folder}/tool-results/t.txt`),
      ])
    const head = [task, answered('a', 'u1', [call('t')], 'm')]
    expect(found(fileOf([...head, output('other')]))).toEqual(['D15 warn 3'])
    expect(found(fileOf([...head, output('s1')]))).toEqual([])
  })
})

describe('D13: lines', () => {
  it('splits joined objects and warns of other damage', () => {
    const joined = JSON.stringify(task) + JSON.stringify(said('u2', 'u1', 'two'))
    const bytes = fileOf([joined, '{"cut', `${JSON.stringify(said('u3', 'u2', 'three'))}{"cut`])
    expect(found(bytes)).toEqual(['D13 reject 1', 'D13 warn 2', 'D13 reject 3'])
    expect(linksIn(Buffer.from(repaired(bytes).toString().replaceAll('{"cut\n', '')))).toEqual([
      'u1<',
      'u2<u1',
      'u3<u2',
    ])
  })

  it('warns of a last line without newline', () => {
    expect(found(fileOf([task]).subarray(0, -1))).toEqual(['D13 warn 1'])
  })

  it('compares the session id with the file name inside a projects folder only', () => {
    const bytes = fileOf([task, { ...said('u2', 'u1', 'two'), sessionId: 'other' }])
    expect(found(bytes, '/elsewhere/s1.jsonl')).toEqual([])
    expect(found(bytes, '/h/projects/-w/s1.jsonl')).toEqual(['D13 reject 2'])
    expect(found(bytes, '/h/projects/-w/s1/subagents/agent-a.jsonl')).toEqual(['D13 reject 2'])
    const output = repaired(bytes, '/h/projects/-w/s1.jsonl')
    expect(output.toString()).toBe(bytes.toString().replace('"other"', '"s1"'))
  })
})

describe('a session of another format', () => {
  it('is refused', () => {
    const session = readClaude(fileOf([task]))
    expect(() => claudeCode.check({ ...session, facts: { ...session.facts, format: 'pi' } }, 'rest')).toThrow(
      /read as pi/,
    )
  })
})
