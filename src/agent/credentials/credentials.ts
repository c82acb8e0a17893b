/**
 * Credentials, written once by `spillway setup`: one file of this user, 0600 in a folder of 0700. The environment
 * comes first; what is in neither is Claude Code's own login, where there is one.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { SpillwayError } from '../../core/errors.ts'
import { replaceFile } from '../lineage/shared-json.ts'

type Environment = Readonly<Record<string, string | undefined>>

const VERSION = 1
const CREDENTIALS = z.object({
  version: z.literal(VERSION),
  apiKey: z.string().min(1).optional(),
  /** A bearer token for a gateway, sent as Authorization. */
  authToken: z.string().min(1).optional(),
  baseUrl: z.url().optional(),
})
export type Credentials = Omit<z.infer<typeof CREDENTIALS>, 'version'>

export const HOW_TO_SET_UP = 'no credentials for Claude: run spillway setup, or set ANTHROPIC_API_KEY'

/** `$XDG_CONFIG_HOME/spillway/credentials.json`, by default below `~/.config`. */
export function credentialsFile(environment: Environment): string {
  const config = environment.XDG_CONFIG_HOME
  const home = environment.HOME || homedir()
  return join(config && isAbsolute(config) ? config : join(home, '.config'), 'spillway', 'credentials.json')
}

/** @throws SpillwayError `unreadable`, `newer-version` */
export function readCredentials(environment: Environment): Credentials | undefined {
  const file = credentialsFile(environment)
  if (!existsSync(file)) return undefined
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SpillwayError('unreadable', `${file}: cannot be read as JSON; run spillway setup again`, { cause })
  }
  if (typeof value === 'object' && value !== null && 'version' in value && Number(value.version) > VERSION) {
    throw new SpillwayError('newer-version', `${file}: written by a newer Spillway`)
  }
  const read = CREDENTIALS.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    const where = issue ? `${issue.path.join('.')}: ${issue.message}` : 'not what was expected'
    throw new SpillwayError('unreadable', `${file}: ${where}; run spillway setup again`)
  }
  const { version: _, ...credentials } = read.data
  return credentials
}

/** Replaces what was there. @throws SpillwayError `usage` for what is no credential, `unwritable` */
export function writeCredentials(credentials: Credentials, environment: Environment): string {
  const file = credentialsFile(environment)
  const content = CREDENTIALS.safeParse({ version: VERSION, ...credentials })
  if (!content.success) {
    const [issue] = content.error.issues
    throw new SpillwayError('usage', `${issue?.path.join('.') ?? 'credentials'}: ${issue?.message ?? 'not valid'}`)
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    replaceFile(file, `${JSON.stringify(content.data, null, 2)}\n`)
  } catch (cause) {
    throw new SpillwayError('unwritable', `${file}: cannot be written`, { cause })
  }
  return file
}

/** What says in the environment how requests are paid for. */
const NAMED = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

/** The environment with the stored credentials where it names none. @throws as `readCredentials` */
export function withCredentials(environment: Environment): Environment {
  if (NAMED.some((name) => environment[name])) return environment
  const { apiKey, authToken, baseUrl } = readCredentials(environment) ?? {}
  return {
    ...environment,
    ...(apiKey === undefined ? {} : { ANTHROPIC_API_KEY: apiKey }),
    ...(authToken === undefined ? {} : { ANTHROPIC_AUTH_TOKEN: authToken }),
    ...(baseUrl === undefined || environment.ANTHROPIC_BASE_URL ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
  }
}

/** Is there anything a request could be paid with: in this environment, or in a login of Claude Code? */
export function hasCredentials(environment: Environment): boolean {
  if (NAMED.some((name) => environment[name])) return true
  const home = environment.HOME || homedir()
  const config = environment.CLAUDE_CONFIG_DIR
  if (existsSync(join(config || join(home, '.claude'), '.credentials.json'))) return true
  // On macOS the token is in the keychain; this file says whose it is.
  const account = join(config || home, '.claude.json')
  return existsSync(account) && /"(?:oauthAccount|primaryApiKey|apiKeyHelper)"/.test(readFileSync(account, 'utf8'))
}
