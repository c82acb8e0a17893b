import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { credentialsFile, hasCredentials, readCredentials, withCredentials, writeCredentials } from './credentials.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'spillway-credentials-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const here = (more: Record<string, string> = {}) => ({ HOME: home, ...more })

describe('stored credentials', () => {
  it('come back as they were written, for their owner only', () => {
    const file = writeCredentials({ apiKey: 'key', baseUrl: 'https://gateway.local' }, here())
    expect(file).toBe(join(home, '.config/spillway/credentials.json'))
    expect(readCredentials(here())).toEqual({ apiKey: 'key', baseUrl: 'https://gateway.local' })
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('are below XDG_CONFIG_HOME, unless it is relative', () => {
    expect(credentialsFile(here({ XDG_CONFIG_HOME: '/xdg' }))).toBe('/xdg/spillway/credentials.json')
    expect(credentialsFile(here({ XDG_CONFIG_HOME: 'xdg' }))).toBe(join(home, '.config/spillway/credentials.json'))
  })

  it('give way to the environment', () => {
    writeCredentials({ apiKey: 'stored', baseUrl: 'https://stored.local' }, here())
    expect(withCredentials(here())).toMatchObject({
      ANTHROPIC_API_KEY: 'stored',
      ANTHROPIC_BASE_URL: 'https://stored.local',
    })
    const named = here({ CLAUDE_CODE_OAUTH_TOKEN: 'mine' })
    expect(withCredentials(named)).toEqual(named)
    const other = withCredentials(here({ ANTHROPIC_BASE_URL: 'https://mine.local' }))
    expect(other).toMatchObject({ ANTHROPIC_API_KEY: 'stored', ANTHROPIC_BASE_URL: 'https://mine.local' })
  })

  it.each([
    ['{"version": 1', /cannot be read as JSON/],
    ['{"version": 1, "apiKey": 7}', /apiKey: .*; run spillway setup again/],
    ['{"version": 2}', /newer Spillway/],
  ])('%s is refused with what is wrong', (text, message) => {
    mkdirSync(dirname(credentialsFile(here())), { recursive: true })
    writeFileSync(credentialsFile(here()), text)
    expect(() => readCredentials(here())).toThrow(message)
  })

  it('are none that are empty, or an endpoint that is no address', () => {
    expect(() => writeCredentials({ apiKey: '' }, here())).toThrow(/apiKey/)
    expect(() => writeCredentials({ apiKey: 'k', baseUrl: 'gateway' }, here())).toThrow(/baseUrl/)
  })
})

describe('something to pay with', () => {
  it('is a key, a token, a cloud, or a login of Claude Code', () => {
    expect(hasCredentials(here())).toBe(false)
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK']) {
      expect(hasCredentials(here({ [name]: '1' }))).toBe(true)
    }
    writeFileSync(join(home, '.claude.json'), '{"numStartups": 3}')
    expect(hasCredentials(here())).toBe(false)
    writeFileSync(join(home, '.claude.json'), '{"oauthAccount": {}}')
    expect(hasCredentials(here())).toBe(true)
  })
})
