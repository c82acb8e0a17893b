/** `spillway glance` */
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { SpillwayError } from '../../core/errors.ts'
import { classify } from '../../shell/index.ts'
import { EXIT } from '../exit.ts'
import { presentFolder } from '../present-folder.ts'
import { printableLine } from '../printable.ts'
import { paint, print } from '../terminal.ts'

const HELP = `
A glance is a command that only looks: it may run without a worker, and its result goes stale.
Exit code 0: allowed, 1: not.

Examples:
  spillway glance 'git status --short | head'
  spillway glance --json 'rm -rf build'
  spillway glance --batch < commands.jsonl         one JSON line {allow, ephemeral, reason, parts} for each {cmd}`

interface Options {
  json?: boolean
  batch?: boolean
}

export function register(program: Command): void {
  program
    .command('glance')
    .description('is this command a glance, and why')
    .argument('[command]', 'one shell command, quoted')
    .option('--batch', 'read JSON lines {cmd} from standard input, answer one JSON line each')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(glance)
}

async function glance(command: string | undefined, options: Options): Promise<void> {
  if ((command === undefined) === (options.batch === undefined)) {
    throw new SpillwayError('usage', 'give one command in quotes, or --batch and commands on standard input')
  }
  if (command === undefined) {
    await answerAll()
    return
  }
  const answer = classify(command, { cwd: presentFolder() })
  if (options.json) print(JSON.stringify(answer))
  else print(`${answer.allow ? paint.green('allowed') : paint.red('refused')}: ${printableLine(answer.reason)}`)
  if (!answer.allow) process.exitCode = EXIT.problem
}

/** One answer a line, in order; a line that is no `{cmd}` is answered with what was expected. */
async function answerAll(): Promise<void> {
  let number = 0
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() === '') continue
    const command = commandIn(line)
    if (command !== undefined) {
      print(JSON.stringify(classify(command, { cwd: presentFolder() })))
      continue
    }
    const reason = `standard input:${number}: expected a JSON object with a string "cmd"`
    print(JSON.stringify({ allow: false, ephemeral: false, reason, parts: [] }))
    process.exitCode = EXIT.problem
  }
}

function commandIn(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const command = typeof value === 'object' && value !== null && 'cmd' in value ? value.cmd : undefined
    return typeof command === 'string' ? command : undefined
  } catch {
    return undefined
  }
}
