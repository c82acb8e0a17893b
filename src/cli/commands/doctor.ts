/** `spillway doctor` */
import type { Command } from 'commander'
import { SpillwayError } from '../../core/errors.ts'
import { doctorSession } from '../../sessions/doctor.ts'
import { type DoctorReport, isSick } from '../../sessions/doctor-report.ts'
import { eachSession } from '../each-session.ts'
import { EXIT } from '../exit.ts'
import { inputsFrom, outputPaths } from '../inputs.ts'
import { paint, print } from '../terminal.ts'

const ENDING = '.fixed.jsonl'
const PASSES = 3

const HELP = `
"reject": the provider or the loader refuses it or loses data. "warn": accepted, but harmful or not confirmed.
Exit code 1 when anything would be rejected (with --fix: when anything still is).
A request is a JSON file: Anthropic Messages, OpenAI Chat or Responses, AI SDK ModelMessage or UIMessage.

Examples:
  spillway doctor session.jsonl
  spillway doctor session.jsonl --fix -o session.fixed.jsonl
  spillway doctor request.json --model claude-opus-5-5`

interface Options {
  fix?: boolean
  output?: string
  model?: string
  archive?: string
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('doctor')
    .description('every legality violation of a session or a request, and a repair that loses nothing')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('--fix', 'write the repaired session to -o')
    .option('-o, --output <path>', 'with --fix: the new file, or a folder')
    .option('--model <name>', "the model that will go on with it (default: the session's own)")
    .option('--archive <folder>', 'where the archive is')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(doctor)
}

async function doctor(words: string[], options: Options): Promise<void> {
  if (options.fix && options.output === undefined) throw new SpillwayError('usage', '--fix needs -o OUT')
  if (options.output !== undefined && !options.fix) throw new SpillwayError('usage', '-o belongs to --fix')
  const inputs = await inputsFrom(words)
  const paths = options.fix ? outputPaths(inputs, options.output, ENDING).map(requestEnding) : []
  const reports = await eachSession({
    inputs,
    passes: options.fix ? PASSES : 1,
    doing: 'examining',
    json: options.json ?? false,
    work: ({ file }, index, onBytes) => {
      const fix = paths[index]
      return doctorSession(file, {
        onBytes,
        ...(fix === undefined ? {} : { fix }),
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.archive === undefined ? {} : { archive: options.archive }),
      })
    },
    show,
  })
  if (reports.some(isSick)) process.exitCode = EXIT.problem
}

/** A request's file keeps its kind. */
function requestEnding(path: string): string {
  return path.endsWith(`.json${ENDING}`) ? `${path.slice(0, -`.json${ENDING}`.length)}.fixed.json` : path
}

function show(report: DoctorReport): void {
  const { violations, repairs } = report
  print(
    `${paint.bold(report.file)}  ${report.format}, ${violations.length === 0 ? paint.green('healthy') : `${violations.length} found`}`,
  )
  for (const violation of violations) {
    const severity = violation.severity === 'reject' ? paint.red('reject') : paint.yellow('warn  ')
    print(`  ${severity}  ${place(violation.line)}${violation.rule}  ${violation.message}`)
  }
  if (repairs.length > 0) print(report.out === null ? '  --fix would:' : '  repaired:')
  for (const repair of repairs) print(`    ${place(repair.line)}${repair.rule}  ${repair.what}`)
  if (report.out !== null) print(`  out     ${report.out}${isSick(report) ? paint.red('  (still not legal)') : ''}`)
}

function place(line: number | null): string {
  return line === null ? '' : `line ${line}  `
}
