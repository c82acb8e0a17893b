import type { OperandRule, Verb, Why } from '../verb.ts'
import { gitOptions, LOG_OPTIONS, logOptions, SAFE_FORMAT } from './git-options.ts'

const LISTING_VALUES = '--contains --no-contains --merged --no-merged --points-at --sort --format'
const LISTING_FLAGS = 'l i --list --ignore-case --no-color --no-column --no-abbrev --omit-empty'

function onlyWithList(why: Why): readonly OperandRule[] {
  return [{ most: 0, why, unless: ['l', 'list'] }]
}

/** Verbs of git that list or change, depending on their words: only the listing forms. */
export const GIT_LISTS: readonly Verb[] = [
  {
    names: ['branch'],
    options: gitOptions({
      flags: `${LISTING_FLAGS} a r v --all --remotes --verbose --show-current`,
      values: LISTING_VALUES,
      optional: '--color --column --abbrev',
      refused: {
        'd D --delete': 'deletes a branch',
        'm M --move': 'renames a branch',
        'c C --copy': 'copies a branch',
        'f --force': 'moves a branch',
        'u --set-upstream-to --unset-upstream --set-upstream': 'changes the upstream',
        '--edit-description': 'opens an editor',
        't --track --no-track': 'creates a branch',
        '--create-reflog': 'creates a reflog',
      },
    }),
    optionValues: SAFE_FORMAT,
    operands: onlyWithList('creates a branch; use `git branch --list`'),
  },
  {
    names: ['tag'],
    options: gitOptions({
      flags: LISTING_FLAGS,
      values: LISTING_VALUES,
      optional: 'n --column --color',
      refused: {
        'd --delete': 'deletes a tag',
        'a --annotate': 'creates a tag',
        's --sign': 'creates a tag',
        'u --local-user': 'creates a tag',
        'f --force': 'moves a tag',
        'm --message': 'creates a tag',
        'F --file': 'creates a tag',
        'e --edit': 'opens an editor',
        'v --verify': 'runs a program to check signatures',
        '--create-reflog': 'creates a reflog',
      },
    }),
    optionValues: SAFE_FORMAT,
    operands: onlyWithList('creates a tag; use `git tag --list`'),
  },
  {
    names: ['remote'],
    options: gitOptions({ flags: 'v --verbose' }),
    verbs: [
      { names: ['get-url'], options: gitOptions({ flags: '--push --all' }) },
      {
        names: ['show'],
        options: gitOptions({ flags: 'n' }),
        operands: [{ most: 0, why: ['asks the network; use `git remote show -n NAME`', 'look'], unless: ['n'] }],
      },
    ],
    refusedVerbs: {
      add: 'adds a remote',
      remove: 'removes a remote',
      rm: 'removes a remote',
      rename: 'renames a remote',
      'set-url': 'changes a remote',
      'set-head': 'changes a remote',
      'set-branches': 'changes a remote',
      prune: 'deletes refs',
      update: ['fetches from the network', 'neutral'],
    },
    bare: 'itself',
  },
  {
    names: ['stash'],
    options: gitOptions({}),
    verbs: [
      { names: ['list'], options: LOG_OPTIONS, optionValues: SAFE_FORMAT },
      {
        names: ['show'],
        options: logOptions('u --include-untracked --only-untracked --no-include-untracked'),
        optionValues: SAFE_FORMAT,
      },
    ],
    refusedVerbs: {
      push: 'stashes changes',
      save: 'stashes changes',
      pop: 'changes files',
      apply: 'changes files',
      drop: 'deletes a stash',
      clear: 'deletes stashes',
      branch: 'creates a branch',
      create: 'creates a commit',
      store: 'stores a stash',
    },
    bare: 'stashes changes; use `git stash list`',
  },
  {
    names: ['worktree'],
    options: gitOptions({}),
    verbs: [{ names: ['list'], options: gitOptions({ flags: 'v z --porcelain --verbose' }) }],
    refusedVerbs: {
      add: 'creates a work tree',
      remove: 'deletes a work tree',
      prune: 'deletes work trees',
      move: 'moves a work tree',
      lock: 'locks a work tree',
      unlock: 'unlocks a work tree',
      repair: 'changes work trees',
    },
    bare: 'needs `list`',
  },
  {
    names: ['reflog'],
    options: LOG_OPTIONS,
    optionValues: SAFE_FORMAT,
    verbs: [
      { names: ['show'], options: LOG_OPTIONS, optionValues: SAFE_FORMAT },
      { names: ['list', 'exists'], options: gitOptions({}) },
    ],
    refusedVerbs: {
      expire: 'deletes entries',
      delete: 'deletes entries',
      drop: 'deletes entries',
      write: 'writes entries',
    },
    bare: 'itself',
  },
  {
    names: ['notes'],
    options: gitOptions({ values: '--ref' }),
    verbs: [{ names: ['list', 'show', 'get-ref'], options: gitOptions({}) }],
    refusedVerbs: {
      add: 'adds a note',
      append: 'changes a note',
      edit: 'opens an editor',
      copy: 'copies a note',
      merge: 'merges notes',
      remove: 'removes a note',
      prune: 'deletes notes',
    },
    bare: 'itself',
  },
  {
    names: ['config'],
    options: gitOptions({
      flags:
        'z --get --get-all --get-regexp --global --system --local --worktree --null --name-only --show-origin --show-scope --bool --int --bool-or-int --bool-or-str --path --expiry-date --includes --no-includes --fixed-value',
      values: '--type --default --get-urlmatch',
      refused: {
        'l --list': ['lists every setting, credentials too; ask for one: `git config --get KEY`', 'look'],
        '--add': 'writes a setting',
        '--replace-all': 'writes a setting',
        '--unset': 'deletes a setting',
        '--unset-all': 'deletes settings',
        '--rename-section': 'writes settings',
        '--remove-section': 'deletes settings',
        'e --edit': 'opens an editor',
        'f --file': 'reads another file',
        '--blob': 'reads another file',
      },
    }),
    note: 'one key, not one that usually holds a credential',
    rules: ['git config'],
  },
  {
    names: ['symbolic-ref'],
    options: gitOptions({
      flags: 'q --short --quiet --recurse --no-recurse',
      refused: { 'd --delete': 'deletes a ref', m: 'writes a ref' },
    }),
    operands: [{ most: 1, why: 'writes a ref; give one name' }],
  },
  {
    names: ['submodule'],
    options: gitOptions({ flags: 'q --quiet --cached' }),
    verbs: [{ names: ['status'], options: gitOptions({ flags: 'q --cached --recursive --quiet' }) }],
    refusedVerbs: {
      add: 'adds a submodule',
      update: 'downloads submodules',
      init: 'changes the configuration',
      deinit: 'deletes files',
      foreach: 'runs programs',
      sync: 'changes the configuration',
      'set-url': 'changes the configuration',
      'set-branch': 'changes the configuration',
      absorbgitdirs: 'moves folders',
      summary: 'is not known to be read-only',
    },
    bare: 'itself',
  },
  {
    names: ['bisect'],
    options: gitOptions({}),
    verbs: [{ names: ['log'], options: gitOptions({}) }],
    refusedVerbs: {
      start: 'starts a bisection',
      good: 'changes files',
      bad: 'changes files',
      reset: 'changes files',
      run: 'runs a program',
    },
    bare: 'needs `log`',
  },
]
