import type { OptionTable, Why } from '../verb.ts'

const GPG: Why = 'runs a program to check signatures; leave `%G` out'

/** What git's options that take a format may not hold: `%G?` and `%(signature)` run gpg. */
export const SAFE_FORMAT = {
  format: { matching: /^(?!.*(?:%G|%\(signature))[^\u0000]*$/s, why: GPG },
  pretty: { matching: /^(?!.*(?:%G|%\(signature))[^\u0000]*$/s, why: GPG },
}

const REFUSED = {
  '--output': 'writes a file',
  '--ext-diff': 'runs a configured program',
  '--textconv': 'runs a configured program',
  '--no-index': 'reads files outside the repository; use `diff`',
  '--show-signature': 'runs a program to check signatures',
  '--stdin': ['waits for standard input', 'endless'],
  '--help': ['opens a manual page; use -h', 'endless'],
  '--filter': 'may fetch objects',
  '--remerge-diff': 'writes temporary objects',
} as const satisfies Record<string, Why>

const DIFF_FLAGS =
  'p u s R a b w z W D r t c q --patch --no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --summary --name-only --name-status --stat --compact-summary --no-compact-summary --cumulative --dirstat-by-file --check --binary --full-index --no-full-index --no-color --no-prefix --default-prefix --irreversible-delete --find-copies-harder --no-find-copies-harder --no-renames --rename-empty --no-rename-empty --follow --no-follow --minimal --no-minimal --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --indent-heuristic --no-indent-heuristic --patience --histogram --no-color-moved --no-relative --text --no-text --exit-code --quiet --no-quiet --no-ext-diff --no-textconv --ita-invisible-in-index --ita-visible-in-index --pickaxe-all --pickaxe-regex --function-context --no-function-context --no-abbrev --no-color-moved-ws --cached --staged --merge-base --combined-all-paths --cc --dd --no-exit-code'
const DIFF_VALUES =
  'U G S l O --unified --stat-width --stat-name-width --stat-graph-width --stat-count --ws-error-highlight --src-prefix --dst-prefix --line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old --output-indicator-context --ignore-matching-lines --diff-algorithm --anchored --word-diff-regex --rotate-to --skip-to --find-object --diff-filter --max-depth'
const DIFF_OPTIONAL =
  'B C M X --stat --dirstat --color --abbrev --break-rewrites --find-renames --find-copies --word-diff --color-words --color-moved --color-moved-ws --relative --ignore-submodules --submodule'

export const DIFF_OPTIONS: OptionTable = {
  flags: `${DIFF_FLAGS} h 0 1 2 3`,
  values: DIFF_VALUES,
  optional: DIFF_OPTIONAL,
  refused: REFUSED,
}

const LOG_FLAGS =
  'm g i E F P v --oneline --graph --all --branches --tags --remotes --reverse --merges --no-merges --first-parent --no-first-parent --no-decorate --decorate --source --use-mailmap --no-use-mailmap --mailmap --no-mailmap --full-diff --log-size --abbrev-commit --no-abbrev-commit --walk-reflogs --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path --date-order --author-date-order --topo-order --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only --no-notes --notes --show-notes --standard-notes --no-standard-notes --show-notes-by-default --parents --children --relative-date --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --no-walk --do-walk --ignore-missing --bisect --not --reflog --single-worktree --no-graph --root --pretty --no-diff-merges  --clear-decorations --no-min-parents --no-max-parents --count --objects --objects-edge --timestamp --quiet --no-commit-header --commit-header --no-object-names --expand-tabs --no-expand-tabs --show-linear-break --no-show-signature --disk-usage --use-bitmap-index --unpacked --header --exclude-first-parent-only'
const LOG_VALUES =
  'n L --max-count --skip --since --after --until --before --author --committer --grep --grep-reflog --format --date --exclude --exclude-hidden --glob --decorate-refs --decorate-refs-exclude --max-parents --min-parents --encoding --since-as-filter --max-age --min-age'
const LOG_OPTIONAL =
  '--pretty --decorate --ancestry-path --branches --tags --remotes --diff-merges --show-linear-break --expand-tabs --no-walk --notes --show-notes --missing'

export const LOG_OPTIONS: OptionTable = {
  flags: `${DIFF_FLAGS} ${LOG_FLAGS} h`,
  values: `${DIFF_VALUES} ${LOG_VALUES}`,
  optional: `${DIFF_OPTIONAL} ${LOG_OPTIONAL}`,
  numbers: true,
  refused: REFUSED,
}

/** The options of `git log` and some more letters. */
export function logOptions(flags: string, values = '', optional = ''): OptionTable {
  return {
    ...LOG_OPTIONS,
    flags: `${LOG_OPTIONS.flags} ${flags}`,
    values: `${LOG_OPTIONS.values} ${values}`,
    optional: `${LOG_OPTIONS.optional} ${optional}`,
  }
}

export function diffOptions(flags: string, values = ''): OptionTable {
  return {
    ...DIFF_OPTIONS,
    flags: `${DIFF_OPTIONS.flags} ${flags}`,
    values: `${DIFF_OPTIONS.values} ${values}`,
  }
}

/** An option table of one git command, with what every git command refuses. */
export function gitOptions(table: OptionTable): OptionTable {
  return { ...table, flags: `${table.flags ?? ''} h`, refused: { '--help': REFUSED['--help'], ...table.refused } }
}
