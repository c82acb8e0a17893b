/** `spillway gc`: parse, collect, print. */
import type { Command } from 'commander'
import { collectGarbage, type GarbageReport } from '../../sessions/collect-garbage.ts'
import { discoverSessions } from '../../sessions/discover.ts'
import { thisMachine } from '../inputs.ts'
import { printable } from '../printable.ts'
import { formatBytes, parseAge, parseBytes } from '../quantities.ts'
import { count, note, print, printJson } from '../terminal.ts'

const EXAMPLES = `
Examples:
  spillway gc                                what the archives hold; nothing is removed
  spillway gc --max-bytes 500MB --dry-run    what would leave so that each archive fits
  spillway gc --older-than 90d               what was archived more than 90 days ago
  spillway gc --session 3f2a                 what only this session gave

Readable copies leave first, then worthless content, then what can be run again, then the rest, oldest first. What a
pointer in a known session needs stays, and so do the records that undo its compactions, unless --force is given.`

interface GarbageFlags {
  readonly maxBytes?: number
  readonly olderThan?: number
  readonly session?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly archive?: string
  readonly json?: boolean
}

export function register(program: Command): void {
  program
    .command('gc')
    .summary('retention: remove what nothing needs from the archives')
    .description('Remove from the archives what these limits select and no known session needs.')
    .option('--max-bytes <size>', 'remove until each archive takes at most this (500MB, 2GiB)', parseBytes)
    .option('--older-than <age>', 'only what was archived longer ago (12h, 30d, 6w)', parseAge)
    .option('--session <id>', 'only what this session alone gave (its id or a unique start of it)')
    .option('--dry-run', 'only say what would be removed')
    .option('--force', 'also remove what known sessions need: their pointers will lead nowhere')
    .option('--archive <folder>', 'this archive only')
    .option('--json', 'one JSON document on stdout')
    .addHelpText('after', EXAMPLES)
    .action(run)
}

async function run(flags: GarbageFlags): Promise<void> {
  const { json = false, ...limits } = flags
  const machine = thisMachine()
  const archives = await collectGarbage({
    ...limits,
    environment: machine.environment,
    workingFolder: machine.cwd,
    now: Date.now(),
    sessionFiles: discoverSessions(machine).map((session) => session.file),
  })
  if (json) printJson({ archives })
  else if (archives.length === 0) note('spillway: nothing was archived yet')
  else for (const report of archives) print(describe(printable(report)))
}

function describe(report: GarbageReport): string {
  const { archive, dryRun, removed, bytesBefore, bytesAfter, needed } = report
  const { worthless, rerunnable, restorable } = removed.objects
  const parts = [
    [removed.spills, 'readable copies'],
    [worthless, 'worthless objects'],
    [rerunnable, 'objects that can be run again'],
    [restorable, 'other objects'],
    [removed.undos, 'undo records'],
  ] as const
  const gone = parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`)
  const lines = [
    `${archive}: ${formatBytes(bytesBefore)}${gone.length > 0 ? ` -> ${dryRun ? 'about ' : ''}${formatBytes(bytesAfter)}` : ''}`,
    `  ${dryRun ? 'would remove' : 'removed'}: ${gone.join(', ') || 'nothing'}`,
  ]
  if (needed > 0) lines.push(`  kept because a session needs them: ${count(needed)} objects and undo records`)
  return lines.join('\n')
}
