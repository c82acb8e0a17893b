/** `spillway once`: one prompt, one coordinator with its workers, to the end. */
import type { Command } from 'commander'
import type { RunEvent, StepResult } from '../../agent/index.ts'
import { SpillwayError } from '../../core/errors.ts'
import { DEFAULT_PRESET, PRESET_NAMES, type PresetName } from '../../planning/presets.ts'
import { EXIT } from '../exit.ts'
import { presentFolder } from '../present-folder.ts'
import { printableText } from '../printable.ts'
import { parseCount, parseMoney } from '../quantities.ts'
import { note, paint, print } from '../terminal.ts'

const HELP = `
A coordinator that delegates, reads reports and decides; its workers do the work in threads of their own. What the agents
say goes to standard output, everything about it to standard error. Sessions, books and the workbench are in
.spillway/ of the workspace; spillway analyze .spillway/run prints what a run came to.

Examples:
  spillway once 'why does the parser test fail?'
  spillway once 'and now fix it' --resume                 go on with the last session here
  spillway once 'count the files by kind' --json          one event a line, the result last
  git diff | spillway once -                              the prompt from standard input`

interface Flags {
  readonly workspace?: string
  readonly runDir?: string
  readonly resume?: string | true
  readonly model?: string
  readonly preset?: string
  readonly maxTurns?: number
  readonly maxCost?: number
  readonly json?: boolean
  readonly quiet?: boolean
}

export function register(program: Command): void {
  program
    .command('once')
    .summary('run a coordinator with workers on one prompt')
    .description('Run a coordinator with workers on one prompt, over the Claude Agent SDK.')
    .argument('<prompt>', 'what to do; - reads it from standard input')
    .option('--workspace <folder>', 'the folder the agents work in (default: this one)')
    .option('--run-dir <folder>', 'where sessions and books are kept (default: .spillway/run in the workspace)')
    .option('--resume [session]', 'go on with this session, or with the last one here')
    .option('--model <name>', 'model of the coordinator; workers inherit it')
    .option('--preset <name>', `rules of the economy: ${PRESET_NAMES.join(', ')} (default ${DEFAULT_PRESET})`)
    .option('--max-turns <count>', 'requests of the coordinator, at most', parseCount)
    .option('--max-cost <dollars>', 'what the run may cost, at most', parseMoney)
    .option('--json', 'one JSON event a line on stdout, the result last')
    .option('--quiet', 'only the answer')
    .addHelpText('after', HELP)
    .action(once)
}

async function once(words: string, flags: Flags): Promise<void> {
  const preset = flags.preset === undefined ? {} : { preset: presetFrom(flags.preset) }
  const prompt = await promptFrom(words)
  await refuseWithoutMeans()
  const { Runtime } = await import('../../agent/index.ts')
  const { starterAgent, STARTER_NAME } = await import('../once/starter.ts')
  const runtime = new Runtime({
    workspace: flags.workspace ?? presentFolder(),
    workbench: true,
    ...(flags.runDir === undefined ? {} : { runDirectory: flags.runDir }),
    ...preset,
  })
  const interrupted = new AbortController()
  const onInterrupt = (): void => interrupted.abort()
  // Once: a second one ends the program as usual.
  process.once('SIGINT', onInterrupt)
  try {
    const resume = sessionFrom(flags.resume, runtime.lastSession(STARTER_NAME))
    const { onEvent, end } = await output(flags)
    const result = await runtime.run(starterAgent(flags), prompt, {
      stepName: STARTER_NAME,
      onEvent,
      signal: interrupted.signal,
      ...(resume === undefined ? {} : { resume }),
    })
    end(result)
    if (!result.ok) process.exitCode = EXIT.problem
  } finally {
    process.removeListener('SIGINT', onInterrupt)
    await runtime.close()
  }
}

async function promptFrom(words: string): Promise<string> {
  if (words !== '-') return nonEmpty(words)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return nonEmpty(Buffer.concat(chunks).toString('utf8'))
}

function nonEmpty(prompt: string): string {
  if (prompt.trim() === '') throw new SpillwayError('usage', 'the prompt is empty')
  return prompt
}

function presetFrom(name: string): PresetName {
  const preset = PRESET_NAMES.find((each) => each === name)
  if (preset) return preset
  throw new SpillwayError('usage', `--preset: no "${name}"; the presets are ${PRESET_NAMES.join(', ')}`)
}

function sessionFrom(resume: string | true | undefined, last: string | undefined): string | undefined {
  if (resume !== true) return resume
  if (last === undefined) throw new SpillwayError('not-found', '--resume: nothing was run here yet')
  return last
}

/** The SDK first: without it credentials are of no use. @throws SpillwayError `unavailable` */
async function refuseWithoutMeans(): Promise<void> {
  const { loadSdk } = await import('../../agent/runtime/load-sdk.ts')
  const { HOW_TO_SET_UP, hasCredentials, readCredentials } = await import('../../agent/credentials/credentials.ts')
  await loadSdk()
  if (readCredentials(process.env) === undefined && !hasCredentials(process.env)) {
    throw new SpillwayError('unavailable', HOW_TO_SET_UP)
  }
}

interface Output {
  onEvent(event: RunEvent): void
  end(result: StepResult): void
}

async function output({ json = false, quiet = false }: Flags): Promise<Output> {
  if (json) {
    const line = (document: unknown): void => print(printableText(JSON.stringify(document)))
    return { onEvent: quiet ? () => {} : line, end: (result) => line({ type: 'step-result', ...result }) }
  }
  if (quiet) {
    return {
      onEvent: () => {},
      end(result) {
        if (result.answer !== '') print(printableText(result.answer))
        tellFailure(result)
      },
    }
  }
  return personOutput()
}

async function personOutput(): Promise<Output> {
  const { createRunView } = await import('../once/run-view.ts')
  const { liveLines } = await import('../once/live-lines.ts')
  const view = createRunView()
  const lines = liveLines(process.stderr)
  const columns = (): number => process.stderr.columns || 80
  let lastError: string | undefined
  return {
    onEvent(event) {
      if (event.type === 'error') lastError = event.text
      const said = view.take(event)
      const printSaid = (): void => {
        for (const { kind, text } of said) {
          if (kind === 'answer') print(text)
          else note(text)
        }
      }
      lines.redraw(view.live(columns()), said.length > 0 ? printSaid : undefined)
    },
    end(result) {
      lines.end()
      // An error that was told as it came is not told again.
      if (result.error?.text === lastError) tellRemedy(result)
      else tellFailure(result)
      note(paint.dim(`${result.ok ? 'done' : 'ended'}: ${view.summary()} · session ${result.sessionId}`))
    },
  }
}

function tellFailure(result: StepResult): void {
  const { error } = result
  if (!error) return
  note(`spillway: ${error.class}: ${printableText(error.text)}`)
  tellRemedy(result)
}

function tellRemedy({ error }: StepResult): void {
  if (error?.status === 401) note('spillway: the key was refused; spillway setup writes another one')
}
