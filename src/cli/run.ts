/** Finds the command, loads only that one, and turns every outcome into output and an exit code. */
import { Command, CommanderError } from 'commander'
import { SpillwayError } from '../core/errors.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT } from './exit.ts'
import { printableText } from './printable.ts'
import { VERSION } from './version.ts'

const EXAMPLES = `
Examples:
  spillway sessions                     what is recorded on this machine
  spillway analyze latest               where the newest session's context went
  spillway compact latest --fork        go on with a full session: a smaller copy that resumes
  spillway restore out.compact.jsonl    put everything back, byte for byte

SESSION is a path (file, folder, .gz, -), a session id, a unique prefix of one, or "latest".
Exit codes: 0 success, 1 a problem was found, 2 wrong usage.`

/** Runs one command line (without node and script). Sets the exit code, never exits by itself. */
export async function run(words: readonly string[]): Promise<void> {
  stopOnClosedPipe()
  try {
    await (await programFor(words)).parseAsync([...words], { from: 'user' })
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

async function programFor(words: readonly string[]): Promise<Command> {
  const program = new Command('spillway')
    .description('Context economy for long-horizon LLM agents.')
    .version(VERSION)
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(printableText(text.replace(/^error: /, 'spillway: '))) })
  const named = words.find((word) => !word.startsWith('-'))
  const only = named === undefined ? undefined : COMMANDS[named]
  for (const load of only ? [only] : Object.values(COMMANDS)) {
    const { register } = await load()
    register(program)
  }
  return program
}

function reportError(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed help or its own error already; asking for help is a success.
    return error.exitCode === 0 ? EXIT.success : EXIT.usage
  }
  process.stderr.write(`spillway: ${printableText(messageOf(error))}\n`)
  return error instanceof SpillwayError && error.code === 'usage' ? EXIT.usage : EXIT.problem
}

/** One line for a person; of a fault of ours also the place, so that it can be reported. */
export function messageOf(error: unknown): string {
  if (error instanceof SpillwayError) return error.message
  if (!(error instanceof Error)) return String(error)
  const place = /\n\s+at (.*)/.exec(error.stack ?? '')?.[1]
  return `unexpected error: ${error.message}${place === undefined ? '' : ` (${place})`}; please report it`
}

/** `spillway … | head` ends without a word when the reader has seen enough; any other failure is one line. */
function stopOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit()
      // Nobody may be there to read it, so that asking the stream again would only fail again.
      if (stream === process.stdout) process.stderr.write(`spillway: the output cannot be written (${error.message})\n`)
      process.exit(EXIT.problem)
    })
  }
}
