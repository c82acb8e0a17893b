/** `spillway analyze` */
import type { Command } from 'commander'
import { isRunDirectory } from '../../agent/run-directory/files.ts'
import { SpillwayError } from '../../core/errors.ts'
import { DEFAULT_PRESET, PRESET_NAMES } from '../../planning/presets.ts'
import { type Analysis, analyzeSession } from '../../sessions/analyze.ts'
import { eachSession } from '../each-session.ts'
import { keepHeapSmall } from '../frugal-heap.ts'
import { inputsFrom } from '../inputs.ts'
import { refuseManyPages, writePage } from '../page-file.ts'
import { printable } from '../printable.ts'
import { count, counted, paint, percent, print, printJson, table } from '../terminal.ts'

/** Tools and threads beyond these are summed up in one row. */
const ROWS = 8

const HELP = `
Tokens are those of what would be sent now, calibrated to the session's own recorded usage.

Examples:
  spillway analyze session.jsonl
  spillway analyze latest --json
  spillway analyze ~/.claude/projects/-home-me-project
  spillway analyze .spillway/run                  what a run of spillway once came to`

const NUMBER = { title: 'tokens', align: 'right' } as const
const SHARE = { title: 'share', align: 'right' } as const

export function register(program: Command): void {
  program
    .command('analyze')
    .description('where the context went: by kind, tool and thread, how it grows, what each rule could free')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('--preset <name>', `whose rules to count: ${PRESET_NAMES.join(', ')}; default ${DEFAULT_PRESET}`)
    .option('--html <file>', 'write one self-contained page')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(analyze)
}

async function analyze(words: string[], options: { json?: boolean; preset?: string; html?: string }): Promise<void> {
  const [runDirectory, ...more] = words
  if (runDirectory !== undefined && isRunDirectory(runDirectory)) {
    if (more.length > 0 || options.html !== undefined) {
      throw new SpillwayError('usage', 'a run directory is analyzed alone and printed, not written as a page')
    }
    await analyzeRunDirectory(runDirectory, options)
    return
  }
  const inputs = await inputsFrom(words)
  keepHeapSmall(inputs.map(({ file }) => file))
  refuseManyPages(options.html, inputs.length)
  const reports = await eachSession({
    inputs,
    passes: 1,
    doing: 'reading',
    json: options.json ?? false,
    work: ({ file, subagents }, _index, onBytes) =>
      analyzeSession(file, { subagents, onBytes, preset: options.preset }),
    show,
  })
  const [analysis] = reports
  if (options.html === undefined || !analysis) return
  const { analyzePage } = await import('../../report/index.ts')
  const { sessionCost } = await import('../session-cost.ts')
  const cost = await sessionCost(analysis.file, options.preset ?? DEFAULT_PRESET)
  writePage(options.html, analyzePage(analysis, cost))
}

async function analyzeRunDirectory(folder: string, options: { json?: boolean; preset?: string }): Promise<void> {
  const { analyzeRun } = await import('../../agent/run-directory/analyze-run.ts')
  const run = await analyzeRun(folder, { preset: options.preset })
  if (options.json) {
    printJson(run)
    return
  }
  const { showRun } = await import('../run-analysis.ts')
  showRun(printable(run))
}

function show(analysis: Analysis): void {
  const { context, cache, delegation, tokens, threads } = analysis
  print(`${paint.bold(analysis.file)}  ${analysis.format}  ${analysis.model ?? 'no model'}`)
  section('kind', tokens.byKind, tokens.total)
  section('tool', tokens.byTool, tokens.total)
  const counts = [
    { title: 'turns', align: 'right' },
    { title: 'calls', align: 'right' },
    { title: 'tokens', align: 'right' },
  ] as const
  const rows = threads
    .slice(0, ROWS)
    .map((thread) => [thread.name, count(thread.turns), count(thread.calls), count(thread.tokens)])
  if (threads.length > ROWS) rows.push([`${threads.length - ROWS} more threads`, '', '', ''])
  print(`\n${table([{ title: 'thread', flexible: true }, ...counts], rows)}`)
  print('')
  line('context', `peak ${count(context.peak)}, last ${count(context.last)}${growth(analysis)}`)
  line('cache', `${percent(cache.hitRate)} read, ${count(cache.write)} written, ${count(cache.uncached)} uncached`)
  line(
    'workers',
    `${percent(delegation.turnShare)} of turns, ${percent(delegation.charShare)} of characters; calls ${count(delegation.workerCalls)} : ${count(delegation.mainCalls)}`,
  )
  line('glances', glances(analysis))
  line('events', events(analysis))
  section('could free', analysis.could, tokens.total)
  for (const bad of analysis.badLines.slice(0, ROWS))
    print(paint.yellow(`${analysis.file}:${bad.line}: ${bad.problem}`))
  if (analysis.badLines.length > ROWS) print(paint.yellow(`${analysis.badLines.length - ROWS} more bad lines`))
  print('')
}

function section(title: string, sums: Readonly<Record<string, number>>, total: number): void {
  const all = Object.entries(sums)
    .filter(([, sum]) => sum > 0)
    .sort((a, b) => b[1] - a[1])
  if (all.length === 0) return
  const rows = all.slice(0, ROWS).map(([name, sum]) => [name, count(sum), total === 0 ? '' : percent(sum / total)])
  const rest = all.slice(ROWS)
  const left = rest.reduce((sum, [, each]) => sum + each, 0)
  if (rest.length > 0) rows.push([`${rest.length} more`, count(left), total === 0 ? '' : percent(left / total)])
  print(`\n${table([{ title }, NUMBER, SHARE], rows)}`)
}

function growth({ context }: Analysis): string {
  if (context.slopePerTurn === null) return ''
  const wall = context.projectedWallTurn === null ? '' : `, full at turn ${count(context.projectedWallTurn)}`
  return `, ${count(context.slopePerTurn)} tokens a turn${wall}`
}

function glances({ glances }: Analysis): string {
  return `${count(glances.glances)} of ${count(glances.commands)} commands (${percent(glances.share)}), ${count(glances.tokens)} tokens`
}

function events(analysis: Analysis): string {
  const { compactions, denials, apiErrors, interrupts, danglingCalls } = analysis
  return [
    counted(compactions, 'compaction'),
    counted(denials, 'denial'),
    counted(apiErrors, 'API error'),
    counted(interrupts, 'interrupt'),
    counted(danglingCalls, 'unanswered call'),
  ].join(', ')
}

function line(label: string, text: string): void {
  print(`${label.padEnd(9)}${text}`)
}
