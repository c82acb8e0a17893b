import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { withSessionFolder } from './session-folder.ts'

describe('withSessionFolder', () => {
  it('names the folder of another home', () => {
    expect(withSessionFolder({ HOME: '/elsewhere' })).toEqual({
      HOME: '/elsewhere',
      CLAUDE_CONFIG_DIR: '/elsewhere/.claude',
    })
  })

  it('changes nothing in the home of this process, nor where the folder is named', () => {
    for (const environment of [{ HOME: homedir() }, { HOME: '/elsewhere', CLAUDE_CONFIG_DIR: '/config' }]) {
      expect(withSessionFolder(environment)).toBe(environment)
    }
  })
})
