/** `spillway recall` and `spillway gc` as a person runs them: what they print and how they end. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import { referenceOf } from '../src/core/reference.ts'
import { removed, temporaryFolder } from './support/archive.ts'
import { documentOf, spillway } from './support/cli.ts'

async function archiveAndRun(...contents: readonly (string | Uint8Array)[]) {
  const home = temporaryFolder()
  const folder = join(home, 'data', 'spillway')
  const archive = await openArchive(folder)
  const session = 'session-1'
  archive.put({ session, source: join(home, 's.jsonl'), time: 1, removed: contents.map((content) => removed(content)) })
  archive.close()
  const run = (...words: string[]) => spillway(words, { cwd: home, env: { XDG_DATA_HOME: join(home, 'data') } })
  return { folder, run }
}

describe('spillway recall', () => {
  it('prints content to the byte, and as a document', async () => {
    const image = new Uint8Array([0x89, 0x50, 0xff, 0x00])
    const { run, folder } = await archiveAndRun('first line\nlast line', image)
    const ref = referenceOf('first line\nlast line')
    expect(await run('recall', ref)).toMatchObject({ code: 0, stdout: 'first line\nlast line', stderr: '' })
    const document = documentOf(await run('recall', ref, '--json'))
    const contract = { ref, bytes: 20, mediaType: 'text/plain', tool: 'Read', content: 'first line\nlast line' }
    expect(document).toMatchObject({ ...contract, source: expect.stringMatching(/s\.jsonl$/), archive: folder })
    expect(documentOf(await run('recall', referenceOf(image), '--json'))).toMatchObject({ encoding: 'base64' })
  })

  it('prints hits, and ends with 1 when there are none', async () => {
    const { run, folder } = await archiveAndRun('a needle in here', 'and a needle there')
    const found = await run('recall', 'needle', 'in', 'here')
    expect(found.code).toBe(0)
    expect(found.stdout).toContain(referenceOf('a needle in here'))
    expect(found.stderr).toContain(folder)
    for (const line of found.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    const { hits } = documentOf(await run('recall', 'needle', '--json'))
    const wanted = { ref: expect.any(String), score: expect.any(Number), snippet: expect.stringContaining('needle') }
    const each = { ...wanted, tool: 'Read', source: expect.any(String), archive: folder }
    expect(hits).toMatchObject([each, each])
    const none = await run('recall', 'haystack')
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toMatch(/nothing found/)
    expect(documentOf(await run('recall', 'haystack', '--json'))).toEqual({ hits: [] })
  })

  it('ends with 2 on wrong usage', async () => {
    const { run } = await archiveAndRun('content')
    for (const words of [[], ['x', '--limit', '0'], ['x', '--since', 'yesterday'], ['x', '--unknown']]) {
      expect(await run('recall', ...words)).toMatchObject({ code: 2, stdout: '' })
    }
  })
})

describe('spillway gc', () => {
  it('removes nothing without a limit, tells in a dry run, and then removes', async () => {
    const { run, folder } = await archiveAndRun('content')
    const held = async () => {
      const archive = await openArchive(folder, { readOnly: true })
      const object = archive.get(referenceOf('content'))
      archive.close()
      return object !== undefined
    }
    expect(await run('gc')).toMatchObject({ code: 0, stdout: expect.stringContaining('removed: nothing') })
    expect((await run('gc', '--older-than', '1h', '--dry-run')).stdout).toContain('would remove: 1 other objects')
    expect(await held()).toBe(true)
    const { archives } = documentOf(await run('gc', '--session', 'session', '--json'))
    expect(archives).toMatchObject([
      { archive: folder, dryRun: false, removed: { objects: { restorable: 1 } }, needed: 0 },
    ])
    expect(await held()).toBe(false)
    expect(await run('gc', '--max-bytes', 'much')).toMatchObject({ code: 2 })
    expect(await run('gc', '--session', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such session'),
    })
    expect(existsSync(folder)).toBe(true)
  })
})
