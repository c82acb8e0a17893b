/** `spillway restore` */
import type { Command } from 'commander'
import { type RestoreReport, restoreSession } from '../../sessions/restore.ts'
import { eachSession } from '../each-session.ts'
import { EXIT } from '../exit.ts'
import { inputsFrom, outputPaths } from '../inputs.ts'
import { counted, paint, print } from '../terminal.ts'

const ENDING = '.restored.jsonl'
const PASSES = 4

const HELP = `
Writes <name>${ENDING} in the current folder and never overwrites. The file is recognised by its content:
it may have been renamed, and what was added since the compaction is kept.

Examples:
  spillway restore session.compact.jsonl
  spillway restore session.compact.jsonl -o session.again.jsonl`

interface Options {
  output?: string
  archive?: string
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('restore')
    .description('put back everything that compact took out, byte for byte')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('-o, --output <path>', 'write to this file (gzip when it ends in .gz) or into this folder')
    .option('--archive <folder>', 'where the archive is')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(restore)
}

async function restore(words: string[], options: Options): Promise<void> {
  const inputs = await inputsFrom(words)
  const paths = outputPaths(inputs, options.output, ENDING)
  const reports = await eachSession({
    inputs,
    passes: PASSES,
    doing: 'restoring',
    json: options.json ?? false,
    work: ({ file }, index, onBytes) =>
      restoreSession(file, {
        out: paths[index] ?? '',
        onBytes,
        ...(options.archive === undefined ? {} : { archive: options.archive }),
      }),
    show,
  })
  if (reports.some((report) => !report.exact)) process.exitCode = EXIT.problem
}

function show(report: RestoreReport): void {
  print(paint.bold(report.file))
  print(`  undone  ${counted(report.restored, 'compaction')}`)
  print(`  exact   ${report.exact ? 'yes, byte for byte' : paint.red('no: the bytes differ from what was recorded')}`)
  print(`  archive ${report.archive}`)
  print(`  out     ${report.out}`)
}
