/** `spillway recall` and `spillway gc` as a person runs them: what they print and how they end. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import { referenceOf } from '../src/core/reference.ts'
import { removed, temporaryFolder } from './support/archive.ts'

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly problem: string
}

async function archiveAndRun(...contents: readonly (string | Uint8Array)[]) {
  const home = temporaryFolder()
  const folder = join(home, 'data', 'spillway')
  const archive = await openArchive(folder)
  const session = 'session-1'
  archive.put({ session, source: join(home, 's.jsonl'), time: 1, removed: contents.map((content) => removed(content)) })
  archive.close()
  const run = (...words: string[]): Ended => {
    const environment = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: join(home, 'data') }
    const ended = spawnSync(process.execPath, ['--import', TSX, MAIN, ...words], { cwd: home, env: environment })
    return { code: ended.status, out: ended.stdout.toString(), problem: ended.stderr.toString() }
  }
  return { folder, run }
}

describe('spillway recall', () => {
  it('prints content to the byte, and as a document', async () => {
    const image = new Uint8Array([0x89, 0x50, 0xff, 0x00])
    const { run, folder } = await archiveAndRun('first line\nlast line', image)
    const ref = referenceOf('first line\nlast line')
    expect(run('recall', ref)).toEqual({ code: 0, out: 'first line\nlast line', problem: '' })
    const document = JSON.parse(run('recall', ref, '--json').out)
    const contract = { ref, bytes: 20, mediaType: 'text/plain', tool: 'Read', content: 'first line\nlast line' }
    expect(document).toMatchObject({ ...contract, source: expect.stringMatching(/s\.jsonl$/), archive: folder })
    expect(JSON.parse(run('recall', referenceOf(image), '--json').out)).toMatchObject({ encoding: 'base64' })
  })

  it('prints hits, and ends with 1 when there are none', async () => {
    const { run, folder } = await archiveAndRun('a needle in here', 'and a needle there')
    const found = run('recall', 'needle', 'in', 'here')
    expect(found.code).toBe(0)
    expect(found.out).toContain(referenceOf('a needle in here'))
    expect(found.problem).toContain(folder)
    for (const line of found.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    const { hits } = JSON.parse(run('recall', 'needle', '--json').out)
    expect(hits).toHaveLength(2)
    const wanted = { ref: expect.any(String), score: expect.any(Number), snippet: expect.stringContaining('needle') }
    expect(hits[0]).toMatchObject({ ...wanted, tool: 'Read', source: expect.any(String), archive: folder })
    const none = run('recall', 'haystack')
    expect([none.code, none.out]).toEqual([1, ''])
    expect(none.problem).toMatch(/nothing found/)
    expect(JSON.parse(run('recall', 'haystack', '--json').out)).toEqual({ hits: [] })
  })

  it('ends with 2 on wrong usage', async () => {
    const { run } = await archiveAndRun('content')
    for (const words of [[], ['x', '--limit', '0'], ['x', '--since', 'yesterday'], ['x', '--unknown']]) {
      expect(run('recall', ...words)).toMatchObject({ code: 2, out: '' })
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
    expect(run('gc')).toMatchObject({ code: 0, out: expect.stringContaining('removed: nothing') })
    expect(run('gc', '--older-than', '1h', '--dry-run').out).toContain('would remove: 1 other objects')
    expect(await held()).toBe(true)
    const { archives } = JSON.parse(run('gc', '--session', 'session', '--json').out)
    expect(archives).toMatchObject([
      { archive: folder, dryRun: false, removed: { objects: { restorable: 1 } }, needed: 0 },
    ])
    expect(await held()).toBe(false)
    expect(run('gc', '--max-bytes', 'much')).toMatchObject({ code: 2 })
    expect(run('gc', '--session', 'nobody')).toMatchObject({
      code: 1,
      problem: expect.stringContaining('no such session'),
    })
    expect(existsSync(folder)).toBe(true)
  })
})
