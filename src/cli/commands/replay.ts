/** `spillway replay` */
import type { Command } from 'commander'
import { SpillwayError } from '../../core/errors.ts'
import { windowOf } from '../../core/models.ts'
import type { Transcript } from '../../core/transcript.ts'
import { turnsOf } from '../../core/transcript.ts'
import { type PriceChoice, pricesFor, SCHEME_NAMES } from '../../planning/prices.ts'
import {
  chainOf,
  compare,
  type Recording,
  type Row,
  recordingOf,
  STRATEGIES,
  type Strategy,
} from '../../replay/index.ts'
import { historyOf } from '../history.ts'
import { inputsFrom } from '../inputs.ts'
import { writePage } from '../page-file.ts'
import { parseCount } from '../quantities.ts'
import { count, counted, paint, percent, print, printJson, table } from '../terminal.ts'

const NAMES = STRATEGIES.map(({ name }) => name)

const HELP = `
Replays recorded sessions call by call under each strategy, without a model: what would have been sent, what it
would have cost, and how often the model would have had to look again. Another prompt would have led the model
elsewhere: compare strategies with it, do not predict bills.
Strategies: ${NAMES.join(', ')}.
Prices: a model's name, or ${SCHEME_NAMES.join(', ')}.

Examples:
  spillway replay session.jsonl
  spillway replay ~/.claude/projects/-home-me-project --strategy default --strategy claude-code
  spillway replay *.jsonl --prices anthropic-1h --window 1000000 --csv > costs.csv
  spillway replay *.jsonl --chain 5000               how size and cost grow on a run of 5,000 calls`

interface Options {
  strategy?: string[]
  prices?: string
  window?: number
  chain?: number
  json?: boolean
  csv?: boolean
  html?: string
}

export function register(program: Command): void {
  program
    .command('replay')
    .description('price strategies on recorded sessions, without a model')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('--strategy <name...>', 'only these; raw is always replayed beside them')
    .option('--prices <name>', "a model or a price scheme; default: the session's own model")
    .option('--window <tokens>', "the model's context window; default: as known for the model", parseCount)
    .option('--chain <calls>', 'the sessions one after the other, until there are so many calls', parseCount)
    .option('--json', 'print one JSON document')
    .option('--csv', 'print comma-separated values')
    .option('--html <file>', 'write one self-contained page')
    .addHelpText('after', HELP)
    .action(replay)
}

async function replay(words: string[], options: Options): Promise<void> {
  const strategies = chosenStrategies(options.strategy)
  if (options.json && options.csv) throw new SpillwayError('usage', '--json and --csv contradict each other; give one')
  const inputs = await inputsFrom(words)
  const histories: { file: string; main: Transcript }[] = []
  for (const { file } of inputs) histories.push({ file, main: await historyOf(file) })
  const told = histories.filter(({ main }) => turnsOf(main).length > 0)
  if (told.length === 0)
    throw new SpillwayError('not-found', 'no call is recorded in these sessions: nothing to replay')
  const model = told[0]?.main.model
  const choice = pricesFor(options.prices ?? model)
  const terms = { prices: choice.prices, window: options.window ?? windowOf(model) }
  const recordings = recordingsOf(told, options.chain)
  const { rows, runs } = compare(recordings, strategies, terms)
  const document = {
    sessions: recordings.map(({ name, calls }) => ({ file: name, turns: calls.length })),
    prices: { ...choice.prices, basis: choice.basis },
    window: terms.window,
    strategies: rows,
  }
  if (options.html !== undefined) {
    const { replayPage } = await import('../../report/index.ts')
    writePage(options.html, replayPage({ ...document, recordings, runs }))
  }
  if (options.json) printJson(document)
  else if (options.csv) print(csvOf(rows))
  else show(rows, recordings, choice, terms.window, options.chain !== undefined)
}

/** @throws SpillwayError `usage` naming the strategies */
function chosenStrategies(names: readonly string[] | undefined): readonly Strategy[] {
  if (!names) return STRATEGIES
  const wanted = names.flatMap((name) => name.split(','))
  const unknown = wanted.find((name) => !NAMES.includes(name))
  if (unknown !== undefined) {
    throw new SpillwayError('usage', `--strategy: no "${unknown}"; there are ${NAMES.join(', ')}`)
  }
  return STRATEGIES.filter(({ name }) => name === 'raw' || wanted.includes(name))
}

function recordingsOf(
  histories: readonly { file: string; main: Transcript }[],
  chain: number | undefined,
): readonly Recording[] {
  if (chain === undefined) return histories.map(({ file, main }) => recordingOf(main, file))
  return [
    chainOf(
      histories.map(({ main }) => main),
      chain,
    ),
  ]
}

const COLUMNS: readonly { readonly title: string; readonly cell: (row: Row) => string }[] = [
  { title: 'tokens %', cell: (row) => (100 * row.tokensShare).toFixed(1) },
  { title: 'cost %', cell: (row) => (100 * row.costShare).toFixed(1) },
  { title: '+restores', cell: (row) => (100 * row.costWithRestoresShare).toFixed(1) },
  { title: 'peak', cell: (row) => count(row.peak) },
  { title: 'over', cell: (row) => count(row.overWindow) },
  { title: 'breaks', cell: (row) => row.breaksPer100.toFixed(1) },
  { title: 'visible', cell: (row) => (100 * row.visible).toFixed(1) },
  { title: 'recov.', cell: (row) => (100 * row.recoverable).toFixed(1) },
  { title: '/opt', cell: (row) => row.vsOptimum?.toFixed(2) ?? '' },
]

function show(
  rows: readonly Row[],
  recordings: readonly Recording[],
  choice: PriceChoice,
  window: number,
  isChain: boolean,
): void {
  const calls = recordings.reduce((sum, recording) => sum + recording.calls.length, 0)
  const what = isChain ? recordings[0]?.name : `${counted(recordings.length, 'session')}, ${counted(calls, 'call')}`
  print(`${paint.bold(what ?? '')}, window ${count(window)}; ${choice.basis}`)
  const columns = COLUMNS.map(({ title }) => ({ title, align: 'right' }) as const)
  print(
    table(
      [{ title: 'strategy' }, ...columns],
      rows.map((row) => [row.name, ...COLUMNS.map(({ cell }) => cell(row))]),
    ),
  )
  if (isChain) {
    for (const { name, growth } of rows) {
      print(
        `${name.padEnd(20)} grows with calls to the power of ${growth.size.toFixed(2)}, cost ${growth.cost.toFixed(2)}`,
      )
    }
  }
  const dearer = rows.filter((row) => row.dearerThanRaw > 0)
  for (const row of dearer) {
    print(
      paint.yellow(
        `${row.name}: ${counted(row.dearerThanRaw, 'session')} dearer than raw, worst ${percent(row.worstShare)}`,
      ),
    )
  }
}

const FIELDS = [
  'name',
  'tokensShare',
  'costShare',
  'costWithRestoresShare',
  'peak',
  'overWindow',
  'breaksPer100',
  'visible',
  'recoverable',
  'restores',
  'vsOptimum',
  'dearerThanRaw',
] as const satisfies readonly (keyof Row)[]

function csvOf(rows: readonly Row[]): string {
  return [FIELDS.join(','), ...rows.map((row) => FIELDS.map((field) => row[field] ?? '').join(','))].join('\n')
}
