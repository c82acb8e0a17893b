import type { Field } from './fields.ts'
import type { Effect } from './inquiry.ts'

/**
 * Commands that a glance may not run but whose result goes stale all the same: they look, or they wait and fetch
 * (`neutral`, so that what follows decides). `without` names words that turn the look into an act.
 */
interface LookRule {
  /** The first words, each a choice separated by `|`. */
  readonly words: string
  readonly effect: Effect
  readonly without?: RegExp
  /** Without one of these words it is something else. */
  readonly only?: RegExp
}

const FIXES =
  /^(?:--fix(?:=.*)?|--write|-w|--apply|--update-?snapshots?|-u|--watch|--watchAll|--ui|--init|--fix-only|--unsafe)$/

const RULES: readonly LookRule[] = [
  { words: 'sleep|wait', effect: 'neutral' },
  { words: 'watch', effect: 'endless' },
  { words: 'nice|ionice|stdbuf|command|sudo', effect: 'act' },
  // Tests and linters: a result is about the files as they were.
  { words: 'npm|pnpm|yarn|bun test|t', effect: 'look', without: FIXES },
  {
    words: 'npm|pnpm|yarn|bun run test|lint|typecheck|types|check|tsc|test:unit|lint:check|type-check',
    effect: 'look',
    without: FIXES,
  },
  { words: 'pnpm|yarn lint|typecheck|types|check|type-check', effect: 'look', without: FIXES },
  { words: 'npm|pnpm|yarn ls|list|outdated|view|why|audit', effect: 'look', without: /^(?:fix|--fix)$/ },
  { words: 'npx|bunx vitest|jest|mocha|eslint|tsc|pyright', effect: 'look', without: FIXES },
  { words: 'npx|bunx biome|prettier', effect: 'look', without: FIXES, only: /^(?:check|lint|--check|-c)$/ },
  {
    words: 'vitest|jest|mocha|eslint|mypy|pyright|pytest|tox|shellcheck|flake8|pylint|rspec|phpunit|ctest',
    effect: 'look',
    without: FIXES,
  },
  { words: 'tsc', effect: 'look', only: /^--noEmit$/ },
  { words: 'biome check|lint', effect: 'look', without: FIXES },
  { words: 'prettier|black', effect: 'look', only: /^--check$/, without: FIXES },
  { words: 'ruff check', effect: 'look', without: FIXES },
  {
    words: 'python|python3|uv -m|run pytest|mypy|ruff|pyright|unittest',
    effect: 'look',
    without: /^(?:--fix|format|--unsafe-fixes)$/,
  },
  { words: 'go test|vet', effect: 'look' },
  { words: 'cargo test|check|clippy', effect: 'look', without: /^--fix$/ },
  { words: 'golangci-lint run', effect: 'look', without: /^--fix$/ },
  { words: 'make|mise|just|task test|lint|check|typecheck|vet', effect: 'look' },
  { words: 'mise run test|lint|check', effect: 'look' },
  { words: 'make|just lint|test|check', effect: 'look' },
  { words: 'mvn|gradle|./gradlew|dotnet|swift|deno|mix|flutter test', effect: 'look' },
  { words: 'pip|pip3|uv|conda|brew|gem list|show|freeze|outdated|info|tree', effect: 'look' },
  { words: 'uv pip list|show|freeze|tree', effect: 'look' },
  // Asking over the network.
  {
    words: 'curl',
    effect: 'look',
    without:
      /^(?:-[A-Za-z]*[dFTOKJ].*|--(?:data|form|upload|json|remote|config|output-dir|cookie-jar|dump-header|trace|request=(?!GET|HEAD)).*|-[A-Za-z]*X(?:POST|PUT|PATCH|DELETE)|POST|PUT|PATCH|DELETE|-[A-Za-z]*o(?!$).*|--output=(?!\/dev\/null).*)$/,
  },
  {
    words: 'gh api',
    effect: 'look',
    without: /^(?:-X|--method|--method=.*|-X.*|--input.*)$|^(?:query=)?\s*mutation\b/,
    only: /^graphql$/,
  },
  { words: 'ping|dig|nslookup|host|getent', effect: 'look' },
  { words: 'git var', effect: 'look' },
]

interface CompiledLook {
  readonly words: readonly (readonly string[])[]
  readonly rule: LookRule
}

const BY_FIRST: ReadonlyMap<string, readonly CompiledLook[]> = compile()

function compile(): ReadonlyMap<string, readonly CompiledLook[]> {
  const byFirst = new Map<string, CompiledLook[]>()
  for (const rule of RULES) {
    const words = rule.words.split(' ').map((choice) => choice.split('|'))
    for (const first of words[0] ?? []) byFirst.set(first, [...(byFirst.get(first) ?? []), { words, rule }])
  }
  return byFirst
}

/** What a command would do that is no glance: by default it acts. `path` may hold sub-verbs (`git remote`). */
export function effectOfUnknown(path: string, fields: readonly Field[]): Effect {
  const typed = [...path.split(' '), ...fields.map((field) => field.text)]
  for (const { words, rule } of BY_FIRST.get(typed[0] ?? '') ?? []) {
    if (!words.every((choice, at) => choice.includes(typed[at] ?? ''))) continue
    const rest = typed.slice(words.length - (rule.only === undefined ? 0 : 1))
    if (rule.without !== undefined && rest.some((word) => rule.without?.test(word))) continue
    if (rule.only !== undefined && !typed.slice(1).some((word) => rule.only?.test(word))) continue
    if (typed[0] === 'curl' && !writesNowhere(typed)) continue
    return rule.effect
  }
  // `foo status` asks, whatever foo is.
  return typed[1] === 'status' ? 'look' : 'act'
}

/** `curl -o /dev/null` keeps nothing; any other file is written. */
function writesNowhere(words: readonly string[]): boolean {
  return words.every((word, at) => {
    const takesFile = /^-[A-Za-z]*o$|^--output$/.test(word)
    return !takesFile || words[at + 1] === '/dev/null'
  })
}
