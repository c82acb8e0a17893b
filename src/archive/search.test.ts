import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { removed, temporaryFolder } from '../../test/support/archive.ts'
import { referenceOf } from '../core/reference.ts'
import { type Archive, openArchive } from './archive.ts'

async function archiveOf(...contents: readonly (string | ReturnType<typeof removed>)[]): Promise<Archive> {
  const archive = await openArchive(temporaryFolder())
  const all = contents.map((content) => (typeof content === 'string' ? removed(content) : content))
  archive.put({ session: 's', source: '/s.jsonl', time: 1, removed: all })
  return archive
}

const refsOf = (archive: Archive, words: string) => archive.search({ words }).map((hit) => hit.ref)

describe('search', () => {
  const filler = Array.from({ length: 40 }, (_, at) => `line ${at} of get user name and the index 0 x ff 00 数据 库`)

  it.each([
    ['an identifier', 'getUserName'],
    ['underscores', 'get_user_name'],
    ['a part of an identifier', 'UserNam'],
    ['digits', '1048576'],
    ['a path', 'src/user/name-index.ts'],
    ['a path with a place', 'src/user/name-index.ts:12:7'],
    ['hex', '0xff00ff'],
    ['a hash', 'b5fd1043e7'],
    ['Chinese in a run', '数据库'],
    ['Japanese in a run', 'エラー'],
    ['Korean in a word', '데이터'],
    ['Thai in a run', 'ผิดพลาด'],
    ['Cyrillic', 'ошибка'],
    ['an accent', 'café'],
    ['symbols only', '=>*<='],
    ['FTS5 operators', 'NEAR(get*'],
    ['a quote', '"quoted"'],
    ['an emoji', '🧪'],
    ['a very long word', 'A'.repeat(50_000)],
  ])('finds %s that stands in one object only', async (_, word) => {
    const needle = `get user name: 我们的数据库系统 ページのエラーです 데이터베이스 เกิดข้อผิดพลาดขึ้น café ошибка
      getUserName get_user_name(1048576) at src/user/name-index.ts:12:7 0xff00ff b5fd1043e7 =>*<= NEAR(get* "quoted" 🧪 ${'A'.repeat(50_000)}`
    const archive = await archiveOf(...filler.slice(0, 20), needle, ...filler.slice(20))
    expect(refsOf(archive, word).slice(0, 3)).toContain(referenceOf(needle))
    archive.close()
  })

  it('never takes a query as syntax', async () => {
    const archive = await archiveOf('some text (with) "quotes" AND NOT OR NEAR * ^ : - + {columns}')
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'"*^():-+{} NEARANDOT\0') })),
        (words) => {
          expect(Array.isArray(archive.search({ words }))).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
    archive.close()
  })

  it('puts the literal word before its other cases and longer words, and all words before some', async () => {
    const archive = await archiveOf('PARSER', 'a parser', 'parsers', 'a parser and a lexer', 'a lexer')
    expect(refsOf(archive, 'parser').slice(0, 2).sort()).toEqual(
      ['a parser', 'a parser and a lexer'].map((text) => referenceOf(text)).sort(),
    )
    expect(refsOf(archive, 'lexer parser')).toEqual([referenceOf('a parser and a lexer')])
    expect(refsOf(archive, 'lexer nonexistent').sort()).toEqual(
      ['a lexer', 'a parser and a lexer'].map((text) => referenceOf(text)).sort(),
    )
    expect(refsOf(archive, 'nonexistent')).toEqual([])
    archive.close()
  })

  it('finds a word of a script without spaces wherever it stands, not only where it stands alone', async () => {
    const archive = await archiveOf('数据库', '我们的数据库系统', '数 和 据')
    expect(refsOf(archive, '数据库').slice(0, 2)).toEqual(
      ['数据库', '我们的数据库系统'].map((text) => referenceOf(text)),
    )
    archive.close()
  })

  it('finds an output by its command, and a command with a word of its output', async () => {
    const archive = await archiveOf(
      removed('nothing to commit', { tool: 'Bash', target: 'git status --short' }),
      removed('3 failed', { tool: 'Bash', target: 'npx vitest run' }),
    )
    expect(refsOf(archive, 'git status --short')).toEqual([referenceOf('nothing to commit')])
    expect(refsOf(archive, 'vitest failed')).toEqual([referenceOf('3 failed')])
    archive.close()
  })

  it('finds words of a recorded JSON body as they read, not as they are escaped', async () => {
    const body = JSON.stringify([{ type: 'text', text: 'first\nsecond\ttabbed "inner" \u00e9t\u00e9' }])
    const image = 'iVBORw0KGgo'.repeat(200)
    const raw = body.replace('été', '\\u00e9t\\u00e9').replace(']', `,{"data":"${image}"}]`)
    const archive = await archiveOf(removed(raw, { mediaType: 'application/json' }), 'nsecond ttabbed')
    for (const word of ['second', 'tabbed', '"inner"', 'été']) expect(refsOf(archive, word)[0]).toBe(referenceOf(raw))
    expect(refsOf(archive, image)).toEqual([])
    archive.close()
  })

  it('narrows by tool, target, session and time', async () => {
    const archive = await openArchive(temporaryFolder())
    const put = (session: string, time: number, tool: string, target: string) =>
      archive.put({
        session,
        source: `/${session}.jsonl`,
        time,
        removed: [removed(`common words ${session} ${target}`, { tool, target })],
      })
    put('aaaa-1', 1_000, 'Read', '/src/one.ts')
    put('aaaa-2', 2_000, 'Bash', 'cat /src/one.ts')
    put('bbbb-1', 3_000, 'Bash', 'ls')
    const found = (filters: object) => archive.search({ words: 'common', ...filters }).map((hit) => hit.session)
    expect(found({}).sort()).toEqual(['aaaa-1', 'aaaa-2', 'bbbb-1'])
    expect(found({ tool: 'bash' }).sort()).toEqual(['aaaa-2', 'bbbb-1'])
    expect(found({ target: 'ONE.ts' }).sort()).toEqual(['aaaa-1', 'aaaa-2'])
    expect(found({ session: 'aaaa' }).sort()).toEqual(['aaaa-1', 'aaaa-2'])
    expect(found({ session: '/bbbb-1.jsonl' })).toEqual(['bbbb-1'])
    expect(found({ since: 2_000 }).sort()).toEqual(['aaaa-2', 'bbbb-1'])
    expect(found({ until: 2_000 })).toEqual(['aaaa-1'])
    expect(found({ tool: 'Bash', target: 'one' })).toEqual(['aaaa-2'])
    expect(archive.search({ tool: 'Bash' }).map((hit) => hit.target)).toEqual(['ls', 'cat /src/one.ts'])
    expect(archive.search({ words: 'common', limit: 2 })).toHaveLength(2)
    archive.close()
  })

  it('names the origin that the filter asked for', async () => {
    const archive = await openArchive(temporaryFolder())
    for (const session of ['one', 'two']) {
      archive.put({
        session,
        source: `/${session}`,
        time: 1,
        removed: [removed('shared content', { target: `${session}.ts` })],
      })
    }
    expect(archive.search({ words: 'shared', session: 'one' })[0]).toMatchObject({ session: 'one', target: 'one.ts' })
    expect(archive.search({ words: 'shared' })[0]).toMatchObject({ session: 'two', target: 'two.ts' })
    archive.close()
  })

  it('shows one line around the word, without control characters', async () => {
    const archive = await archiveOf(`${'before '.repeat(40)}\n\x1b[31mneedle\x1b[0m\n${'after '.repeat(40)}`)
    const [hit] = archive.search({ words: 'needle' })
    expect(hit?.snippet).toMatch(/^….*before \[31mneedle \[0m after.*…$/)
    expect(hit?.snippet.length).toBeLessThan(170)
    archive.close()
  })

  it('searches images by their call only', async () => {
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47])
    const archive = await archiveOf(removed(image, { target: 'screens/login.png' }))
    expect(refsOf(archive, 'login.png')).toEqual([referenceOf(image)])
    archive.close()
  })
})
