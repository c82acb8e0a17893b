/** `spillway compact` */
import type { Command } from 'commander'
import { SpillwayError } from '../../core/errors.ts'
import { DEFAULT_PRESET, PRESET_NAMES } from '../../planning/presets.ts'
import { COMPACT_PASSES, type CompactTarget, compactSession } from '../../sessions/compact.ts'
import type { CompactReport } from '../../sessions/compact-report.ts'
import { RULE_NAMES } from '../../sessions/policy.ts'
import { eachSession } from '../each-session.ts'
import { inputsFrom, listOf, outputPaths } from '../inputs.ts'
import { refuseManyPages, writePage } from '../page-file.ts'
import { printableText } from '../printable.ts'
import { refuseHalfSummaries, SUMMARY_HELP, type SummaryFlags, summarizerFrom } from '../summaries.ts'
import { count, note, paint, percent, print, table } from '../terminal.ts'

const ENDING = '.compact.jsonl'

const HELP = `
Writes <name>${ENDING} in the current folder and never overwrites. What is taken out goes to the archive
(spillway recall brings it back, spillway restore undoes everything); the original is not touched.
Rules: ${RULE_NAMES.join(', ')}; "none" writes the session as it is.
${SUMMARY_HELP}
Examples:
  spillway compact session.jsonl                   ./session.compact.jsonl
  spillway compact latest --dry-run --explain      what would change, line by line
  spillway compact 3f2a --fork                     a new session beside the original, and how to resume it
  spillway compact 3f2a --in-place                 replaces the file, keeps 3f2a….jsonl.spillway-1;
                                                   close this session first
  spillway compact *.jsonl -o smaller/ --rules results,images`

interface Options extends SummaryFlags {
  output?: string
  fork?: boolean
  inPlace?: boolean
  force?: boolean
  preset?: string
  html?: string
  rules?: string
  model?: string
  dryRun?: boolean
  explain?: boolean
  archive?: string
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('compact')
    .description('write a smaller session that is legal, resumes and can be restored byte for byte')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('-o, --output <path>', 'write to this file (gzip when it ends in .gz) or into this folder')
    .option('--fork', 'write beside the original under a new session id, and say how to resume it')
    .option('--in-place', 'replace the original, keeping a backup; close this session first')
    .option('--force', 'with --in-place: also when the file changed within the last minute')
    .option('--preset <name>', `how much may leave: ${PRESET_NAMES.join(', ')}; default ${DEFAULT_PRESET}`)
    .option('--rules <names>', 'only these rules, comma-separated; "none" for none at all')
    .option('--model <name>', "the model that will go on with it (default: the session's own)")
    .option('--summaries-url <url>', 'let a model write the records of finished tasks: its endpoint (…/v1)')
    .option('--summaries-model <name>', 'the name of that model')
    .option('--dry-run', 'write nothing')
    .option('--explain', 'one line for each change')
    .option('--html <file>', 'write one self-contained page: the sum, and every change with what brings it back')
    .option('--archive <folder>', 'where the archive is')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(compact)
}

async function compact(words: string[], options: Options): Promise<void> {
  refuseContradictions(options)
  refuseHalfSummaries(options)
  const rules = listOf(options.rules)
  const inputs = await inputsFrom(words)
  refuseManyPages(options.html, inputs.length)
  const paths = options.fork || options.inPlace || options.dryRun ? [] : outputPaths(inputs, options.output, ENDING)
  if (options.inPlace) note('close this session first: what a running harness writes meanwhile goes to the backup')
  await eachSession({
    inputs,
    passes: COMPACT_PASSES,
    doing: 'compacting',
    json: options.json ?? false,
    work: async ({ file }, index, onBytes) => {
      const report = await compactSession(file, {
        target: targetOf(options, paths[index]),
        onBytes,
        onProblem: (problem) => note(printableText(problem.message)),
        ...summarizerFrom(options),
        rules,
        preset: options.preset,
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.archive === undefined ? {} : { archive: options.archive }),
      })
      if (options.html !== undefined) {
        const { compactPage } = await import('../../report/index.ts')
        writePage(options.html, compactPage(report))
      }
      const { edits: _, ...short } = report
      return options.explain ? report : short
    },
    show,
  })
}

function refuseContradictions(options: Options): void {
  const targets = [
    options.output && '-o',
    options.fork && '--fork',
    options.inPlace && '--in-place',
    options.dryRun && '--dry-run',
  ]
  const named = targets.filter((target) => target !== undefined && target !== false && target !== '')
  if (named.length > 1) throw new SpillwayError('usage', `${named.join(' and ')} contradict each other; give one`)
  if (options.force && !options.inPlace) throw new SpillwayError('usage', '--force belongs to --in-place')
}

function targetOf(options: Options, path: string | undefined): CompactTarget {
  if (options.fork) return { kind: 'fork' }
  if (options.inPlace) return { kind: 'in-place', force: options.force ?? false }
  return path === undefined ? { kind: 'nowhere' } : { kind: 'file', path }
}

function show(report: Omit<CompactReport, 'edits'> & Partial<Pick<CompactReport, 'edits'>>): void {
  const { tokens, bytes } = report
  print(`${paint.bold(report.file)}  ${report.format}, ${report.outcome}`)
  for (const edit of report.edits ?? []) {
    print(
      `  ${edit.line === null ? 'new line' : `line ${edit.line}`}  ${edit.rule}: ${edit.what} (${count(edit.tokens)} tokens)`,
    )
  }
  const rules = Object.entries(report.byRule).map(([rule, sum]) => [rule, count(sum.edits), count(sum.tokens)])
  if (rules.length > 0) {
    const numbers = [
      { title: 'edits', align: 'right' },
      { title: 'tokens freed', align: 'right' },
    ] as const
    print(indented(table([{ title: 'rule' }, ...numbers], rules)))
  }
  for (const { id, reason } of report.summaries ?? []) if (reason !== undefined) print(`  digest  ${id}: ${reason}`)
  for (const repair of report.repairs) print(`  repaired ${repair.rule}: ${repair.what}`)
  print(
    `  tokens  ${count(tokens.before)} -> ${count(tokens.after)}  ${paint.green(`saved ${percent(tokens.savedShare)}`)}`,
  )
  for (const line of report.plan) print(`  plan    ${line}`)
  if (report.plan.length > 0) print(`  prices  ${report.prices}`)
  if (report.shortfall) {
    const { reason, needed, limit } = report.shortfall
    print(paint.yellow(`  ${reason}: ${count(needed)} tokens may never leave, ${count(limit)} fit`))
  }
  print(`  bytes   ${count(bytes.before)} -> ${count(bytes.after)}`)
  const { before, after } = report.violations
  print(
    `  legal   ${after === 0 ? 'yes' : `${after} violations, see spillway doctor`}${before > after ? ` (before: ${before} violations)` : ''}`,
  )
  if (report.archive) print(`  archive ${report.archive.path}  ${count(report.archive.objects)} new objects`)
  if (report.backup !== undefined) print(`  backup  ${report.backup}`)
  print(report.out === null ? '  nothing was written (dry run)' : `  out     ${report.out}`)
  if (report.resume !== undefined) print(`  resume  ${paint.cyan(report.resume)}`)
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
