import type { Family } from '../verb.ts'

/** What the shell itself offers, and small programs that only print. */
export const SHELL: Family = {
  title: 'The shell and printing',
  verbs: [
    { names: ['echo', 'true', 'false', 'pwd', 'expr'], options: { harmless: true } },
    { names: [':'], options: { harmless: true }, builtin: true },
    { names: ['which'], options: { harmless: true } },
    { names: ['type'], options: { harmless: true }, builtin: true },
    {
      names: ['command'],
      options: { flags: 'v V', refused: { p: 'runs a program' } },
      requires: { options: ['v', 'V'], why: 'runs a program; use `command -v NAME` to find one' },
      builtin: true,
    },
    { names: ['jobs'], options: { flags: 'l n p r s' }, builtin: true },
    { names: ['cd'], options: { harmless: true }, rules: ['cd'], builtin: true },
    {
      names: ['test', '['],
      options: { harmless: true },
      note: 'literal operators, no `-v`, no `-R`',
      rules: ['test'],
    },
    {
      names: ['break', 'continue'],
      options: {},
      operands: [{ most: 1, matching: /^\d{1,2}$/, why: 'is no number of loops' }],
      builtin: true,
    },
    {
      names: ['exit'],
      options: {},
      operands: [{ most: 1, matching: /^(?:\d{1,3}|\u0000)$/, why: 'is no exit code' }],
      builtin: true,
    },
    {
      names: ['export'],
      options: {
        refused: { p: ['shows the whole environment', 'look'], n: 'changes the environment', f: 'exports functions' },
      },
      note: 'names that steer no program',
      rules: ['export'],
      builtin: true,
    },
    {
      names: ['read'],
      options: {
        flags: 'r s',
        values: 'd n N p t',
        refused: { e: 'waits for a person', u: 'reads another descriptor', i: 'waits for a person' },
      },
      note: 'from a pipe or a file, into names that steer no program',
      input: { operands: Number.POSITIVE_INFINITY },
      rules: ['read'],
      builtin: true,
    },
    {
      names: ['set'],
      options: { flags: 'e u', values: 'o' },
      note: '`-e`, `-u`, `-o pipefail`',
      optionValues: { o: { matching: /^(?:pipefail|errexit|nounset)$/, why: 'changes how the shell reads' } },
      rules: ['set'],
      builtin: true,
    },
    {
      names: ['printf'],
      options: { refused: { v: 'assigns a variable, and runs code in its index' }, stopsAtOperand: true },
      note: 'a literal format with widths below 1,000',
      rules: ['printf'],
    },
    {
      names: ['seq'],
      options: { flags: 'w --equal-width', values: 'f s --format --separator', numbers: true },
      note: 'at most 100,000 numbers',
      optionValues: {
        f: {
          matching: /^[^%\u0000]*%\d{0,2}(?:\.\d{1,2})?[efgEFG][^%\u0000]*$/,
          why: 'has a format that may never end',
        },
        format: {
          matching: /^[^%\u0000]*%\d{0,2}(?:\.\d{1,2})?[efgEFG][^%\u0000]*$/,
          why: 'has a format that may never end',
        },
      },
      rules: ['seq'],
    },
    {
      names: ['printenv'],
      options: { flags: '0 --null' },
      note: 'a few well-known names',
      rules: ['env'],
    },
    {
      names: ['env'],
      options: {
        flags: '',
        refused: {
          'S --split-string': 'runs a program',
          'i --ignore-environment': 'is not needed',
          'C --chdir': 'is not needed; use `cd`',
        },
        stopsAtOperand: true,
      },
      note: 'NAME=value before a glance',
      rules: ['env'],
    },
    {
      names: ['timeout'],
      options: {
        flags: 'v --preserve-status --foreground --verbose',
        values: 'k s --kill-after --signal',
        stopsAtOperand: true,
      },
      note: 'at most 60 seconds, before a glance',
      rules: ['timeout'],
    },
    {
      names: ['xargs'],
      options: {
        flags: '0 r t x --null --no-run-if-empty --verbose --exit',
        values: 'n L I P d s E --max-args --max-lines --replace --max-procs --delimiter --max-chars',
        refused: {
          'p --interactive': ['waits for a person', 'endless'],
          'o --open-tty': ['waits for a person', 'endless'],
          'a --arg-file': 'reads another file',
          '--process-slot-var': 'sets a variable',
        },
        stopsAtOperand: true,
      },
      note: 'a verb whose every option is harmless',
      input: { operands: Number.POSITIVE_INFINITY },
      rules: ['xargs'],
    },
  ],
}
