/** `spillway recall`: parse, search, print. */
import type { Command } from 'commander'
import { DEFAULT_SEARCH_LIMIT } from '../../archive/index.ts'
import { SpillwayError } from '../../core/errors.ts'
import { elide } from '../../core/pointer.ts'
import { type Recalled, type RecallHit, recall } from '../../sessions/recall.ts'
import { EXIT } from '../exit.ts'
import { presentFolder } from '../present-folder.ts'
import { printable, printableLine, printableText } from '../printable.ts'
import { formatBytes, parseCount, parseDate } from '../quantities.ts'
import { note, paint, print, printJson } from '../terminal.ts'

const EXAMPLES = `
Examples:
  spillway recall 4oymiquy7qob                        the content behind a pointer, on stdout
  spillway recall "connection refused"                what holds these words
  spillway recall timeout --tool Bash --target vitest only from these calls
  spillway recall --session 3f2a --since 2026-11-01   everything taken out of a session since then

Words are taken literally, nothing in them has a special meaning. Every archive is searched: SPILLWAY_ARCHIVE or the
nearest .spillway/ above this folder, and the one of this user; the answer says which.`

interface RecallFlags {
  readonly tool?: string
  readonly target?: string
  readonly session?: string
  readonly since?: number
  readonly until?: number
  readonly limit?: number
  readonly archive?: string
  readonly json?: boolean
}

export function register(program: Command): void {
  program
    .command('recall')
    .summary('bring archived content back, whole or by search')
    .description(
      'Bring back what was taken out of a session: by its reference, or by words, tool, target, session, time.',
    )
    .argument('[words...]', 'a reference (or a whole pointer), or words to search for')
    .option('--tool <name>', 'only from calls of this tool')
    .option('--target <text>', 'only from calls whose path, command or pattern holds this text')
    .option('--session <id>', 'only from this session (its id, the start of it, or its file)')
    .option('--since <date>', 'only what was archived at this date or later', parseDate)
    .option('--until <date>', 'only what was archived before this date', parseDate)
    .option('--limit <count>', `how many hits (default ${DEFAULT_SEARCH_LIMIT})`, parseCount)
    .option('--archive <folder>', 'search this archive only')
    .option('--json', 'one JSON document on stdout')
    .addHelpText('after', EXAMPLES)
    .action(run)
}

async function run(words: readonly string[], flags: RecallFlags): Promise<void> {
  const { json = false, ...filters } = flags
  if (words.length === 0 && !['tool', 'target', 'session', 'since', 'until'].some((name) => name in filters)) {
    throw new SpillwayError('usage', 'name a reference, words to search for, or a filter such as --tool')
  }
  const answer = await recall(
    { ...filters, words: words.join(' '), workingFolder: presentFolder(), environment: process.env },
    (problem) => note(`spillway: ${printableText(problem.message)}`),
  )
  if (answer.kind === 'content') showContent(answer, json)
  else showHits(answer, json)
}

function showContent(answer: Recalled & { kind: 'content' }, json: boolean): void {
  const { content, raw } = answer
  if (json) printJson(content)
  else if (typeof raw !== 'string' && process.stdout.isTTY) {
    note(`${content.ref}: ${content.mediaType}, ${formatBytes(content.bytes)}; redirect stdout to a file to save it`)
  } else {
    // Exactly what was removed: no newline is added, so that a redirected file has the content's own bytes. A terminal
    // would obey what stands in them.
    process.stdout.write(process.stdout.isTTY && typeof raw === 'string' ? printableText(raw) : raw)
    if (process.stdout.isTTY && typeof raw === 'string' && !raw.endsWith('\n')) print('')
  }
}

function showHits(answer: Recalled & { kind: 'hits' }, json: boolean): void {
  const { hits, archives } = answer
  if (hits.length === 0) process.exitCode = EXIT.problem
  if (json) printJson({ hits })
  else if (hits.length === 0) note(`spillway: nothing found in ${printableLine(archives.join(', '))}`)
  else {
    for (const hit of hits) print(describe(printable(hit)))
    for (const folder of new Set(hits.map((hit) => hit.archive))) note(paint.dim(`from ${printableLine(folder)}`))
  }
}

const MOST_COLUMNS = 100

function describe(hit: RecallHit): string {
  const facts = `${formatBytes(hit.bytes)}  ${new Date(hit.time).toISOString().slice(0, 10)}  ${hit.session.slice(0, 8)}`
  const call = elide(`${hit.tool} ${hit.target}`.trim(), MOST_COLUMNS - hit.ref.length - facts.length - 4)
  return `${paint.bold(hit.ref)}  ${call}  ${paint.dim(facts)}\n  ${cut(hit.snippet, MOST_COLUMNS - 2)}`
}

/** Cut at the end: the word that was found stands near the start. */
function cut(text: string, mostChars: number): string {
  const points = Array.from(text)
  return points.length <= mostChars ? text : `${points.slice(0, mostChars - 1).join('')}…`
}
