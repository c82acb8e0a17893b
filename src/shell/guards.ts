import type { Verb } from './verb.ts'
import { FAMILIES } from './verbs/table.ts'

/** Every reason to refuse that is not a line of a verb's table, and what it keeps out. */
export const FIXED_GUARDS = {
  length: 'text so long that looking at it would be slow',
  'control characters': 'characters that a person does not see',
  'control in quotes': "control characters made by `$'\\x01'`",
  empty: 'nothing to run',
  syntax: 'what Bash would refuse, or read otherwise than we do',
  commands: 'more commands than a glance has',
  depth: 'nesting that hides what is run',
  'loop words': 'loops over very many words',
  'brace words': 'braces that expand to very many words, or hide quotes',
  background: '`&`: goes on after the glance',
  'unnamed construct': 'functions, coprocesses, `select`, `((...))` and whatever has no rule',
  'open loops': '`until`, and `while` without a `read` that ends',
  'plain names': 'a program name in quotes, from a variable, or from another folder',
  'known verbs': 'programs without a table',
  'exact words': 'a tool of which only the version may be asked',
  'bare verb': 'a command group without its verb',
  'bare wrapper': 'a wrapper without a command',
  'output files': '`>`, `>>` to anything but /dev/null',
  'other descriptors': 'descriptors above 2',
  'other redirections': '`<>`, `<&`',
  'output substitution': '`>(...)`',
  'unnamed expansion': 'extended globs, `$"..."` and whatever has no rule',
  'indirect expansion': 'reading a variable that another names (`!x`)',
  'transforming expansion': 'transforming a value (`x@P`)',
  'assigning expansion': 'assigning while expanding (`x:=y`)',
  'aborting expansion': 'ending the shell while expanding (`x:?y`)',
  'computed index': 'an index that is evaluated',
  'computed slice': 'a slice whose bounds are evaluated',
  'computed arithmetic': 'arithmetic on values that may hold code',
  'assigning arithmetic': '`$((x++))`',
  'computed comparison': '`[[ $x -eq 1 ]]` on values that may hold code',
  'test of a variable': '`[[ -v x ]]`',
  'test operators': '`[ $x y ]`: a value that becomes an operator',
  'steering names': 'assignments that steer programs',
  'strict environment': 'variables exported to a program that reads configuration from them',
  'code in a value': 'shell code in a value',
  'unclear name': 'a name to assign that is computed',
  'credential variable': 'variables that hold credentials',
  'whole environment': '`env`, `export -p`, `set`',
  'dynamic words': 'words that may become options',
  'words from data': 'options that come from input (`xargs`)',
  'waiting for input': 'a command that waits for standard input',
  'secret files': 'files that hold credentials',
  devices: 'files that never end or connect',
  'endless folders': 'recursive reading of /, /proc, /sys, /dev',
  'endless numbers': '`seq 1 999999999`',
  'endless format': '`printf %0999999999d`',
  'unknown format': 'a `printf` format that is not known',
  'long timeout': '`timeout` above a minute',
  'sed script': 'a sed script that is not known',
  'sed commands': 'sed commands that write, run or read files',
  'awk program': 'awk programs that write, run or loop',
  'jq filter': 'jq filters that load code or show the environment',
  'find actions': 'actions of find that write or run',
  'bsd letters': '`ps e`',
  'git settings': 'writing settings, or showing all of them',
  graphql: 'GraphQL, which may change things',
  'sent fields': 'fields that make `gh api` a POST request',
  'remote archive': 'archives that are fetched',
} as const

/** Guards of one verb's table, named by the verb. */
const TABLE_GUARDS = ['options of', 'values of', 'operands of', 'verbs of', 'needed'] as const

export type Guard = keyof typeof FIXED_GUARDS | `${(typeof TABLE_GUARDS)[number]} ${string}`

/** Every guard there is: the fixed ones, and for each verb the parts of its table that can refuse. */
export function everyGuard(): readonly Guard[] {
  const guards = new Set<Guard>(Object.keys(FIXED_GUARDS) as (keyof typeof FIXED_GUARDS)[])
  const add = (verb: Verb, path: string): void => {
    const bare = verb.verbs !== undefined && verb.bare !== 'itself'
    if (verb.exactly !== undefined) return
    if (verb.rules?.includes('find') !== true && (!verb.options.harmless || verb.options.refused))
      guards.add(`options of ${path}`)
    for (const [name] of Object.entries(verb.optionValues ?? {})) {
      if (!bare && name !== '') guards.add(`values of ${path}`)
    }
    if (verb.operands !== undefined && verb.operands.length > 0) guards.add(`operands of ${path}`)
    if (verb.requires !== undefined) guards.add(`needed ${path}`)
    if (verb.verbs !== undefined) guards.add(`verbs of ${path}`)
    for (const sub of verb.verbs ?? []) for (const name of sub.names) add(sub, `${path} ${name}`)
  }
  for (const family of FAMILIES) for (const verb of family.verbs) for (const name of verb.names) add(verb, name)
  return [...guards]
}
