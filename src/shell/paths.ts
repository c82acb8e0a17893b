/** Endings and beginnings of file names that are worth the slow look; ordinary words cost a few comparisons. */
const TELLING_ENDING = /\.(?:env|pem|key|p12|pfx|jks|keystore|kdbx|ya?ml|json|toml)$/i
const TELLING_BEGINNING = /^(?:id_|_netrc|\.?credentials|secrets?\.)/i
const TELLING_SIGN = /[*?[]|(?:^|[/:=@,\u0000])[.]\w|etc\/|proc\//

function isWorthALook(path: string): boolean {
  if (TELLING_SIGN.test(path)) return true
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':'), path.lastIndexOf('=')) + 1)
  return TELLING_BEGINNING.test(base) || TELLING_ENDING.test(base)
}

const EDGE = '(?:^|[/:=@,\u0000])'
/** Files that usually hold a password or a key. Best effort: a name computed at run time is not seen. */
const SECRET = new RegExp(
  `${EDGE}(?:` +
    [
      '\\.env(?:rc)?(?:\\.(?!example|sample|template|dist|defaults?|schema)[^/]*)?$',
      '[^/]*\\.env$',
      '\\.ssh(?:$|/(?!known_hosts|[^/]*\\.pub$))',
      '\\.aws(?:$|/)',
      '\\.gnupg(?:$|/)',
      '\\.password-store(?:$|/)',
      '\\.azure(?:$|/)',
      '\\.kube/config',
      '\\.docker/config\\.json$',
      '\\.config/(?:gcloud|gh|op)(?:$|/)',
      '[._]netrc$',
      '\\.git-credentials$',
      '\\.(?:npmrc|pypirc|pgpass|my\\.cnf|htpasswd|vault-token|boto|s3cfg)$',
      '\\.(?:bash|zsh|python|psql|mysql|node_repl)_history$',
      '\\.?credentials(?:\\.[^/]*)?$',
      'secrets?\\.(?:ya?ml|json|toml|env)$',
      '\\.codex/auth\\.json$',
      'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$',
      '[^/]*\\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$',
      'etc/(?:g?shadow|sudoers)(?:$|[-./])',
      'etc/ssl/private',
      'proc/[^/]+(?:/task/[^/]+)?/(?:environ|mem)$',
      'proc/kcore$',
    ].join('|') +
    ')',
  'i',
)

/** Names that a pattern must not be able to match. */
const SECRET_EXAMPLES = [
  '.env', '.env.local', '.ssh', '.aws', '.netrc', '.gnupg', '.git-credentials', '.npmrc', '.pypirc', '.pgpass',
  'id_rsa', 'id_ed25519', 'server.pem', 'server.key', 'credentials', 'environ', 'shadow',
] // biome-ignore format: a list of names
/** A pattern of fewer fixed characters than this (`*`, `s*`) is taken as "all files", not as aimed at a secret. */
const FEWEST_FIXED_CHARACTERS = 2
/** Longer patterns match none of the short names above, unless they are mostly stars. */
const MOST_PATTERN_CHARACTERS = 60

/** Why showing this file would show a secret, or `undefined`. */
export function secretProblem(path: string): string | undefined {
  if (!isWorthALook(path)) return undefined
  if (SECRET.test(path)) return 'may hold a password or key; do not show it'
  if (/[*?[]/.test(path) && path.split('/').some(mayMatchSecret)) return 'may match a file that holds a password or key'
  return undefined
}

function mayMatchSecret(pattern: string): boolean {
  if (pattern.length > MOST_PATTERN_CHARACTERS) return pattern.startsWith('.')
  if (!/[*?[]/.test(pattern)) return false
  const fixed = pattern.replace(/\[[^\]]*\]|[*?]/g, '')
  if (!fixed.startsWith('.') && fixed.length < FEWEST_FIXED_CHARACTERS) return false
  const source = pattern.replace(/\[!/g, '[^').replace(/[.+^${}()|\\]/g, (sign) => (sign === '^' ? '^' : `\\${sign}`))
  try {
    const matcher = new RegExp(`^${source.replace(/\*+/g, '[^/]*').replace(/\?/g, '[^/]')}$`, 'i')
    return SECRET_EXAMPLES.some((name) => matcher.test(name))
  } catch {
    // A bracket that no regular expression reads: treat it as aimed at a secret when it begins with a dot.
    return fixed.startsWith('.')
  }
}

/** Paths that never end, wait, or open a connection when they are read. */
const ENDLESS =
  /^\/+dev\/(?!null$|stdin$|fd\/\u0000)|^\/+dev\/(?:stdin|fd\/0)$|^\/inet[46]?\/|^\/+proc\/(?:kmsg|sysrq-trigger|[^/]+\/(?:fd|task\/[^/]+\/fd)(?:\/|$))|^\/+sys\/kernel\/(?:debug|tracing)(?:\/|$)|trace_pipe$/

/** Why reading this path may hang or connect, or `undefined`. `input`: standard input is a pipe or a file. */
export function deviceProblem(path: string, input: boolean): string | undefined {
  if (!path.startsWith('/') || !ENDLESS.test(path)) return undefined
  if (input && /^\/+dev\/(?:stdin|fd\/0)$/.test(path)) return undefined
  return 'is a device or a pipe that may never end'
}

/** Directories that may not be read recursively: some of their files never end. */
export function isEndlessDirectory(path: string): boolean {
  return /^\/+(?:$|(?:proc|sys|dev)(?:\/|$))/.test(path)
}

/** Joins lexically, without `.` and `..`; an unknown directory gives the path as it is. */
export function resolveFrom(directory: string | undefined, path: string): string {
  const simple = !path.includes('./') && !path.includes('//') && !path.endsWith('..')
  if (simple && (directory === undefined || path.startsWith('/'))) return path
  const joined = path.startsWith('/') || path.startsWith('~') || directory === undefined ? path : `${directory}/${path}`
  const absolute = joined.startsWith('/')
  const steps: string[] = []
  for (const step of joined.split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else if (step !== '..' || !absolute) steps.push(step)
  }
  return `${absolute ? '/' : ''}${steps.join('/')}`
}
