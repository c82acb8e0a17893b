import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteText } from '../planning/budget/index.ts'
import type { Found } from './found.ts'
import { gather, HEADINGS } from './gather.ts'
import type { PutBack } from './put-back.ts'

let home = ''
let folder = ''
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'spillway-gather-'))
  folder = join(home, 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.ts'), 'export {}\n')
  writeFileSync(join(folder, 'picture.png'), Buffer.from([137, 80, 0, 1]))
  writeFileSync(join(home, 'secret'), 'key')
  symlinkSync(join(home, 'secret'), join(folder, 'link.ts'))
})
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

const found: Found = { task: 'mend it', rules: ['be careful'] }
const bodies = async (putBack: PutBack, more: Partial<Found> = {}, earlier?: string) => {
  const sections = await gather({ putBack, found: { ...found, ...more }, folder, ...(earlier ? { earlier } : {}) })
  return Object.fromEntries(sections.map(({ heading, body }) => [heading, body]))
}

describe('what is put back', () => {
  it('what was found, in the order in which it is read', async () => {
    const all = await bodies({}, { todos: [{ text: 'x', status: 'pending' }], plan: { text: '1. look' }, file: 'a.ts' })
    expect(Object.entries(all)).toEqual([
      [HEADINGS.task, 'mend it'],
      [HEADINGS.rules, '- be careful'],
      [HEADINGS.plan, '1. look'],
      [HEADINGS.todos, '- [pending] x'],
      [`${HEADINGS.file}: a.ts`, 'export {}\n'],
    ])
  })

  it('what the caller gives instead, and nothing of what it switches off', async () => {
    const given = await bodies({
      task: async () => 'another task',
      rules: () => 'in one text',
      plan: false,
      todos: () => [],
      file: () => ({ path: 'memory.ts', content: 'in memory' }),
    })
    expect(given).toEqual({
      [HEADINGS.task]: 'another task',
      [HEADINGS.rules]: 'in one text',
      [`${HEADINGS.file}: memory.ts`]: 'in memory',
    })
  })

  it.each(['../secret', 'link.ts', '/etc/hostname', 'gone.ts', 'picture.png', '.', ''])(
    'reads nothing at %j',
    async (path) => {
      expect(Object.keys(await bodies({ task: false, rules: false, file: () => path }))).toEqual([])
      expect(Object.keys(await bodies({ task: false, rules: false }, { plan: { path } }))).toEqual([])
    },
  )

  it('what is found no more is taken from the note before, the file from disk', async () => {
    const facts = { ref: 'abcdefghijkl', turns: 1, calls: 1, byTool: {} }
    const sections = [
      { heading: HEADINGS.plan, body: 'old plan' },
      { heading: HEADINGS.todos, body: '- [pending] old' },
      { heading: `${HEADINGS.file}: a.ts`, body: 'as it was then' },
    ]
    const earlier = noteText(facts, sections, 1000).text
    expect(await bodies({}, { todos: [{ text: 'new', status: 'pending' }] }, earlier)).toMatchObject({
      [HEADINGS.plan]: 'old plan',
      [HEADINGS.todos]: '- [pending] new',
      [`${HEADINGS.file}: a.ts`]: 'export {}\n',
    })
  })

  it('what a callback throws, the caller gets', async () => {
    const task = () => Promise.reject(new Error('disk on fire'))
    await expect(bodies({ task })).rejects.toThrow('disk on fire')
  })
})
