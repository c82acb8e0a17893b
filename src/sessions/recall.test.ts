import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { removed, temporaryFolder } from '../../test/support/archive.ts'
import { openArchive } from '../archive/index.ts'
import type { SpillwayError } from '../core/errors.ts'
import { pointerTo } from '../core/pointer.ts'
import { referenceOf } from '../core/reference.ts'
import { recall } from './recall.ts'

/** A machine with a project archive and a data archive. */
async function machine() {
  const root = temporaryFolder()
  const workingFolder = join(root, 'project')
  const project = join(workingFolder, '.spillway')
  const data = join(root, 'data', 'spillway')
  mkdirSync(project, { recursive: true })
  const put = async (folder: string, ...contents: (string | Uint8Array)[]) => {
    const archive = await openArchive(folder)
    archive.put({ session: 's', source: '/s.jsonl', time: 5, removed: contents.map((content) => removed(content)) })
    archive.close()
  }
  return { workingFolder, project, data, put, environment: { XDG_DATA_HOME: join(root, 'data') } }
}

describe('recall', () => {
  it('gives the content behind a reference or a pointer, whichever archive holds it, and says which', async () => {
    const { put, project, data, ...place } = await machine()
    await put(project, 'in the project')
    await put(data, 'in the data folder')
    const ref = referenceOf('in the data folder')
    const wanted = { ref, archive: data, content: 'in the data folder', encoding: 'utf8', bytes: 18, tool: 'Read' }
    const pointer = pointerTo({ ref, tool: 'Read', size: '18 characters' })
    for (const words of [ref, ` ${ref}\n`, pointer]) {
      expect(await recall({ ...place, words })).toMatchObject({ kind: 'content', content: wanted })
    }
  })

  it('gives bytes as base64 in the document and as they are beside it', async () => {
    const { put, project, data: _, ...place } = await machine()
    const image = new Uint8Array([0x89, 0x50, 0xff, 0x00])
    await put(project, image)
    const answer = await recall({ ...place, words: referenceOf(image) })
    expect(answer).toMatchObject({ content: { encoding: 'base64', content: 'iVD/AA==', mediaType: 'image/png' } })
    expect(answer.kind === 'content' && [...Buffer.from(answer.raw)]).toEqual([...image])
  })

  it('searches every archive, best hits first, and takes a word that only looks like a reference as a word', async () => {
    const { put, project, data, ...place } = await machine()
    await put(project, 'the function xabcdefghijkl()')
    await put(data, 'the word abcdefghijkl', 'unrelated')
    const answer = await recall({ ...place, words: 'abcdefghijkl' })
    expect(answer.kind === 'hits' && answer.hits.map((hit) => hit.archive).sort()).toEqual([data, project].sort())
    const limited = await recall({ ...place, words: 'abcdefghijkl', limit: 1 })
    expect(limited.kind === 'hits' && limited.hits.map((hit) => hit.archive)).toEqual([data])
    expect(await recall({ ...place, words: 'nonexistent' })).toMatchObject({ kind: 'hits', hits: [] })
  })

  it('does not let a damaged archive hide another one, and reports it', async () => {
    const { put, project, data, ...place } = await machine()
    await put(data, 'content')
    writeFileSync(join(project, 'archive.sqlite'), 'damaged '.repeat(1000))
    const problems: SpillwayError[] = []
    const answer = await recall({ ...place, words: 'content' }, (problem) => problems.push(problem))
    expect(answer.kind === 'hits' && answer.hits).toHaveLength(1)
    expect(problems.map((problem) => problem.code)).toEqual(['unreadable'])
    rmSync(data, { recursive: true })
    await expect(recall({ ...place, words: 'content' })).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('says when nothing was archived yet, or not where it was asked to look', async () => {
    const { put: _, project, data: __, ...place } = await machine()
    await expect(recall({ ...place, words: 'content' })).rejects.toThrow(/nothing was archived yet/)
    await expect(recall({ ...place, words: 'content', archive: project })).rejects.toThrow(project)
    expect(existsSync(join(project, 'archive.sqlite'))).toBe(false)
  })

  it('writes a readable copy again that retention removed', async () => {
    const { project, put, data: _, ...place } = await machine()
    await put(project, 'spilled at birth')
    const archive = await openArchive(project)
    const path = archive.spill(referenceOf('spilled at birth'))
    archive.close()
    rmSync(path)
    await recall({ ...place, words: referenceOf('spilled at birth') })
    expect(existsSync(path)).toBe(true)
  })
})
