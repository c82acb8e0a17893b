/**
 * The long session: the nightly settlement loses cents, and the model finds out why the way models do: it reads
 * everything twice, runs all tests after each step, and prints long ledgers.
 */
import type { Reply } from '../../src/testing/index.ts'
import { type Stage, toolsIn, turn } from './story.ts'

const AREAS = ['bookings', 'crossings', 'fares', 'vessels', 'refunds', 'settlement']

export function longStory(project: string): Stage[] {
  const { read, grep, glob, bash, edit, write, agent } = toolsIn(project)
  const runTests = bash('node tools/run-tests.mjs', 'Run all tests')
  const settle = (lines: number) => bash(`node tools/settle.mjs ${lines}`, `Settle the sample day, ${lines} lines`)

  const survey: Reply[] = AREAS.flatMap((area, index) => [
    turn(
      index % 2 === 0 ? { think: `The ${area} area next: what it keeps and what it lets through.` } : {},
      read(`src/${area}/store.ts`),
      read(`src/${area}/rules.ts`),
    ),
    turn({ say: `${area} checks its fields before every step. Looking at who else touches them.` }, grep(`${area}`)),
  ])

  const secondLook: Reply[] = AREAS.flatMap((area, index) => [
    turn(
      index % 3 === 0 ? { think: `Do the ${area} tests cover amounts at all? They seem to look at states only.` } : {},
      read(`src/${area}/rules.test.ts`),
    ),
    turn({}, bash(`node tools/run-tests.mjs ${area}`, `Run the ${area} tests`)),
  ])

  const guards: Reply[] = AREAS.slice(0, 5).flatMap((area) => [
    turn({ say: `Reading ${area} once more before I touch it.` }, read(`src/${area}/rules.ts`)),
    turn(
      { think: `${area} describes its items for the wall screen with two spaces; a separator would be safer to read.` },
      edit(`src/${area}/rules.ts`, "item.state].join('  ')", "item.state].join(' | ')"),
    ),
    turn({}, bash(`node tools/run-tests.mjs ${area}`, `Run the ${area} tests`)),
  ])

  return [
    {
      prompt:
        'The nightly settlement loses a few cents every day: the harbours complain that their statements do not add up. ' +
        'Find out where they go. Do not change anything yet.',
      replies: [
        turn(
          {
            think: 'First the lay of the land, then the symptom, then the cause.',
            say: "I'll look at the project first.",
          },
          glob('**/*.ts'),
          read('README.md'),
        ),
        turn({ say: 'Now the symptom itself.' }, settle(90)),
        turn({ think: 'Cents go missing on two lines of three. Which tests know about it?' }, runTests),
        ...survey,
        turn(
          { say: 'The amounts pass through many hands. I let a second pair of eyes list every place that rounds.' },
          agent(
            'List every rounding',
            'List every place in src/ that rounds or divides an amount in cents. Report file, line and what is lost.',
          ),
        ),
        turn(
          { think: 'Two floors in one file. split() drops the remainder of each share.' },
          read('src/settlement/rounding.ts'),
        ),
        turn({}, grep('Math\\.(floor|round|ceil)')),
        turn({ say: 'More lines, to see whether the loss has a pattern.' }, settle(300)),
        ...secondLook,
        turn({
          think: 'Enough. The answer is short.',
          say:
            'The cents are lost in `src/settlement/rounding.ts`. `split` floors every share and forgets the remainder ' +
            '(up to one cent for each harbour), and `taxCents` floors where the tax office rounds. No test looks at either.',
        }),
      ],
      subagent: [
        turn({ say: 'Searching the sources.' }, grep('Math\\.(floor|round|ceil)'), grep('Cents')),
        turn(
          { think: 'Only one file computes; the rest compares.' },
          read('src/settlement/rounding.ts'),
          read('src/fares/rules.ts'),
        ),
        turn({}, read('src/refunds/rules.ts'), read('src/settlement/rules.ts')),
        turn({
          say:
            'Two places round: `src/settlement/rounding.ts` line 3 (`taxCents`, floors, loses up to one cent a line) and ' +
            'line 9 (`split`, floors every share, loses up to one cent for each harbour). `fares` and `refunds` only compare amounts.',
        }),
      ],
    },
    {
      prompt: 'Good. Fix both, so that every statement adds up to the cent, and show me that the tests agree.',
      replies: [
        turn({ say: 'The file once more, then the fix of `split`.' }, read('src/settlement/rounding.ts')),
        turn(
          { think: 'Largest remainder: floor all, then hand the cents left over to the biggest fractions.' },
          edit(
            'src/settlement/rounding.ts',
            '  return weights.map((weight) => Math.floor((cents * weight) / sum))\n',
            [
              '  const shares = weights.map((weight) => Math.floor((cents * weight) / sum))',
              '  let remainder = cents - shares.reduce((total, share) => total + share, 0)',
              '  const byFraction = weights',
              '    .map((weight, index) => ({ index, fraction: (cents * weight) / sum - (shares[index] ?? 0) }))',
              '    .sort((a, b) => b.fraction - a.fraction || a.index - b.index)',
              '  for (const { index } of byFraction) {',
              '    if (remainder === 0) break',
              '    shares[index] = (shares[index] ?? 0) + 1',
              '    remainder--',
              '  }',
              '  return shares',
              '',
            ].join('\n'),
          ),
        ),
        turn({}, runTests),
        turn({ say: 'Half of the days are green. Now the tax.' }, settle(90)),
        turn(
          { think: 'The tax office rounds to the nearest cent.' },
          edit('src/settlement/rounding.ts', 'return Math.floor((grossCents', 'return Math.round((grossCents'),
        ),
        turn({}, runTests),
        turn({ say: 'All green. The ledger, to be sure.' }, settle(300)),
        turn(
          { think: 'The split needs tests of its own; the sample days reach it only from far away.' },
          read('src/settlement/rules.test.ts'),
        ),
        turn({ say: 'Tests of the split itself.' }, write('src/settlement/rounding.test.ts', roundingTests())),
        turn({}, runTests),
        ...AREAS.slice(0, 4).map((area) =>
          turn(
            { say: `Does anything in ${area} rely on the old rounding?` },
            read(`src/${area}/store.ts`),
            grep(`Cents`, `src/${area}`),
          ),
        ),
        turn({ think: 'A bigger day, in case the remainder grows with the lines.' }, settle(240)),
        turn({
          say: 'Both are fixed: every sample day adds up to the cent, and `rounding.test.ts` pins the split down.',
        }),
      ],
    },
    {
      prompt:
        'While you are there: the wall screen in the harbour office cannot tell the columns apart. Use a visible separator ' +
        'everywhere. And write down for the office how the settlement works.',
      replies: [
        turn({ think: 'Every area has a describe(). One at a time, with its tests.' }, grep('join\\(')),
        ...guards,
        turn({ say: 'Settlement last.' }, read('src/settlement/rules.ts'), read('src/settlement/store.ts')),
        turn({}, edit('src/settlement/rules.ts', "item.state].join('  ')", "item.state].join(' | ')")),
        turn({}, runTests),
        turn(
          {
            think:
              'The page for the office: what happens at night, in which order, and what to do when a day does not close.',
          },
          write('docs/settlement.md', settlementPage()),
        ),
        turn({ say: 'A last look at the whole.' }, grep('join\\('), settle(90)),
        turn({
          say:
            'Done: all six areas separate their columns with a bar, the tests are green, and `docs/settlement.md` tells the ' +
            'office what happens at night and what to do when a day does not close.',
        }),
      ],
    },
  ]
}

function roundingTests(): string {
  const cases = [
    [1000, [1, 1, 1]],
    [999, [5, 3, 1]],
    [1, [1, 1, 1, 1]],
    [184250, [7, 11, 13, 2, 4]],
    [0, [3, 2]],
  ] as const
  const blocks = cases.map(([cents, weights]) =>
    [
      `  it('gives ${cents} cents out whole over ${weights.length} harbours', () => {`,
      `    const shares = split(${cents}, [${weights.join(', ')}])`,
      `    expect(shares.reduce((total, share) => total + share, 0)).toBe(${cents})`,
      '    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)',
      '  })',
    ].join('\n'),
  )
  return `${[
    "import { describe, expect, it } from 'vitest'",
    "import { split, taxCents } from './rounding.ts'",
    '',
    "describe('split', () => {",
    blocks.join('\n\n'),
    '})',
    '',
    "describe('taxCents', () => {",
    "  it('rounds to the nearest cent', () => {",
    '    expect(taxCents(11900, 19)).toBe(1900)',
    '    expect(taxCents(11903, 19)).toBe(1900)',
    '    expect(taxCents(11904, 19)).toBe(1901)',
    '  })',
    '})',
  ].join('\n')}\n`
}

function settlementPage(): string {
  return `# The nightly settlement

At three in the morning the office closes the day. For every harbour it makes one statement.

1. Every paid booking of the day is taken with its gross amount in cents.
2. The tax inside the amount is worked out and rounded to the nearest cent, as the tax office does.
3. What is left is shared among the harbours that the crossing touches, by the weights in the timetable. Each share is
   first rounded down; the cents left over go, one each, to the harbours whose share lost the most by rounding.
4. The statement is closed. From then on only a correcting line may be added.

## When a day does not close

- *A booking is still held.* It was never paid: cancel it, or take the payment, then close again.
- *A crossing has no berth.* The harbour has not confirmed. Call the harbour; the office cannot close without it.
- *The sums differ.* They must not, since the shares are given out whole. Keep the journal and call the developers.

The ledger of a day can be printed at any time with \`node tools/settle.mjs\`; nothing is changed by printing it.
`
}
