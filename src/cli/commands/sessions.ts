/** `spillway sessions` */
import type { Command } from 'commander'
import { countCalls, describeSession, discoverSessions, type FoundSession } from '../../sessions/discover.ts'
import { thisMachine } from '../inputs.ts'
import { printable } from '../printable.ts'
import { formatDate } from '../quantities.ts'
import { count, note, paint, print, printJson, table, withProgress } from '../terminal.ts'

/** So many are shown in the table, and have their calls counted, unless all are asked for. */
const SHOWN = 20

const HELP = `
This folder's sessions come first, then the newest. Counting calls reads whole files, so without --all
it is done for the first ${SHOWN} only (in JSON, "calls" is null for the others).

Examples:
  spillway sessions
  spillway sessions --all --json`

export function register(program: Command): void {
  program
    .command('sessions')
    .description('the recorded sessions on this machine: Claude Code, pi, OpenClaw, Codex')
    .option('--all', `show every session, not only the first ${SHOWN}`)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(show)
}

interface Listed {
  readonly id: string
  readonly format: string
  readonly file: string
  readonly cwd: string | null
  readonly model: string | null
  readonly calls: number | null
  readonly tokens: number | null
  /** ISO 8601. */
  readonly modified: string
}

async function show(options: { all?: boolean; json?: boolean }): Promise<void> {
  const found = discoverSessions(thisMachine())
  const counted = options.all ? found : found.slice(0, SHOWN)
  const listed = await listing(options.json ? found : counted, counted)
  if (options.json) {
    printJson({ sessions: listed })
    return
  }
  if (listed.length === 0) {
    print('No recorded session found (Claude Code, pi, OpenClaw, Codex). Name a file to any command instead.')
    return
  }
  const columns = [
    { title: 'id' },
    { title: 'format' },
    { title: 'modified' },
    { title: 'tokens', align: 'right' },
    { title: 'calls', align: 'right' },
    { title: 'folder', flexible: true },
  ] as const
  const rows = printable(listed).map((session, index) => [
    session.id.slice(0, 13),
    session.format,
    session.modified.slice(0, 16).replace('T', ' '),
    session.tokens === null ? '' : count(session.tokens),
    session.calls === null ? '' : count(session.calls),
    found[index]?.here ? paint.green('this folder') : (session.cwd ?? ''),
  ])
  print(table(columns, rows))
  if (found.length > listed.length) note(`${count(found.length - listed.length)} more: spillway sessions --all`)
}

async function listing(found: readonly FoundSession[], counted: readonly FoundSession[]): Promise<Listed[]> {
  const machine = thisMachine()
  const countable = new Set(counted)
  const total = counted.reduce((sum, session) => sum + session.bytes, 0)
  return withProgress('counting calls', total, async (onBytes) =>
    found.map((session) => {
      const { cwd, model, tokens } = describeSession(session)
      const calls = countable.has(session) ? countCalls(session, machine) : undefined
      if (countable.has(session)) onBytes(session.bytes)
      return {
        id: session.id,
        format: session.format,
        file: session.file,
        cwd: cwd ?? null,
        model: model ?? null,
        calls: calls ?? null,
        tokens: tokens ?? null,
        modified: formatDate(session.modified),
      }
    }),
  )
}
