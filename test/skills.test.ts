/** The agent skills: what every card has, that its commands exist, and that verify sees any change. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { publishedSkills, verifySkills } from '../src/cli/published-skills.ts'
import * as spillwayRoot from '../src/index.ts'
import { temporaryFolder } from './support/archive.ts'
import { spillway } from './support/cli.ts'
import { EXAMPLES } from './support/shared.ts'

const SKILLS = join(EXAMPLES, '..', 'skills')
const SECTIONS = ['Trigger', 'Do', 'Avoid', 'Check', 'Risk', 'Provenance']

let installed = ''
beforeEach(() => {
  installed = join(temporaryFolder(), 'skills')
  cpSync(SKILLS, installed, { recursive: true })
})

const statesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(verifySkills(SKILLS, folder).map(({ name, state }) => [name, state]))

describe('agent skills', () => {
  it('are all published: on a change run `cd skills && sha256sum */SKILL.md > SHA256SUMS`', () => {
    const results = verifySkills(SKILLS)
    expect(results.map(({ name }) => name)).toEqual(readdirSync(SKILLS).filter((name) => name !== 'SHA256SUMS'))
    expect(results.filter(({ state }) => state !== 'ok')).toEqual([])
  })

  it.each(publishedSkills(SKILLS))(
    '$name has every section, in order, and fits its rules',
    ({ name, description, file }) => {
      const text = readFileSync(file, 'utf8')
      expect(text.startsWith(`---\nname: ${name}\ndescription: Use when `)).toBe(true)
      expect(description.length).toBeLessThan(1024)
      expect([...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual(SECTIONS)
      expect(text.split('\n').length).toBeLessThan(100)
    },
  )

  it.each(publishedSkills(SKILLS))('$name names only commands and functions that exist', ({ file }) => {
    const text = readFileSync(file, 'utf8').replaceAll('\n', ' ')
    const commands = [...text.matchAll(/`spillway (?:\s*)([a-z]+)/g)].map((match) => match[1] ?? '')
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands) expect(Object.keys(COMMANDS)).toContain(command)
    const functions = [...text.matchAll(/`(?:import \{ )?([a-z]\w+)\([^`]*\)`/g)].map((match) => match[1] ?? '')
    for (const name of functions) expect(Object.keys(spillwayRoot)).toContain(name)
  })

  it('are verified: a changed, a strange and a missing one show', async () => {
    const [first = '', second = '', ...others] = Object.keys(statesOf(SKILLS))
    expect(Object.values(statesOf(installed)).every((state) => state === 'ok')).toBe(true)
    appendFileSync(join(installed, first, 'SKILL.md'), ' ')
    rmSync(join(installed, second), { recursive: true })
    mkdirSync(join(installed, 'spillway-forged'))
    mkdirSync(join(installed, 'of-somebody-else'))
    expect(statesOf(installed)).toEqual({
      [first]: 'changed',
      ...Object.fromEntries(others.map((name) => [name, 'ok'])),
      'spillway-forged': 'unlisted',
    })
    expect(verifySkills(installed).find(({ name }) => name === second)?.state).toBe('missing')
  })

  it('are listed and verified from the command line', async () => {
    const options = { cwd: temporaryFolder() }
    const list = await spillway(['skills', 'list', '--json'], options)
    const { folder, skills } = JSON.parse(list.stdout) as { folder: string; skills: { name: string }[] }
    expect([folder, skills.length]).toEqual([SKILLS, readdirSync(SKILLS).length - 1])
    expect(await spillway(['skills', 'verify'], options)).toMatchObject({ code: 0, stderr: '' })
    appendFileSync(join(installed, skills[0]?.name ?? '', 'SKILL.md'), 'x')
    const changed = await spillway(['skills', 'verify', installed], options)
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringMatching(/^changed {2}spillway-/)])
    expect((await spillway(['skills', 'nonsense'], options)).code).toBe(2)
    expect((await spillway(['skills', 'verify', '/nowhere/at/all'], options)).stderr).toMatch(/no such folder/)
  })
})
