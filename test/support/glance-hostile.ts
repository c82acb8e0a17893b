import type { Guard } from '../../src/shell/guards.ts'
import type { Verb } from '../../src/shell/verb.ts'
import { FAMILIES } from '../../src/shell/verbs/table.ts'

/** A command that is no glance by construction, with the guard that alone keeps it out. */
export interface HostileCommand {
  readonly command: string
  readonly guard: Guard
}

/** Words that make a verb a glance, placed after the option that is tried. */
const SKELETONS: Readonly<Record<string, string>> = {
  sed: '-n p f',
  awk: "'{print}' f",
  gawk: "'{print}' f",
  mawk: "'{print}' f",
  nawk: "'{print}' f",
  jq: '. f',
  tar: '-tf a.tar',
  unzip: '-l a.zip',
  comm: 'f g',
  join: 'f g',
  cmp: 'f g',
  diff: 'f g',
  grep: 'x f',
  rg: 'x src',
  fd: 'x',
  fdfind: 'x',
  command: '-v ls',
  read: 'x < f',
  xargs: 'ls < f',
  timeout: '5 ls',
  env: 'A=1 ls',
  printf: 'x',
  printenv: 'HOME',
  set: '-e',
  seq: '1 3',
  top: '-b -n 1',
  crontab: '-l',
  netstat: '-n',
  break: '1',
  continue: '1',
  exit: '1',
  export: 'A=1',
  ip: 'addr',
  'git shortlog': 'HEAD',
  'git config': '--get a.b',
  'git hash-object': 'f',
  'git var': 'GIT_EDITOR',
  'kubectl get': 'pods',
  'kubectl describe': 'pods',
  'docker stats': '--no-stream',
  'docker container stats': '--no-stream',
  'gh api': 'repos/o/r',
}

/** For rules about values, operands and needed options: the words that break them. */
const BREAKING_VALUES: Readonly<Record<string, string>> = {
  ps: '-o environ',
  top: '-b -n 9',
  set: '-o posix',
  seq: '-f %0999999999g 1',
  git: '-c core.pager=./script.sh log',
  'gh api': '-X POST repos/o/r',
}
const BREAKING_OPERANDS: Readonly<Record<string, string>> = {
  uniq: 'f PWNED',
  xxd: 'f PWNED',
  lsof: '+r',
  top: '-b -n 1 PWNED',
  netstat: '-n PWNED',
  crontab: '-l PWNED',
  ip: 'link set x down',
  ifconfig: 'eth0 down',
  date: '010100002001',
  'git symbolic-ref': 'HEAD PWNED',
  'gh api': 'https://192.0.2.1/x',
  'kubectl get': 'secrets',
  'kubectl describe': 'secret x',
}
const LACKING: Readonly<Record<string, string>> = {
  tar: '-vf a.tar',
  unzip: 'a.zip',
  command: 'ls',
  netstat: '-t',
  top: '-b',
  'docker stats': '',
  'docker container stats': '',
  crontab: '',
}

function skeletonOf(verb: Verb, path: string): string {
  const own = SKELETONS[path]
  if (own !== undefined) return own
  const [sub] = verb.verbs ?? []
  if (sub !== undefined && verb.bare !== 'itself')
    return `${sub.names[0]} ${skeletonOf(sub, `${path} ${sub.names[0]}`)}`
  return verb.shows && verb.input !== undefined ? 'f' : ''
}

/** The ways to write one refused option: as it is, with a value, abbreviated, bundled. */
function spellingsOf(option: string): readonly string[] {
  if (/^--/.test(option)) return [option, `${option}=PWNED`, option.length > 8 ? option.slice(0, -1) : option]
  const letter = option.startsWith('-') ? option : `-${option}`
  return letter.length === 2 ? [letter, `${letter}PWNED`] : [letter]
}

/**
 * At least one hostile command for each line of each verb's table that can refuse: every refused option in all its
 * spellings, an option nobody listed, an operand or a value too many, an unknown sub-verb.
 */
export function hostileCommands(): readonly HostileCommand[] {
  const found: HostileCommand[] = []
  const add = (verb: Verb, path: string): void => {
    const join = (...words: readonly string[]): string => [path, ...words].filter((word) => word !== '').join(' ')
    if (verb.exactly !== undefined) {
      found.push({ command: join('PWNED'), guard: 'exact words' })
      return
    }
    const skeleton = skeletonOf(verb, path)
    const guard: Guard = `options of ${path}`
    if (verb.rules?.includes('find') !== true) {
      if (!verb.options.harmless)
        found.push({ command: join(verb.options.singleDash ? '-frobnicate' : '--frobnicate', skeleton), guard })
      for (const spellings of Object.keys(verb.options.refused ?? {})) {
        for (const spelling of spellings.split(' ').flatMap(spellingsOf)) {
          found.push({ command: join(spelling, skeleton), guard })
        }
      }
    }
    if (verb.optionValues !== undefined) {
      found.push({ command: join(BREAKING_VALUES[path] ?? `--format=%G? ${skeleton}`), guard: `values of ${path}` })
    }
    if (verb.operands !== undefined && verb.operands.length > 0) {
      found.push({ command: join(BREAKING_OPERANDS[path] ?? 'PWNED PWNED'), guard: `operands of ${path}` })
    }
    if (verb.requires !== undefined) found.push({ command: join(LACKING[path] ?? ''), guard: `needed ${path}` })
    if (verb.verbs !== undefined) {
      // `git reflog WORD` shows the log of a ref, whatever the word is.
      if (path !== 'git reflog') found.push({ command: join('frobnicate'), guard: `verbs of ${path}` })
      for (const name of Object.keys(verb.refusedVerbs ?? {})) {
        found.push({ command: join(name), guard: `verbs of ${path}` })
      }
      for (const sub of verb.verbs) for (const name of sub.names) add(sub, `${path} ${name}`)
    }
  }
  for (const family of FAMILIES) for (const verb of family.verbs) for (const name of verb.names) add(verb, name)
  // What no line of text shows well: limits.
  found.push(
    { command: `ls ${'a'.repeat(9000)}`, guard: 'length' },
    { command: `ls${';ls'.repeat(70)}`, guard: 'commands' },
    { command: `${'( '.repeat(14)}ls${' )'.repeat(14)}`, guard: 'depth' },
    { command: `for x in ${'a '.repeat(300)}; do :; done`, guard: 'loop words' },
    { command: 'ls \u0007', guard: 'control characters' },
    { command: '', guard: 'empty' },
  )
  return found
}

/** At most `count` of them, the guards taken in turn, so that each guard has one before any has two. */
export function hostileSample(count: number): readonly HostileCommand[] {
  const byGuard = new Map<Guard, HostileCommand[]>()
  for (const one of hostileCommands()) byGuard.set(one.guard, [...(byGuard.get(one.guard) ?? []), one])
  const sample: HostileCommand[] = []
  for (let round = 0; sample.length < count; round++) {
    const of = [...byGuard.values()].map((list) => list[round]).filter((one) => one !== undefined)
    if (of.length === 0) break
    sample.push(...of.slice(0, count - sample.length))
  }
  return sample
}
