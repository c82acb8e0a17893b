import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  call,
  chain,
  header,
  idAt,
  type NativeEntry,
  piBytes,
  piFiles,
  readPi,
  restored,
  result,
  text,
  user,
  words,
  writePi,
} from '../../../test/support/pi.ts'
import { apply } from '../../core/apply.ts'
import { pi } from './index.ts'

const says = (said: string) => assistant([text(said)])

/** Rules broken before and after the repairs, the view after them, and the lines that came out. */
function mend(lines: readonly (NativeEntry | string)[]): {
  before: string[]
  after: string[]
  said: string[]
  out: string[]
} {
  const bytes = piBytes(lines)
  const session = readPi(bytes)
  const edits = pi.repairs(session)
  const { output, splices } = writePi(bytes, edits)
  expect(restored(output, splices)).toEqual(bytes)
  const mended = readPi(output)
  expect(words(mended.main)).toEqual(words(apply(session.main, edits)))
  return {
    before: pi.check(session, 'rest').map(({ rule, severity, line }) => `${rule} ${severity} ${line}`),
    after: pi.check(mended, 'rest').map(({ rule }) => rule),
    said: mended.main.messages.flatMap(({ blocks }) =>
      blocks.map((block) => (block.type === 'text' ? block.text : block.type)),
    ),
    out: output.toString().split('\n').slice(0, -1),
  }
}

describe('checkPi', () => {
  it('finds nothing in a sound session', () => {
    const entries = chain([user('a'), assistant([call('c')]), result('c', 'x'), says('b')])
    expect(mend([header(3), ...entries])).toMatchObject({ before: [], after: [] })
  })

  it('E01: no header', () => {
    expect(mend(chain([user('a')])).before).toEqual(['E01 reject 1'])
  })

  it('E01: a parent that is no entry before it; the entry continues what was the leaf', () => {
    const entries = chain([user('a'), { ...says('b'), parentId: 'zzzz' }, user('c')])
    expect(mend([header(3), ...entries])).toMatchObject({
      before: ['E01 reject 3'],
      after: [],
      said: ['a', 'b', 'c'],
    })
  })

  it('E01: a parent that comes later, even the entry itself, cannot make a circle', () => {
    const entries = chain([user('a'), { ...says('b'), parentId: idAt(3) }, { ...user('c'), parentId: idAt(3) }])
    expect(mend([header(3), ...entries])).toMatchObject({
      before: ['E01 reject 3', 'E01 reject 4'],
      after: [],
      said: ['a', 'b', 'c'],
    })
  })

  it('E01: an entry without id gets one, an entry without parent the leaf before it', () => {
    const [a, b] = chain([user('a'), says('b')])
    const { id: _, ...nameless } = b ?? {}
    expect(mend([header(3), a ?? '', nameless])).toMatchObject({
      before: ['E01 reject 3'],
      after: [],
      said: ['a', 'b'],
    })
    const { parentId: __, ...orphan } = b ?? {}
    expect(mend([header(3), a ?? '', orphan])).toMatchObject({ before: ['E01 reject 3'], after: [], said: ['a', 'b'] })
  })

  it('E01: what follows an entry without id names the one it gets', () => {
    const [a, b, c] = chain([user('a'), says('b'), user('c')])
    const { id: _, parentId: __, ...nameless } = b ?? {}
    const lost = { ...c, parentId: 'zzzz' }
    expect(mend([header(3), a ?? '', nameless, lost])).toMatchObject({ after: [], said: ['a', 'b', 'c'] })
    const bare = chain([user('a'), says('b'), user('c')]).map(({ id, parentId, ...rest }) => rest)
    expect(mend([header(3), ...bare])).toMatchObject({ after: [], said: ['a', 'b', 'c'] })
  })

  it('E01: joined objects get a line each, damage stays behind them', () => {
    const [a, b, c] = chain([user('a'), says('b'), user('c')]).map((entry) => JSON.stringify(entry))
    const mended = mend([header(3), `${a} ${b}`, `${c}{"type":"cut`])
    expect(mended.out).toEqual([JSON.stringify(header(3)), a, b, c, '{"type":"cut'])
    expect(mended.said).toEqual(['a', 'b', 'c'])
  })

  it('E02: a last entry that starts a branch of its own', () => {
    const entries = chain([user('a'), says('b'), { type: 'custom', customType: 'x', parentId: null }])
    expect(mend([header(3), ...entries])).toMatchObject({ before: ['E02 reject 4'], after: [], said: ['a', 'b'] })
  })

  it('E02: several of them, one behind the other', () => {
    const tip = { type: 'custom', customType: 'x', parentId: null }
    const entries = chain([user('a'), says('b'), tip, tip, tip])
    expect(mend([header(3), ...entries])).toMatchObject({ after: [], said: ['a', 'b'] })
  })

  it('E02: a new conversation from the root is no fault', () => {
    const entries = chain([user('a'), says('b'), { ...user('anew'), parentId: null }])
    expect(mend([header(3), ...entries])).toMatchObject({ before: [], said: ['anew'] })
  })

  it('E04: the result of a call that is not sent becomes text', () => {
    const entries = chain([
      user('a'),
      assistant([call('c')], { stopReason: 'aborted' }),
      result('c', 'partial'),
      says('b'),
    ])
    expect(mend([header(3), ...entries])).toMatchObject({
      before: ['E04 reject 4'],
      after: [],
      said: ['a', 'partial', 'b'],
    })
  })

  it('E04: the same call, made again and answered, is no fault', () => {
    const entries = chain([
      user('a'),
      assistant([call('c')], { stopReason: 'aborted' }),
      assistant([call('c')]),
      result('c', 'x'),
    ])
    expect(mend([header(3), ...entries]).before).toEqual([])
  })

  it('E05: a kept tail that starts nowhere, or at a result', () => {
    const tail = (kept: string) =>
      chain([
        user('a'),
        assistant([call('c')]),
        result('c', 'x'),
        user('b'),
        { type: 'compaction', summary: 'sum', firstKeptEntryId: kept, tokensBefore: 1 },
        says('z'),
      ])
    for (const kept of ['gone', idAt(3), idAt(6)]) {
      const mended = mend([header(3), ...tail(kept)])
      expect(mended).toMatchObject({ before: ['E05 reject 6'], after: [], said: ['sum', 'b', 'z'] })
    }
    expect(mend([header(3), ...tail(idAt(2))]).before).toEqual([])
    expect(mend([header(3), ...tail(idAt(5))])).toMatchObject({ before: [], said: ['sum', 'z'] })
  })

  it('E06: labels, leaf controls and branch summaries about nothing', () => {
    const entries = chain([
      user('a'),
      { type: 'label', targetId: 'gone', label: 'l' },
      { type: 'branch_summary', fromId: 'gone', summary: 'way' },
      { type: 'leaf', targetId: 'gone' },
      { ...says('b'), parentId: idAt(3) },
    ])
    const mended = mend([header(4), ...entries])
    expect(mended).toMatchObject({
      before: ['E06 warn 3', 'E06 warn 4', 'E06 warn 5'],
      after: [],
      said: ['a', 'way', 'b'],
    })
    expect(mended.out.length).toBe(4)
  })

  it('E07: context edits of nothing, of what holds no content, or with no content', () => {
    const entries = chain([
      user('a'),
      { type: 'custom', customType: 'x' },
      { type: 'context_edit', targetId: 'gone', replacement: null },
      { type: 'context_edit', targetId: idAt(2), replacement: null },
      { type: 'context_edit', targetId: idAt(1), replacement: { content: 7 } },
      { type: 'context_edit', targetId: idAt(1), replacement: { content: 'short' } },
    ])
    expect(mend([header(3), ...entries])).toMatchObject({
      before: ['E07 reject 4', 'E07 reject 5', 'E07 reject 6'],
      after: [],
      said: ['short'],
    })
  })

  it('E08: an id that stands twice', () => {
    const entries = chain([user('a'), { ...says('b'), id: idAt(1) }])
    expect(mend([header(3), ...entries]).before).toEqual(['E08 warn 3'])
  })

  it('E09: a result or an assistant message whose content is no array', () => {
    const entries = chain([assistant([call('c')]), result('c', '', { content: 'x "y"' }), assistant('b')])
    const mended = mend([header(3), ...entries])
    expect(mended).toMatchObject({ before: ['E09 warn 3', 'E09 warn 4'], after: [], said: ['call', 'result', 'b'] })
    expect(mended.out[2]).toContain('"content":[{"type":"text","text":"x \\"y\\""}]')
  })

  it('mends any damage to the links without changing a word', () => {
    const damage = fc.array(
      fc.tuple(fc.constantFrom('lose', 'join', 'misname', 'nameless', 'bare', 'cut', 'noise'), fc.nat()),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    fc.assert(
      fc.property(piFiles, damage, (file, faults) => {
        const bytes = Buffer.from(
          faults.reduce((lines, fault) => damaged(lines, ...fault), file.split('\n')).join('\n'),
        )
        let current: Buffer = bytes
        for (let round = 0; round < 4; round++) {
          const session = readPi(current)
          const edits = pi.repairs(session)
          const { output, splices } = writePi(current, edits)
          expect(restored(output, splices).equals(current)).toBe(true)
          const view = words(readPi(output).main)
          expect(view).toEqual(words(apply(session.main, edits)))
          current = output
        }
        const left = pi.check(readPi(current), 'rest').filter(({ severity }) => severity === 'reject')
        expect(left).toEqual([])
        expect(pi.repairs(readPi(current))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})

function damaged(lines: readonly string[], kind: string, where: number): string[] {
  if (lines.length < 3) return [...lines]
  const at = 1 + (where % (lines.length - 1))
  const line = lines[at] ?? ''
  const before = lines.slice(0, at)
  const behind = lines.slice(at + 1)
  switch (kind) {
    case 'lose':
      return [...before, ...behind]
    case 'join':
      return [...before, line.trimEnd() + (behind[0] ?? ''), ...behind.slice(1)]
    case 'misname':
      return [
        ...before,
        line.replace(/"(parentId|\\u0070arentId|firstKeptEntryId|targetId)"\s*:\s*"e/, '"$1":"f'),
        ...behind,
      ]
    case 'nameless':
      return [...before, line.replace(/"(id|\\u0069d)"\s*:\s*"[^"]*",?/, ''), ...behind]
    case 'bare':
      return [...before, ...[line, ...behind].map((rest) => rest.replace(/"(id|parentId)"\s*:\s*("[^"]*"|null),/g, ''))]
    case 'cut':
      return [...before, line.slice(0, line.length / 2), ...behind]
    default:
      return [...before, '\0\0{"', line, ...behind]
  }
}
