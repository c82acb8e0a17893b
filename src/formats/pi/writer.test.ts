import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  call,
  chain,
  edit,
  header,
  idAt,
  type NativeEntry,
  piBytes,
  piFiles,
  readPi,
  restored,
  result,
  someEdits,
  text,
  user,
  words,
  writePi,
} from '../../../test/support/pi.ts'
import { hasData, noticeMissing, sessionFiles } from '../../../test/support/shared.ts'
import { apply } from '../../core/apply.ts'
import type { Edit } from '../../core/edits.ts'
import type { Session } from '../format.ts'
import { pi } from './index.ts'

const RUNS = 300
const numbers = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 40 })

function agree(bytes: Buffer, choices: readonly number[]): void {
  const session = readPi(bytes)
  const edits = someEdits(session.main, choices)
  const { output, splices } = writePi(bytes, edits)
  expect(restored(output, splices).equals(bytes)).toBe(true)
  const after = readPi(output)
  expect(words(after.main)).toEqual(words(apply(session.main, edits)))
  const faults = (of: typeof session): string[] => pi.check(of, 'rest').map(({ rule }) => rule)
  const before = new Set(faults(session))
  expect(faults(after).filter((rule) => !before.has(rule))).toEqual([])
  expect(after.facts.badLines.length).toBeLessThanOrEqual(session.facts.badLines.length)
}

describe('piWriter on generated sessions', () => {
  it('changes no byte without edits', () => {
    fc.assert(
      fc.property(piFiles, (file) => {
        const bytes = Buffer.from(file)
        const { output, splices } = writePi(bytes, [])
        expect(output.equals(bytes)).toBe(true)
        expect(splices).toEqual([])
        expect(pi.check(readPi(bytes), 'rest')).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('does what apply does, and its splices give the input back', () => {
    fc.assert(
      fc.property(piFiles, numbers, (file, choices) => agree(Buffer.from(file), choices)),
      { numRuns: RUNS },
    )
  })
})

const says = (said: string) => assistant([text(said)])

/** The lines that come out, and the session they are. */
function written(lines: readonly (NativeEntry | string)[], choose: (session: Session) => Edit[]) {
  const bytes = piBytes(lines)
  const { output, splices } = writePi(bytes, choose(readPi(bytes)))
  expect(restored(output, splices).equals(bytes)).toBe(true)
  return { lines: output.toString().trimEnd().split('\n'), session: readPi(output) }
}

describe('piWriter', () => {
  const at = (entry: number, block?: number) => ({ thread: 'main', entry, ...(block === undefined ? {} : { block }) })

  it('replaces a body and the long strings in its details, which keep their types and keys', () => {
    const details = { status: 'done', exitCode: 1.5, list: ['x'.repeat(400), 'y'.repeat(401)], ['k'.repeat(500)]: null }
    const entries = chain([assistant([call('c')]), result('c', 'z'.repeat(900), { details })])
    const { lines } = written([header(3), ...entries], () => [edit(at(2, 0), { kind: 'replace-result', text: 'gone' })])
    const expected = { ...details, list: ['x'.repeat(400), 'gone'] }
    const { message } = JSON.parse(lines[2] ?? '') as { message: NativeEntry }
    expect(message).toMatchObject({ details: expected, content: [text('gone')], isError: false })
  })

  it('changes nothing else of an edited line', () => {
    const line =
      '{"type":"message", "id":"e0000001","parentId":null,"n":1.0,"big":9007199254740993,"d":1,"d":2,"10":0,' +
      '"message":{"role":"user","content":[{"type":"text","text":"a\\/\\u00e9"} , {"type":"text","text":"b"}],"timestamp":1}}'
    const { lines } = written([header(3), line], () => [edit(at(1, 1), { kind: 'replace-text', text: '"\u00e9"' })])
    expect(lines[1]).toBe(line.replace('"b"', JSON.stringify('"\u00e9"')))
  })

  it('answers a call by an entry whose id comes from the call, and links what followed onto it', () => {
    const entries = chain([assistant([call('c1'), call('c2')]), result('c2', 'x'), user('on')])
    const answer = () => [edit(at(1, 0), { kind: 'answer-call', callId: 'c1', text: 'none', isError: true })]
    const first = written([header(3), ...entries], answer)
    expect(first.lines).toEqual(written([header(3), ...entries], answer).lines)
    const made = JSON.parse(first.lines[2] ?? '') as NativeEntry
    expect(made).toMatchObject({
      parentId: idAt(1),
      message: { role: 'toolResult', toolCallId: 'c1', toolName: 'bash', isError: true },
    })
    expect(made.id).toMatch(/^[0-9a-f]{8}$/)
    expect(JSON.parse(first.lines[3] ?? '')).toMatchObject({ id: idAt(2), parentId: made.id })
    expect(first.session.main.messages[1]?.blocks[0]).toMatchObject({ callId: 'c1', invented: true })
    const ids = ['6d5a1c9e-0000-4000-8000-000000000001', '6d5a1c9e-0000-4000-8000-000000000002']
    const uuids = chain([
      { ...assistant([call('c1')]), id: ids[0] },
      { ...user('on'), id: ids[1], parentId: ids[0] },
    ])
    const other = written([header(4), ...uuids], answer)
    expect(JSON.parse(other.lines[2] ?? '')).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  it('never gives an id twice', () => {
    const before = chain([assistant([call('c1')]), user('on')])
    const answer = () => [edit(at(1, 0), { kind: 'answer-call', callId: 'c1', text: 'none', isError: true })]
    const { id } = JSON.parse(written([header(3), ...before], answer).lines[2] ?? '') as { id: string }
    const taken = [...before, { ...user('more'), id, parentId: idAt(2), timestamp: '2026-01-01T00:00:01.000Z' }]
    const made = JSON.parse(written([header(3), ...taken], answer).lines[2] ?? '') as { id: string }
    expect(made.id).not.toBe(id)
  })

  it('keeps the leaf where a side branch would come last', () => {
    const entries = chain([
      user('a'),
      says('b'),
      { ...says('other'), parentId: idAt(1) },
      { ...user('last'), parentId: idAt(2) },
    ])
    const { session, lines } = written([header(3), ...entries], () => [
      edit(at(4), { kind: 'drop-message', entries: [4] }),
    ])
    expect(session.main.messages.map(({ blocks }) => blocks[0])).toMatchObject([{ text: 'a' }, { text: 'b' }])
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'custom', parentId: idAt(2) })
  })

  it('finds the parent behind a leaf control', () => {
    const entries = chain([user('a'), says('b'), { type: 'leaf', targetId: idAt(1) }, user('c')])
    const { session } = written([header(4), ...entries], () => [
      edit(at(1), { kind: 'insert-message', role: 'user', text: 'between' }),
    ])
    expect(session.main.messages.map(({ blocks }) => blocks[0])).toMatchObject([
      { text: 'a' },
      { text: 'between' },
      { text: 'c' },
    ])
  })

  it('renames every reference to what left', () => {
    const entries = chain([
      user('a'),
      says('b'),
      user('c'),
      { type: 'label', targetId: idAt(3), label: 'l' },
      { type: 'branch_summary', fromId: idAt(3), summary: 's' },
      { type: 'compaction', summary: 'sum', firstKeptEntryId: idAt(3), tokensBefore: 1 },
    ])
    const { lines } = written([header(3), ...entries], () => [edit(at(3), { kind: 'drop-message', entries: [3] })])
    const fields = lines.slice(3).map((line) => JSON.parse(line) as NativeEntry)
    expect(fields).toMatchObject([
      { targetId: idAt(2), parentId: idAt(2) },
      { fromId: idAt(2) },
      { firstKeptEntryId: idAt(4) },
    ])
  })

  it('refuses to let a compaction summary leave: the history before it would come back', () => {
    const entries = chain([user('a'), { type: 'compaction', summary: 's', firstKeptEntryId: idAt(1), tokensBefore: 1 }])
    const drop = () => [edit(at(2), { kind: 'drop-message', entries: [2] })]
    expect(() => written([header(3), ...entries], drop)).toThrow(/would come back/)
  })

  it('moves whole lines in version 1 files, backwards too', () => {
    const { lines } = written([header(), assistant([call('c')]), user('between'), result('c', 'x')], () => [
      edit(at(3), { kind: 'move', after: 1 }),
    ])
    expect(lines.map((line) => (JSON.parse(line) as { message?: NativeEntry }).message?.role)).toEqual([
      undefined,
      'assistant',
      'toolResult',
      'user',
    ])
  })

  it('keeps bad lines where they were', () => {
    const [a, b, c] = chain([user('a'), says('b'), user('c')])
    const { lines } = written([header(3), a ?? '', '{"cut', b ?? '', '', c ?? ''], () => [
      edit(at(2), { kind: 'drop-message', entries: [2] }),
    ])
    expect(lines.slice(2, 4)).toEqual(['{"cut', ''])
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({ parentId: idAt(1) })
  })
})

describe.skipIf(!hasData)('piWriter on recorded sessions', () => {
  if (!hasData) noticeMissing('../shared/data')
  const files = ['pi', 'openclaw', 'openclaw-probe'].flatMap(sessionFiles)
  it.each(files.map((file) => [file.split('/').slice(-2).join('/'), file]))('%s', (_, file) => {
    const recorded = readFileSync(file)
    const bytes = file.endsWith('.gz') ? gunzipSync(recorded) : recorded
    const { output, splices } = writePi(bytes, [])
    expect(output.equals(bytes)).toBe(true)
    expect(splices).toEqual([])
    expect(pi.check(readPi(bytes), 'rest')).toEqual([])
    for (let seed = 1; seed <= 3; seed++) agree(bytes, [seed, seed * 31, seed * 77, 5])
  })
})
