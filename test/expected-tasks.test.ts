/** Every delegated task of every recorded session, against the list that was written down by hand from the raw files. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sessionTasks } from '../src/sessions/tasks.ts'
import { DATA, hasData, noticeMissing, sessionFiles } from './support/shared.ts'

const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(fileURLToPath(import.meta.url), '../support/expected-tasks.json'), 'utf8'),
)
const FOLDERS = ['claude-code', 'claude-code-probe', 'openclaw', 'openclaw-probe', 'pi', 'codex']
if (!hasData) noticeMissing(DATA)

describe.skipIf(!hasData)('delegated tasks', () => {
  const files = FOLDERS.flatMap(sessionFiles).filter((file) => !file.includes('/subagents/'))

  it('are looked for in every session that has some', () => {
    const names = files.map((file) => relative(DATA, file))
    expect(names).toEqual(expect.arrayContaining(Object.keys(EXPECTED)))
  })

  for (const file of files) {
    const name = relative(DATA, file)
    it(`${name}: ${Object.keys(EXPECTED[name] ?? {}).length}`, async () => {
      const { tasks } = await sessionTasks(file)
      expect(Object.fromEntries(tasks.map(({ id, state }) => [id, state]))).toEqual(EXPECTED[name] ?? {})
    })
  }
})
