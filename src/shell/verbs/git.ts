import type { Family, OptionTable, Verb, Why } from '../verb.ts'
import { GIT_LISTS } from './git-lists.ts'
import { DIFF_OPTIONS, diffOptions, gitOptions, LOG_OPTIONS, logOptions, SAFE_FORMAT } from './git-options.ts'

/** Not an option of every git command today; of those that have it, it writes. */
const NO_OUTPUT: Why = 'writes a file'
const WAITS: Why = ['waits for standard input', 'endless']

function log(name: string, options: OptionTable = LOG_OPTIONS): Verb {
  return { names: [name], options, optionValues: SAFE_FORMAT, shows: true }
}

const READERS: readonly Verb[] = [
  {
    names: ['status'],
    options: gitOptions({
      flags:
        's b v z --short --branch --no-branch --long --verbose --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --show-stash --no-show-stash --null --no-short',
      optional: 'u M --porcelain --untracked-files --ignored --ignore-submodules --find-renames --column',
    }),
  },
  log('log'),
  log('whatchanged'),
  log('show'),
  log('rev-list'),
  log('range-diff', logOptions('--no-dual-color --dual-color', '--creation-factor')),
  {
    ...log('shortlog', logOptions('e n s --numbered --summary --email --committer', '--group', '--group')),
    input: { operands: 1, unless: ['all', 'branches', 'tags', 'remotes', 'glob', 'h'] },
  },
  { names: ['diff'], options: DIFF_OPTIONS, shows: true },
  { names: ['diff-files'], options: diffOptions('0 1 2 3'), shows: true },
  { names: ['diff-index'], options: diffOptions('m'), shows: true },
  { ...log('diff-tree', logOptions('--no-commit-id')) },
  {
    names: ['rev-parse', 'merge-base'],
    options: {
      harmless: true,
      refused: {
        '--output': NO_OUTPUT,
        '--parseopt': WAITS,
        '--stdin': WAITS,
        '--help': ['opens a manual page; use -h', 'endless'],
      },
    },
  },
  {
    names: ['ls-files', 'ls-tree', 'for-each-ref'],
    options: {
      harmless: true,
      values: '--format',
      refused: { '--output': NO_OUTPUT, '--stdin': WAITS, '--help': ['opens a manual page; use -h', 'endless'] },
    },
    optionValues: SAFE_FORMAT,
  },
  {
    names: ['cat-file'],
    options: gitOptions({
      flags: 't s e p --allow-unknown-type --use-mailmap --no-use-mailmap',
      refused: {
        '--batch': WAITS,
        '--batch-check': WAITS,
        '--batch-command': WAITS,
        '--batch-all-objects': 'prints every object',
        '--filters': 'runs a configured program',
        '--textconv': 'runs a configured program',
      },
    }),
    shows: true,
  },
  {
    names: ['blame', 'annotate'],
    options: gitOptions({
      flags:
        'b l t f n s e w p c k --root --show-stats --incremental --line-porcelain --porcelain --show-name --show-number --show-email --progress --no-progress --color-lines --color-by-age --minimal --first-parent --no-textconv',
      values:
        'L S --since --until --before --after --ignore-rev --ignore-revs-file --encoding --date --diff-algorithm --reverse',
      optional: 'M C --abbrev',
      refused: {
        '--contents': 'reads another file or standard input',
        '--output': 'writes a file',
        '--textconv': 'runs a configured program',
      },
    }),
    shows: true,
  },
  {
    names: ['describe'],
    options: gitOptions({
      flags: '--contains --all --tags --long --exact-match --debug --always --first-parent',
      values: '--match --exclude --candidates',
      optional: '--abbrev',
      refused: {
        '--dirty': ['rewrites the index; use `git status --short`', 'look'],
        '--broken': ['rewrites the index; use `git status --short`', 'look'],
      },
    }),
  },
  {
    names: ['name-rev'],
    options: gitOptions({
      flags: '--tags --all --name-only --always --no-undefined --undefined',
      values: '--refs --exclude',
      refused: { '--stdin --annotate-stdin': WAITS },
    }),
  },
  {
    names: ['show-ref'],
    options: gitOptions({
      flags: 'd s q --head --heads --branches --tags --dereference --verify --quiet --exists',
      optional: '--hash --abbrev',
      refused: { '--exclude-existing': WAITS },
    }),
  },
  { names: ['cherry'], options: gitOptions({ flags: 'v --verbose', optional: '--abbrev' }) },
  { names: ['count-objects'], options: gitOptions({ flags: 'v H --verbose --human-readable' }) },
  {
    names: ['check-ignore'],
    options: gitOptions({
      flags: 'q v n z --quiet --verbose --non-matching --no-index',
      refused: { '--stdin': WAITS },
    }),
  },
  {
    names: ['check-attr'],
    options: gitOptions({ flags: 'a z --all --cached', values: '--source', refused: { '--stdin': WAITS } }),
  },
  {
    names: ['grep'],
    options: gitOptions({
      flags:
        'i v w a r E G F P n l L z o c q W p I H --cached --untracked --exclude-standard --no-exclude-standard --recurse-submodules --no-recurse-submodules --invert-match --ignore-case --word-regexp --text --no-textconv --recursive --no-recursive --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null --only-matching --count --break --heading --show-function --function-context --and --or --not --quiet --all-match --no-color',
      values: 'A B C e f m --max-depth --context --before-context --after-context --threads --max-count',
      optional: '--color',
      numbers: true,
      refused: {
        'O --open-files-in-pager': 'runs a pager',
        '--no-index': 'reads files outside the repository; use `grep -r`',
        '--ext-grep': 'runs a program',
        '--textconv': 'runs a configured program',
      },
    }),
    textFirst: true,
    input: { operands: 0, replacing: ['e', 'f'] },
    shows: true,
  },
  { names: ['verify-pack'], options: gitOptions({ flags: 'v s --verbose --stat-only', values: '--object-format' }) },
  {
    names: ['fsck'],
    options: gitOptions({
      flags:
        'v --full --no-full --strict --unreachable --dangling --no-dangling --root --cache --tags --no-reflogs --reflogs --connectivity-only --name-objects --progress --no-progress --verbose --references --no-references',
      refused: { '--lost-found': 'writes objects into .git/lost-found' },
    }),
  },
  {
    names: ['hash-object'],
    options: gitOptions({
      flags: '--no-filters --literally',
      values: 't',
      refused: { w: 'writes an object', '--stdin': WAITS, '--stdin-paths': WAITS, '--path': 'may run a filter' },
    }),
    shows: true,
  },
  {
    names: ['var'],
    options: gitOptions({ refused: { l: ['lists every setting, credentials too', 'look'] } }),
    operands: [
      {
        most: 1,
        matching: /^GIT_(?:AUTHOR_IDENT|COMMITTER_IDENT|EDITOR|PAGER|SEQUENCE_EDITOR|DEFAULT_BRANCH)$/,
        why: 'is no variable of git',
      },
    ],
  },
  { names: ['version'], options: gitOptions({ flags: '--build-options' }) },
]

const CHANGES: Readonly<Record<string, Why>> = {
  add: 'stages files',
  commit: 'creates a commit',
  checkout: 'changes files; use `git show REV:FILE` to read one',
  switch: 'changes the branch',
  restore: 'changes files',
  reset: 'changes the branch',
  merge: 'changes the branch',
  rebase: 'rewrites commits',
  'cherry-pick': 'creates commits',
  revert: 'creates a commit',
  clean: 'deletes files',
  gc: 'packs objects',
  apply: 'changes files',
  am: 'creates commits',
  'format-patch': 'writes files; use `git log -p`',
  'read-tree': 'changes the index',
  'update-ref': 'moves a ref',
  'update-index': 'changes the index',
  init: 'creates a repository',
  mergetool: 'opens a tool',
  difftool: 'opens a tool; use `git diff`',
  push: 'sends commits',
  pull: 'fetches and merges',
  clone: 'downloads a repository',
  fetch: ['fetches from the network', 'neutral'],
  'ls-remote': ['asks the network; use `git branch -r`', 'look'],
  help: ['opens a manual page; use -h', 'endless'],
}

/** Settings that `-c` may give: they change what is shown, and run nothing. */
const HARMLESS_SETTING =
  /^(?:color\.[a-z.]+=(?:always|never|auto|true|false)|log\.(?:date|decorate|abbrevcommit|follow)=.*|core\.(?:quotepath|abbrev|precomposeunicode)=.*|core\.pager=cat|pager\.[a-z-]+=(?:false|cat)|core\.fsmonitor=false|diff\.(?:renames|context|noprefix|mnemonicprefix|algorithm|colormoved|renamelimit|autorefreshindex)=.*|column\.[a-z]+=[a-z,]*|advice\.[a-z]+=(?:true|false)|status\.(?:short|branch|relativepaths|showuntrackedfiles)=.*|grep\.(?:linenumber|column|fullname)=(?:true|false)|blame\.[a-z]+=.*)$/i

export const GIT: Family = {
  title: 'git',
  verbs: [
    {
      names: ['git'],
      options: {
        flags: 'P v h --no-pager --no-optional-locks --literal-pathspecs --no-replace-objects --version',
        values: 'C c',
        refused: {
          'p --paginate': 'runs a pager',
          '--exec-path': 'changes which programs git runs',
          '--config-env': 'changes the configuration',
          '--git-dir': 'reads the configuration of another repository; use -C',
          '--work-tree': 'changes the work tree; use -C',
          '--namespace': 'is not known to be read-only',
          '--help': ['opens a manual page', 'endless'],
        },
        stopsAtOperand: true,
      },
      optionValues: {
        c: { matching: HARMLESS_SETTING, why: 'changes the configuration, which may run programs; leave it out' },
      },
      verbs: [...READERS, ...GIT_LISTS],
      refusedVerbs: CHANGES,
      bare: 'itself',
      strictEnvironment: true,
    },
  ],
}
