import type { OptionTable, Verb } from '../../src/shell/verb.ts'
import { FAMILIES } from '../../src/shell/verbs/table.ts'

/** A source of numbers below a bound that is the same in every run (mulberry32). */
export type Choose = (below: number) => number

export function chooser(seed: number): Choose {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const FILES = [
  'f',
  'g',
  'src/a.ts',
  'log.txt',
  'data.json',
  'README.md',
  'dir',
  '.',
  './f',
  'src',
  'a.tar',
  'nosuch',
  'a\\ b',
  "'a b'",
  '*.ts',
  'src/*',
  './*',
  '{f,g}',
  '"$HOME"',
  '~',
  '/etc/hostname',
  'dir/../f',
  '"$f"',
  '$n',
]
const REVISIONS = [
  'HEAD',
  'main',
  'HEAD~1',
  'main..side',
  'v1',
  'side',
  'HEAD:f',
  'stash@{0}',
  '$(git rev-parse HEAD)',
  '"$(git branch --show-current)"',
  '--',
  '-- f',
]
const NUMBERS = ['1', '2', '3', '5', '10', '$((1 + 1))', '$n']
const TEXTS = [
  'foo',
  "'a|b'",
  '"a b"',
  "'$(touch PWNED)'",
  "'`touch PWNED`'",
  "'; touch PWNED'",
  "'x > PWNED'",
  '-x',
  '"$x"',
  '\\*',
  "'%h %s'",
  '$?',
  '${n:-1}',
  '"${#x}"',
]
/** Words that turn into options, commands or redirections when a guard is missing. */
const HOSTILE = [
  '-oPWNED',
  '--output=PWNED',
  '--outp=PWNED',
  '-o',
  'PWNED',
  '$x',
  '"$x"',
  '$y',
  '*',
  '?*',
  '$(echo -oPWNED)',
  '"$(touch PWNED)"',
  '`touch PWNED`',
  '<(touch PWNED)',
  '{-o,PWNED,f}',
  '${x:--oPWNED}',
  '-i',
  '-f',
  '-delete',
  '--pre=./script.sh',
  '> PWNED',
  '>> f',
  '2> PWNED',
  '| tee PWNED',
  '; touch PWNED',
  '&& ./script.sh',
  '& touch PWNED',
  '\ntouch PWNED',
  '|| sh script.sh',
  '--exec=./script.sh',
  '-exec touch PWNED {} +',
  '--compress-program=./script.sh',
  '-c core.pager=./script.sh',
  '--textconv',
  '--ext-diff',
  '"${y@P}"',
  '$((z))',
  "$'\\x2doPWNED'",
  '-"oPWNED"',
  '\\-oPWNED',
  '--',
  '/dev/zero',
  'fifo',
  '-F',
  '--follow',
]

const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  sed: [
    "'1,5p'",
    "-n '$='",
    "'s/a/b/g'",
    "'/foo/d'",
    "-e 's|/w/|/x/|' -e '/^$/d'",
    "'w PWNED'",
    "'s/a/b/w PWNED'",
    "'1e touch PWNED'",
    "'s/a/touch PWNED/e'",
    '"$x"',
    "'y/abc/xyz/'",
    "'$!N;P;D'",
    "'/a/{s/a/w b/;p}'",
    "'s/[/]/w dir/g'",
    "'1!G;h;$!d'",
    "'r /etc/passwd'",
    "'s/[^/]*$//;s/w/e/2'",
    "':a;s/a/b/;ta'",
    "'/x/,+1!p'",
    "'2q'",
    "'1a w PWNED'",
  ],
  awk: [
    "'{print $1}'",
    "'NR==1'",
    "'$1 > 0 {print}'",
    '\'{print > "PWNED"}\'',
    '\'BEGIN{system("touch PWNED")}\'',
    "'/foo/{c++} END{print c+0}'",
    "'{print ($1 > 2) ? 1 : 2}'",
    '\'{print $1/2 "/" > "PWNED"}\'',
    "'{print /\"/ ? 1 : 2}'",
    "'{a[$1]++} END{for (k in a) print k, a[k]}'",
    '\'{print | "sh"}\'',
    '\'{printf "%s\\n", $1}\'',
    '\'BEGIN{while (("touch PWNED" | getline) > 0);}\'',
    "'length > 3'",
    '"{print}"',
    '\'{gsub(/a\\/b/,"x"); print}\'',
    "'{print $1,\n$2}'",
    '\'{x="touch PWNED"; print x > f}\'',
  ],
  jq: [
    '.',
    "'.a'",
    "'keys'",
    "'env'",
    '\'"\\(.a)"\'',
    "'.a | .b?'",
    '"$x"',
    "'[.[]?]'",
    "'$ENV.x'",
    "-n '1+1'",
    "'.env'",
    "'input'",
  ],
  find: [
    '-name "*.ts"',
    '-type f',
    '-maxdepth 1',
    '-delete',
    '-exec cat {} +',
    '-exec touch PWNED \\;',
    '-newer f',
    '-print0',
    '-size +0',
    '-fprint PWNED',
    '-exec grep -l foo {} \\;',
    '-exec sed -n 1p {} \\;',
    '-exec sh -c "touch PWNED" \\;',
    '-execdir ls \\;',
    '-name $x',
    '-printf "%p\\n"',
    '-ls',
    '-prune',
    '-o',
    '\\( -name f \\)',
    '! -name g',
    '-ok touch PWNED \\;',
  ],
  xargs: [
    'ls',
    'wc -l',
    '-n1 basename',
    '-I{} echo {}',
    'rm',
    'sh -c "touch PWNED"',
    'sort -o PWNED',
    '-0 cat',
    'grep -l foo',
    'touch',
  ],
  test: ['-f f', '-n "$x"', '"$x" = y', '$x', '-v x', '"$n" -gt 1', '! -d dir', '$x "$z"', '-f f -a -d dir'],
  '[': [
    '-f f ]',
    '-n "$x" ]',
    '"$x" = y ]',
    '$x ]',
    "-v 'z[$(touch PWNED)]' ]",
    '"$n" -gt 1 ]',
    '! -d dir ]',
    '$x "$z" ]',
  ],
  printf: ["'%s\\n' a", "'%d' 3", '-v x y', '"$x"', "'%0999999999d' 1", "'%5s|' a b"],
  seq: ['3', '1 5', '1 999999999', '5 -1 1', '$x'],
  timeout: ['5 ls', '5 touch PWNED', '10 git status', '100 ls', '-k 1 5 cat f', '5 sh script.sh'],
  env: ['A=1 ls', 'PATH=. ls', '-S "touch PWNED"', 'touch PWNED', 'LANG=C sort f', 'A=1 B=2 env C=3 cat f'],
  read: ['x < f', '-r a b < f', "'z[$(touch PWNED)]' < f", 'PATH < f'],
  export: ['A=1', 'PATH=.', '-p', 'LANG=C'],
  set: ['-e', '-o pipefail', '-x', '-a', '-- -oPWNED'],
  cd: ['dir', '..', '"$x"', '/proc', '-'],
  tar: [
    '-tf a.tar',
    '-tvf a.tar',
    'tf a.tar',
    '-xf a.tar',
    '-tf a.tar --to-command=./script.sh',
    '-tf a.tar --checkpoint=1 --checkpoint-action=exec=./script.sh',
    '-tf "$x"',
  ],
  date: ['+%F', '-u +%s', '-d @0', '-s x', '-r f', '010100002001', '-I'],
  top: ['-b -n 1', '-bn1', '-b', '-n 9'],
  'git config': [
    'user.name',
    '--get user.email',
    'user.name x',
    '--list',
    '--get-regexp user',
    '--unset user.name',
    '-e',
    "alias.x '!touch PWNED'",
  ],
}

/** Verbs that talk to services or start tools: their tables are tested by cases, the sandbox has none of them. */
const NOT_HERE = new Set([
  'docker',
  'kubectl',
  'gh',
  'systemctl',
  'journalctl',
  'nvidia-smi',
  'crontab',
  'dmesg',
  'ip',
  'ifconfig',
  'netstat',
  'lsof',
])
const VERBS = FAMILIES.filter((family) => family.title !== 'Asking for a version').flatMap((family) =>
  family.verbs.filter((verb) => !verb.names.some((name) => NOT_HERE.has(name))),
)

/** Writes commands from the verb tables, with hostile words, options, quotes and expansions among ordinary ones. */
export class GlanceGrammar {
  private readonly choose: Choose

  constructor(choose: Choose) {
    this.choose = choose
  }

  /** One command line of one to three simple commands. */
  command(): string {
    const shape = this.choose(24)
    const one = (): string => this.simple()
    switch (shape) {
      case 0:
        return `${one()} && ${one()}`
      case 1:
        return `${one()}; ${one()}`
      case 2:
        return `${one()} | ${one()}`
      case 3:
        return `${one()} | ${this.pick(['head -3', 'wc -l', 'sort', 'grep foo', 'cat', 'tail -n 2', 'uniq -c', 'xargs ls', 'sh', 'tee PWNED'])}`
      case 4:
        return `for x in ${this.pick(['f g', '*', '-oPWNED f', '1 2', 'src/*.ts', '$(git rev-list -2 HEAD)', '$y'])}; do ${one()}; done`
      case 5:
        return `if ${one()}; then ${one()}; else ${one()}; fi`
      case 6:
        return `x=${this.pick(['f', '-oPWNED', '"a b"', "'$(touch PWNED)'", '$(git rev-parse HEAD)', '$((2 + 1))', 'HEAD', "'f -o PWNED'", '--output=PWNED'])}; ${one()}`
      case 7:
        return `(${one()})`
      case 8:
        return `{ ${one()}; }${this.pick(['', ' > /dev/null', ' 2>&1', ' > PWNED'])}`
      case 9:
        return `echo "$(${one()})"`
      case 10:
        return `${this.pick(['git log -2 --format=%H', 'git log -2 --oneline', 'ls', 'printf %s\\\\n -oPWNED', 'cat f'])} | while read ${this.pick(['x', '-r x y', 'x y'])}; do ${one()}; done`
      case 11:
        return `cat <<${this.pick(['EOF', "'EOF'"])}\n$(${one()}) $x\nEOF`
      case 12:
        return `${this.pick(['!', 'time', 'A=1', 'LC_ALL=C', 'PATH=.', 'GIT_PAGER=cat', 'x=-oPWNED'])} ${one()}`
      case 13:
        return `case ${this.pick(['f', '$x', '"$(touch PWNED)"'])} in ${this.pick(['f', '*', '-*'])}) ${one()};; esac`
      case 14:
        return `diff <(${one()}) <(${one()})`
      case 15:
        return `cd ${this.pick(['dir', 'src', '..', '"$x"', '.'])} && ${one()}`
      default:
        return one()
    }
  }

  private simple(): string {
    const verb = this.pick(VERBS)
    const words = [this.pick(verb.names)]
    this.verbWords(verb, words[0] ?? '', words)
    if (this.choose(9) === 0) words.splice(1 + this.choose(words.length), 0, this.pick(HOSTILE))
    if (this.choose(12) === 0)
      words.push(
        this.pick(['2>/dev/null', '> /dev/null 2>&1', '2>&1', '< f', '<<< "a b"', '> PWNED', '&> PWNED', '<> PWNED']),
      )
    return words.join(' ')
  }

  private verbWords(verb: Verb, path: string, words: string[]): void {
    const { verbs } = verb
    if (verbs !== undefined && (verb.bare !== 'itself' || this.choose(8) > 0)) {
      if (this.choose(6) === 0) words.push(this.option(verb.options))
      const refused = Object.keys(verb.refusedVerbs ?? {})
      if (refused.length > 0 && this.choose(25) === 0) {
        words.push(this.pick(refused))
        return
      }
      const sub = this.pick(verbs)
      const name = this.pick(sub.names)
      words.push(name)
      this.verbWords(sub, `${path} ${name}`, words)
      return
    }
    const scripts = SCRIPTS[path] ?? (verb.rules?.includes('awk') ? SCRIPTS.awk : undefined)
    if (path === 'find' && this.choose(2) === 0) words.push(this.pick(['.', 'src', 'dir', '"$x"', './dir']))
    for (let count = this.choose(3); count > 0; count--) words.push(this.option(verb.options))
    if (scripts !== undefined) words.push(this.pick(scripts))
    const pools = path.startsWith('git ') ? [REVISIONS, REVISIONS, FILES, TEXTS] : [FILES, FILES, FILES, TEXTS, NUMBERS]
    for (let count = this.choose(3); count > 0; count--) words.push(this.pick(this.pick(pools)))
  }

  private option(table: OptionTable): string {
    const kind = this.choose(10)
    const refused = Object.keys(table.refused ?? {}).flatMap((spellings) => spellings.split(' '))
    if (kind === 0 && refused.length > 0)
      return this.spelled(this.pick(refused), this.pick(['', 'PWNED', './script.sh']))
    const valued = (table.values ?? '').split(/\s+/).filter((name) => name !== '')
    if (kind < 4 && valued.length > 0)
      return this.spelled(this.pick(valued), this.pick(this.pick([NUMBERS, NUMBERS, TEXTS, FILES])))
    const plain = `${table.flags ?? ''} ${table.optional ?? ''}`.split(/\s+/).filter((name) => name !== '')
    if (plain.length === 0) return this.pick(['-a', '-l', '-n', '-1', '-v', '-c', '-r'])
    return this.spelled(this.pick(plain), '')
  }

  /** One option: abbreviated, attached, bundled or in the next word. */
  private spelled(name: string, value: string): string {
    const option = name.startsWith('-') ? name : `-${name}`
    const long = option.startsWith('--')
    const cut = long && option.length > 7 && this.choose(6) === 0 ? option.slice(0, -1 - this.choose(3)) : option
    if (value === '') return cut
    return this.choose(2) === 0 ? `${cut}${long ? '=' : ''}${value}` : `${cut} ${value}`
  }

  private pick<Item>(items: readonly Item[]): Item {
    const item = items[this.choose(items.length)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }
}
