import type { OptionTable, Verb, Why } from '../verb.ts'

const BROWSER: Why = 'opens a browser; leave it out'
const ENDLESS: Why = ['waits until it is done; leave it out', 'endless']
const OUTPUT = 'q t --json --jq --template'
const REPO = 'R --repo'
const WEB: NonNullable<OptionTable['refused']> = { 'w --web': BROWSER }
const LISTING = 'L --limit'

function gh(names: string, flags: string, values: string, refused: NonNullable<OptionTable['refused']> = WEB): Verb {
  return {
    names: names.split(' '),
    options: { flags: `h --help ${flags}`, values: `${OUTPUT} ${values}`, refused },
    rules: ['jq'],
  }
}

function group(name: string, verbs: readonly Verb[], refusedVerbs: Verb['refusedVerbs'] = {}): Verb {
  return {
    names: [name],
    options: { flags: 'h --help', values: REPO, stopsAtOperand: true },
    verbs,
    refusedVerbs,
    bare: 'needs a verb that only looks, such as `list` or `view`',
  }
}

const SEARCH_VALUES =
  'L --limit --sort --order --owner --repo R --language --state --author --assignee --label --match --created --updated --closed --merged --stars --forks --topic --license --size --visibility --commenter --involves --mentions --milestone --project --head --base --review --reviewed-by --review-requested --checks --comments --interactions --reactions --number-topics --good-first-issues --help-wanted-issues --followers --team-mentions --hash --tree --parent --author-name --author-email --author-date --committer --committer-date --filename --extension --app'

export const GH: Verb = {
  names: ['gh'],
  options: { flags: 'h --help --version', stopsAtOperand: true },
  verbs: [
    group(
      'pr',
      [
        gh('view', 'c --comments', REPO),
        gh(
          'list',
          'd --draft',
          `${REPO} ${LISTING} s S A B H a l --state --search --author --base --head --assignee --label --app`,
        ),
        gh('status', 'c --conflict-status', REPO),
        gh('checks', '--required', `${REPO}`, {
          ...WEB,
          '--watch': ENDLESS,
          'i --interval': ENDLESS,
          '--fail-fast': ENDLESS,
        }),
        gh('diff', '--patch --name-only', `${REPO} --color e --exclude`),
      ],
      {
        create: 'creates a pull request',
        merge: 'merges a pull request',
        checkout: 'changes the branch; use `gh pr diff`',
        close: 'closes a pull request',
        edit: 'changes a pull request',
        review: 'writes a review',
        comment: 'writes a comment',
        ready: 'changes a pull request',
        reopen: 'opens a pull request',
      },
    ),
    group(
      'issue',
      [
        gh('view', 'c --comments', REPO),
        gh(
          'list',
          '',
          `${REPO} ${LISTING} s S A a l m --state --search --author --assignee --label --mention --milestone --app --type`,
        ),
        gh('status', '', REPO),
      ],
      { create: 'creates an issue', close: 'closes an issue', edit: 'changes an issue', comment: 'writes a comment' },
    ),
    group(
      'run',
      [
        gh('view', 'v --verbose --log --log-failed --exit-status', `${REPO} j a --job --attempt`),
        gh(
          'list',
          'a --all',
          `${REPO} ${LISTING} b c e s u w --branch --commit --event --status --user --workflow --created`,
          {},
        ),
      ],
      {
        watch: ENDLESS,
        rerun: 'starts a run',
        cancel: 'stops a run',
        delete: 'deletes a run',
        download: 'writes files; use `gh run view --log`',
      },
    ),
    group('repo', [
      gh('view', '', 'b --branch'),
      gh('list', '--archived --no-archived --fork --source', `${LISTING} l --language --topic --visibility`, {}),
    ]),
    group('release', [
      gh('view', '', REPO),
      gh('list', '--exclude-drafts --exclude-pre-releases', `${REPO} ${LISTING} O --order`),
    ]),
    group('workflow', [gh('view', 'y --yaml', `${REPO} r --ref`), gh('list', 'a --all', `${REPO} ${LISTING}`)]),
    group('label', [gh('list', '', `${REPO} ${LISTING} S --search --sort --order`)]),
    group('cache', [gh('list', '', `${REPO} ${LISTING} k r O S --key --ref --order --sort`)]),
    group('gist', [gh('list', '--public --secret', LISTING), gh('view', 'r --raw --files', 'f --filename')]),
    group(
      'auth',
      [
        gh('status', 'a --active', '', {
          't --show-token': ['shows a credential', 'look'],
          'h --hostname': 'names another host',
        }),
      ],
      { token: ['shows a credential', 'look'], login: 'signs in', logout: 'signs out' },
    ),
    group('search', [
      gh(
        'code commits issues prs repos',
        '--include-prs --include-forks --archived --draft --merged --locked --no-assignee --no-label --no-milestone --no-project',
        SEARCH_VALUES,
      ),
    ]),
    {
      names: ['api'],
      options: {
        flags: 'i --paginate --slurp --include --silent --verbose --help',
        values: 'q t X p f F --jq --template --method --preview --raw-field --field',
        refused: {
          'H --header': 'changes the request',
          '--input': 'sends a file',
          '--hostname': 'names another host',
          '--cache': 'writes a cache',
        },
      },
      note: 'GET requests without fields',
      optionValues: {
        X: { matching: /^GET$/i, why: 'is not a GET request' },
        method: { matching: /^GET$/i, why: 'is not a GET request' },
      },
      operands: [{ most: 1, matching: /^(?![a-z][\w+.-]*:|\/\/)[^\u0000]/i, why: 'names another host; give a path' }],
      rules: ['gh api', 'jq'],
    },
  ],
  bare: 'itself',
  strictEnvironment: true,
}
