/** `spillway tasks` */
import type { Command } from 'commander'
import { type ReportedTask, sessionTasks, type TasksReport } from '../../sessions/tasks.ts'
import { eachSession } from '../each-session.ts'
import { inputsFrom } from '../inputs.ts'
import { refuseManyPages, writePage } from '../page-file.ts'
import { printableText } from '../printable.ts'
import { formatDuration } from '../quantities.ts'
import { refuseHalfSummaries, SUMMARY_HELP, type SummaryFlags, summarizerFrom } from '../summaries.ts'
import { count, counted, note, paint, percent, print, table } from '../terminal.ts'

const HELP = `
A task is what the agent has delegated by Task, Agent, sessions_spawn or delegate_task. Only completed and failed ones
fold into records (spillway compact --preset long does it); "tokens" is what a task takes in the main thread, "record"
what is left of it.
${SUMMARY_HELP}
Examples:
  spillway tasks session.jsonl
  spillway tasks latest --json
  spillway tasks latest --html tasks.html`

interface Options extends SummaryFlags {
  html?: string
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('tasks')
    .description('the delegated tasks: what became of each, what it took, and the record it folds into')
    .argument('[session...]', 'path, session id, prefix of one, "latest" or -')
    .option('--html <file>', 'write one self-contained page with a timeline')
    .option('--summaries-url <url>', 'let a model write the records: its OpenAI-compatible endpoint (…/v1)')
    .option('--summaries-model <name>', 'the name of that model')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(tasks)
}

async function tasks(words: string[], options: Options): Promise<void> {
  refuseHalfSummaries(options)
  const inputs = await inputsFrom(words)
  refuseManyPages(options.html, inputs.length)
  const [report] = await eachSession({
    inputs,
    passes: 1,
    doing: 'reading',
    json: options.json ?? false,
    work: async ({ file }, _index, onBytes) =>
      sessionTasks(file, {
        onBytes,
        onProblem: (problem) => note(printableText(problem.message)),
        ...summarizerFrom(options),
      }),
    show,
  })
  if (options.html === undefined || !report) return
  const { tasksPage } = await import('../../report/index.ts')
  writePage(options.html, tasksPage(report))
}

function show({ file, tasks: found, mainThread, summaries }: TasksReport): void {
  print(`${paint.bold(file)}  ${counted(found.length, 'task')}${countsOf(found)}`)
  if (found.length === 0) return
  const numbers = [
    { title: 'tokens', align: 'right' },
    { title: 'record', align: 'right' },
    { title: 'time', align: 'right' },
  ] as const
  const rows = found.map((task) => [
    task.name,
    task.state,
    count(task.tokens.before),
    task.tokens.record === null ? '' : count(task.tokens.record),
    task.durationMs === null ? '' : formatDuration(task.durationMs),
  ])
  print(table([{ title: 'task', flexible: true }, { title: 'state' }, ...numbers], rows))
  for (const { id, reason } of summaries ?? []) if (reason !== undefined) print(`  digest  ${id}: ${reason}`)
  const { before, after } = mainThread
  const saved = before === 0 ? 0 : (before - after) / before
  print(
    `  main thread  ${count(before)} -> ${count(after)} tokens with finished tasks folded  ${paint.green(percent(saved))}`,
  )
}

function countsOf(found: readonly ReportedTask[]): string {
  const counts = new Map<string, number>()
  for (const { state } of found) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, sum]) => `, ${sum} ${state}`).join('')
}
