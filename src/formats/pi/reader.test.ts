import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  call,
  chain,
  header,
  idAt,
  type NativeEntry,
  piBytes,
  readPi,
  result,
  text,
  user,
  words,
} from '../../../test/support/pi.ts'
import { hasData, noticeMissing, sessionFiles } from '../../../test/support/shared.ts'
import { check } from '../../core/legality/index.ts'
import { exchangesOf, viewTokens } from '../../core/transcript.ts'
import { pi } from './index.ts'

function texts(entries: readonly NativeEntry[], version = 3, reading: 'view' | 'history' = 'view'): string[] {
  const session = readPi(piBytes([header(version), ...entries]), { reading })
  return session.main.messages.map(({ blocks }) =>
    blocks.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|'),
  )
}

const says = (words: string) => assistant([text(words)])

describe('piReader', () => {
  it('reads string and block content, calls, results, images and usage', () => {
    const session = readPi(
      piBytes([
        header(3),
        ...chain([
          user('plain'),
          user([text('block'), { type: 'image', data: 'QUJD', mimeType: 'image/gif' }, { type: 'odd', x: 1 }]),
          assistant([
            { type: 'thinking', thinking: 'hm', thinkingSignature: 's' },
            text('on it'),
            text('\n\n'),
            call('c1', { path: 'a' }),
          ]),
          result('c1', 'out', { isError: true }),
        ]),
      ]),
    )
    expect(session.main.messages.map(({ role, blocks }) => [role, blocks.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['user', ['text', 'image', 'opaque']],
      ['assistant', ['thinking', 'text', 'call']],
      ['user', ['result']],
    ])
    expect(session.main.messages[1]?.blocks[1]).toMatchObject({ mediaType: 'image/gif', bytes: 3, data: 'QUJD' })
    expect(session.main.messages[2]).toMatchObject({
      model: 'm',
      usage: { input: 5, cacheRead: 2, cacheWrite: 1, output: 3 },
      time: 2,
    })
    expect(session.main.messages[2]?.blocks[0]).toMatchObject({ signed: true, redacted: false })
    expect(session.main.messages[3]?.blocks[0]).toMatchObject({ callId: 'c1', isError: true, invented: false })
    expect(session.facts).toMatchObject({ format: 'pi', cwd: '/w', entries: 5, lines: 5, compactions: 0 })
    expect(session.main.tools.reads.has('read') && session.main.tools.shells.has('exec')).toBe(true)
    expect(session.main.links[2]).toMatchObject({ key: idAt(2), parent: idAt(1), line: 3 })
  })

  it('follows version 1 files line by line, ids or not', () => {
    const entries = [user('a'), says('b'), { ...user('c'), id: 'x', parentId: 'nothing' }]
    const session = readPi(piBytes([header(), ...entries]))
    expect(words(session.main).length).toBe(3)
    expect(pi.check(session, 'rest')).toEqual([])
  })

  it('walks from the last entry through parents of any type and leaves other branches out', () => {
    const entries = chain([
      user('a'),
      { type: 'custom', customType: 'x' },
      says('old way'),
      { ...user('new way'), parentId: idAt(2) },
      { type: 'label', targetId: idAt(1), label: 'l' },
      says('end'),
    ])
    expect(texts(entries)).toEqual(['a', 'new way', 'end'])
  })

  it('keeps side appends off the branch and lets a leaf control choose it (OpenClaw v4)', () => {
    const side = chain([user('a'), { ...user('aside'), appendMode: 'side' }, { ...says('b'), parentId: idAt(1) }])
    expect(texts(side, 4)).toEqual(['a', 'b'])
    expect(texts(side.slice(0, 2), 4)).toEqual(['a'])
    const behind = chain([user('a'), { ...user('aside'), appendMode: 'side' }, says('b')])
    expect(texts(behind, 4)).toEqual(['a', 'b'])
    const steered = chain([user('a'), says('b'), { type: 'leaf', targetId: idAt(1) }, says('c')])
    expect(texts(steered, 4)).toEqual(['a', 'c'])
    expect(texts(chain([user('a'), says('b'), { type: 'leaf', targetId: idAt(1) }]), 4)).toEqual(['a'])
    expect(texts(chain([user('a'), says('b'), { type: 'leaf', targetId: 'gone' }]), 4)).toEqual(['a', 'b'])
  })

  it('puts a summary before what it kept and what followed; the history leaves summaries out', () => {
    const entries = chain([
      user('a'),
      says('b'),
      user('kept'),
      { type: 'compaction', summary: 'sum', firstKeptEntryId: idAt(3), tokensBefore: 1 },
      says('after'),
    ])
    expect(texts(entries)).toEqual(['sum', 'kept', 'after'])
    expect(texts(entries, 3, 'history')).toEqual(['a', 'b', 'kept', 'after'])
    const session = readPi(piBytes([header(3), ...entries]))
    expect(session.main.messages[0]).toMatchObject({ role: 'user', kind: 'compaction-summary' })
    expect(session.facts.compactions).toBe(1)
    expect(session.facts.requests.map(({ segment }) => segment)).toEqual([0, 1])
  })

  it('knows the index by which version 1 names the first kept entry', () => {
    const entries = [user('a'), user('kept'), { type: 'compaction', summary: 'sum', firstKeptEntryIndex: 2 }, says('z')]
    expect(texts(entries, 1)).toEqual(['sum', 'kept', 'z'])
  })

  it('starts anew at a reset, with the messages it kept', () => {
    const entries = chain([
      user('a'),
      { type: 'custom_message', customType: 'n', content: 'note' },
      user('kept'),
      { type: 'reset', reason: 'new', firstKeptEntryId: idAt(2) },
      says('z'),
    ])
    expect(texts(entries, 4)).toEqual(['kept', 'z'])
    const stale = chain([user('a'), { type: 'reset', reason: 'new' }, { ...says('z'), parentId: idAt(1) }])
    expect(texts(stale, 4)).toEqual(['z'])
  })

  it('honours the newest context edit of an entry', () => {
    const entries = chain([
      user('long'),
      says('b'),
      user('gone'),
      { type: 'context_edit', targetId: idAt(1), replacement: { content: 'first' } },
      { type: 'context_edit', targetId: idAt(1), replacement: { content: [text('short')] } },
      { type: 'context_edit', targetId: idAt(3), replacement: null },
    ])
    expect(texts(entries)).toEqual(['short', 'b'])
  })

  it('sends branch summaries and custom messages, but no custom, label, system or hidden entry', () => {
    const entries = chain([
      { type: 'message', message: { role: 'system', content: 'sys' } },
      user('a'),
      { type: 'custom', customType: 'x', data: 1 },
      { type: 'custom_message', customType: 'x', content: [text('note')] },
      { type: 'branch_summary', fromId: 'root', summary: 'other way' },
      { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'f' } },
      { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'f', excludeFromContext: true } },
    ])
    expect(texts(entries)).toEqual(['a', 'note', 'other way', '<opaque>'])
  })

  it('leaves out what failed or was stopped; an empty failure is an error that may leave', () => {
    const session = readPi(
      piBytes([
        header(3),
        ...chain([
          user('a'),
          assistant([], { stopReason: 'error', errorMessage: '429' }),
          assistant([text('half'), call('c1')], { stopReason: 'aborted' }),
          says('b'),
        ]),
      ]),
    )
    expect(session.main.messages.map(({ kind, blocks }) => [kind, blocks.length])).toEqual([
      [undefined, 1],
      ['api-error', 0],
      [undefined, 1],
    ])
    expect(session.facts).toMatchObject({ apiErrors: 1, interrupts: 1 })
  })

  it('tells a stopped call with its output, an invented answer, and news of workers', () => {
    const session = readPi(
      piBytes([
        header(3),
        ...chain([
          assistant([call('c1'), call('c2'), call('c3')]),
          result('c1', 'line\n\nCommand aborted', { isError: true }),
          result('c2', 'Command aborted', { isError: false }),
          result('c3', 'missing', { isError: true, details: { openclawSyntheticMissingToolResult: true } }),
          {
            type: 'message',
            message: { role: 'user', content: 'done', provenance: { sourceTool: 'subagent_announce' } },
          },
        ]),
      ]),
    )
    const results = exchangesOf(session.main).map(({ result: answer }) => answer)
    expect(results[0]).toMatchObject({ denied: 'stopped', partial: 'line' })
    expect(results[1]?.denied).toBeUndefined()
    expect(results.map((answer) => answer?.invented)).toEqual([false, false, true])
    expect(session.main.messages.at(-1)?.kind).toBe('task-event')
    expect(session.facts.format).toBe('openclaw')
  })

  it('is OpenClaw by its place, its version or its fields', () => {
    const plain = piBytes([header(3), ...chain([user('a')])])
    expect(readPi(plain).facts.format).toBe('pi')
    expect(readPi(plain, { fileName: '/home/u/.openclaw/agents/main/sessions/x.jsonl' }).facts.format).toBe('openclaw')
    expect(readPi(piBytes([header(4), ...chain([user('a')])])).facts.format).toBe('openclaw')
    const snapshot = { type: 'custom', customType: 'model-snapshot' }
    expect(readPi(piBytes([header(3), ...chain([snapshot])])).facts.format).toBe('openclaw')
  })

  it('reports bad lines and reads the rest, also the objects joined on one line', () => {
    const [a, b, c] = chain([user('a'), says('b'), user('c')]).map((entry) => JSON.stringify(entry))
    const session = readPi(piBytes([JSON.stringify(header(3)), `${a}${b}`, '{"type":"mess', '', 'null', c ?? '']))
    expect(session.main.messages.length).toBe(3)
    expect(session.facts.badLines.map(({ line }) => line)).toEqual([2, 3, 5])
    expect(session.facts).toMatchObject({ lines: 6, entries: 4 })
  })

  it('measures the same without the words', () => {
    const bytes = piBytes([
      header(3),
      ...chain([user('a b c'), assistant([text('long'.repeat(99)), call('c', { x: 'y'.repeat(999) })])]),
    ])
    const sizes = readPi(bytes, { sizesOnly: true })
    expect(viewTokens(sizes.main)).toBe(viewTokens(readPi(bytes).main))
    expect(sizes.main.messages[0]?.blocks[0]).toMatchObject({ text: '' })
    expect(() => pi.writer(sizes, [])).toThrow(/sizes-only/)
  })

  it('is found by its header, or without one by roles inside messages', () => {
    expect(pi.detect([header()])).toBe(true)
    expect(pi.detect([user('a')])).toBe(true)
    expect(pi.detect([{ type: 'user', message: { role: 'user' }, uuid: 'u', sessionId: 's' }])).toBe(false)
    expect(pi.detect([{ type: 'session_meta', payload: {} }, 1, null])).toBe(false)
  })
})

describe.skipIf(!hasData)('piReader on recorded sessions', () => {
  if (!hasData) noticeMissing('../shared/data')
  const files = ['pi', 'openclaw', 'openclaw-probe'].flatMap(sessionFiles)
  it.each(files.map((file) => [file.split('/').slice(-2).join('/'), file]))('%s', (_, file) => {
    const recorded = readFileSync(file)
    const session = readPi(file.endsWith('.gz') ? gunzipSync(recorded) : recorded, { fileName: file })
    expect(session.facts.badLines).toEqual([])
    expect(session.facts.format).toBe(/\/pi\//.test(file) ? 'pi' : 'openclaw')
    expect(session.main.messages.length).toBeGreaterThan(1)
    expect(session.facts.requests.length).toBeGreaterThan(0)
    expect(check(session.main, { at: 'rest' })).toEqual([])
  })

  it('reads every call of the large pi session that is sent', () => {
    const [file] = sessionFiles('pi')
    const session = readPi(gunzipSync(readFileSync(file ?? '')))
    expect(exchangesOf(session.main).filter(({ result: answer }) => answer).length).toBe(373)
    expect(session.facts).toMatchObject({ apiErrors: 1, interrupts: 21 })
  })
})
