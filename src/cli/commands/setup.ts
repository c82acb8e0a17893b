/** `spillway setup`: credentials, written once. */
import type { Command } from 'commander'
import {
  type Credentials,
  credentialsFile,
  readCredentials,
  writeCredentials,
} from '../../agent/credentials/credentials.ts'
import { SpillwayError } from '../../core/errors.ts'
import { printableText } from '../printable.ts'
import { note, print, printJson } from '../terminal.ts'

const HELP = `
Written to one file of yours, 0600 in a folder of 0700; a key is never shown and never sent anywhere but to the endpoint
when an agent runs. The environment (ANTHROPIC_API_KEY and the like) comes before it; a login of Claude Code is used
where there is neither.

Examples:
  spillway setup                                          asks
  pass show anthropic | spillway setup --api-key-stdin    for scripts
  spillway setup --from-env                               keeps what ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and
                                                          ANTHROPIC_BASE_URL say now
  spillway setup --dry-run                                says what would be written, and where`

interface Flags {
  readonly apiKeyStdin?: boolean
  readonly fromEnv?: boolean
  readonly baseUrl?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

export function register(program: Command): void {
  program
    .command('setup')
    .summary('credentials, written once')
    .description('Write down once what agents pay with: an API key, or a token for a gateway.')
    .option('--api-key-stdin', 'read an API key from standard input')
    .option('--from-env', 'take what the environment says now')
    .option('--base-url <url>', 'the endpoint, where it is not api.anthropic.com')
    .option('--dry-run', 'write nothing')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(setup)
}

async function setup(flags: Flags): Promise<void> {
  const credentials = withEndpoint(await chosen(flags), flags.baseUrl)
  const file = credentialsFile(process.env)
  const replaces = readOrUndefined() !== undefined
  if (!flags.dryRun) writeCredentials(credentials, process.env)
  if (flags.json) {
    const { apiKey, authToken, baseUrl = null } = credentials
    printJson({
      file,
      written: !flags.dryRun,
      replaces,
      apiKey: apiKey !== undefined,
      authToken: authToken !== undefined,
      baseUrl,
    })
    return
  }
  const done = flags.dryRun ? 'would write' : replaces ? 'replaced' : 'wrote'
  print(`${done} ${file}: ${described(credentials)}`)
}

async function chosen(flags: Flags): Promise<Credentials> {
  if (flags.apiKeyStdin && flags.fromEnv)
    throw new SpillwayError('usage', '--api-key-stdin and --from-env exclude each other')
  if (flags.apiKeyStdin) return { apiKey: secret(await fromStdin(), 'standard input') }
  if (flags.fromEnv) return fromEnvironment()
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new SpillwayError('usage', 'nobody can be asked here: give a key with --api-key-stdin, or use --from-env')
  }
  return asked()
}

async function fromStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function fromEnvironment(): Credentials {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseUrl } = process.env
  if (!apiKey && !authToken) {
    throw new SpillwayError('usage', '--from-env: neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set')
  }
  return {
    ...(apiKey ? { apiKey: secret(apiKey, 'ANTHROPIC_API_KEY') } : {}),
    ...(authToken ? { authToken: secret(authToken, 'ANTHROPIC_AUTH_TOKEN') } : {}),
    ...(baseUrl ? { baseUrl } : {}),
  }
}

async function asked(): Promise<Credentials> {
  const { isCancel, password, select, text } = await import('@clack/prompts')
  const stopped = (): SpillwayError => new SpillwayError('usage', 'nothing was written')
  const kind = await select({
    message: 'What do your agents pay with?',
    options: [
      { value: 'apiKey' as const, label: 'an Anthropic API key' },
      { value: 'authToken' as const, label: 'a token for a gateway of your own' },
    ],
  })
  if (isCancel(kind)) throw stopped()
  const key = await password({ message: kind === 'apiKey' ? 'The key' : 'The token', validate: problemOf })
  if (isCancel(key)) throw stopped()
  if (kind === 'apiKey') return { apiKey: secret(key, 'the key') }
  const baseUrl = await text({ message: 'The gateway', placeholder: 'https://…', validate: (url) => urlProblem(url) })
  if (isCancel(baseUrl)) throw stopped()
  return { authToken: secret(key, 'the token'), baseUrl }
}

function withEndpoint(credentials: Credentials, baseUrl: string | undefined): Credentials {
  const url = baseUrl ?? credentials.baseUrl
  const problem = url === undefined ? undefined : urlProblem(url)
  if (problem !== undefined) throw new SpillwayError('usage', `--base-url: ${problem}`)
  return url === undefined ? credentials : { ...credentials, baseUrl: url }
}

function urlProblem(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url)
    ? undefined
    : 'expected an address that begins with https:// or http://'
}

/** @throws SpillwayError `usage` for what cannot be a key */
function secret(words: string, where: string): string {
  const key = words.trim()
  const problem = problemOf(key)
  if (problem !== undefined) throw new SpillwayError('usage', `${where}: ${problem}`)
  return key
}

function problemOf(words: string | undefined): string | undefined {
  const key = words?.trim() ?? ''
  if (key === '') return 'is empty'
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'holds spaces or characters that no key has'
}

/** Never the secret itself. */
function described({ apiKey, authToken, baseUrl }: Credentials): string {
  const parts = [
    ...(apiKey === undefined ? [] : [`an API key${ending(apiKey)}`]),
    ...(authToken === undefined ? [] : [`a token${ending(authToken)}`]),
    ...(baseUrl === undefined ? [] : [`endpoint ${baseUrl}`]),
  ]
  return parts.join(', ')
}

/** So much that one knows it again; of a short one nothing. */
function ending(key: string): string {
  return key.length < 16 ? '' : ` (…${key.slice(-4)})`
}

/** A damaged file is replaced like any other; that it was is said. */
function readOrUndefined(): Credentials | undefined {
  try {
    return readCredentials(process.env)
  } catch (error) {
    note(`spillway: ${printableText(error instanceof Error ? error.message : String(error))}`)
    return {}
  }
}
