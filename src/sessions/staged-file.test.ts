import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { discard, publishNew, refuseExisting, stageFile } from './staged-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-staged-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

describe('stageFile', () => {
  it('shows nothing under the target name before it is published', async () => {
    const target = join(folder, 'out.jsonl')
    const staged = await stageFile(target, pieces('a', 'b'))
    expect(existsSync(target)).toBe(false)
    publishNew(staged)
    expect(readFileSync(target, 'utf8')).toBe('ab')
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['out.jsonl'])
  })

  it('compresses only when the name ends in .gz, and hashes what is inside', async () => {
    const plain = await stageFile(join(folder, 'out.jsonl'), pieces('text'))
    const zipped = await stageFile(join(folder, 'out.jsonl.gz'), pieces('text'))
    publishNew(zipped)
    expect(gunzipSync(readFileSync(join(folder, 'out.jsonl.gz'))).toString()).toBe('text')
    expect(zipped.sha256).toEqual(plain.sha256)
    expect(zipped.bytes).toBe(4)
    discard(plain)
  })

  it('says in words why the system refuses, whatever it is', async () => {
    symlinkSync('round', join(folder, 'round'))
    const inLoop = stageFile(join(folder, 'round', 'out.jsonl'), pieces('a'))
    await expect(inLoop).rejects.toMatchObject({
      code: 'unwritable',
      message: expect.stringMatching(/ELOOP.*nothing was written$/),
    })
    expect(() => refuseExisting(join(folder, 'round', 'out.jsonl'))).toThrow(/nothing was written$/)
  })

  it('never overwrites', async () => {
    const target = join(folder, 'out.jsonl')
    writeFileSync(target, 'mine')
    const staged = await stageFile(target, pieces('other'))
    expect(() => publishNew(staged)).toThrow(/exists already/)
    expect(readFileSync(target, 'utf8')).toBe('mine')
  })

  it('leaves nothing behind when the content fails', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('half')
      throw new Error('the source broke')
    }
    await expect(stageFile(join(folder, 'out.jsonl'), failing())).rejects.toThrow('the source broke')
    expect(readdirSync(folder)).toEqual([])
  })

  it('says in one line why nothing can be written', async () => {
    await expect(stageFile(join(folder, 'no/out.jsonl'), pieces('a'))).rejects.toThrow(/folder does not exist; nothing/)
  })

  it('clears away what a dead run left, and only that', async () => {
    writeFileSync(join(folder, '.spillway-999999999-0123456789ab.tmp'), 'left by a killed run')
    writeFileSync(join(folder, `.spillway-${process.pid}-0123456789ab.tmp`), 'being written')
    writeFileSync(join(folder, '.spillway-notes.tmp'), 'not ours')
    discard(await stageFile(join(folder, 'out.jsonl'), pieces('a')))
    expect(readdirSync(folder).sort()).toEqual([`.spillway-${process.pid}-0123456789ab.tmp`, '.spillway-notes.tmp'])
  })
})
