/** Without SESSION on a terminal: the newest ones to choose from, this folder's first. */
import { isCancel, select } from '@clack/prompts'
import { SpillwayError } from '../core/errors.ts'
import { describeSession, discoverSessions, type Machine } from '../sessions/discover.ts'
import { printable, printableLine } from './printable.ts'
import { count } from './terminal.ts'

const OFFERED = 12

/** The chosen session's file. @throws SpillwayError `not-found` when there is none, `usage` when nothing was chosen */
export async function chooseSession(machine: Machine): Promise<string> {
  const sessions = discoverSessions(machine).slice(0, OFFERED)
  if (sessions.length === 0) throw new SpillwayError('not-found', 'no recorded session on this machine; name a file')
  const options = sessions.map((session) => {
    const { cwd, tokens } = printable(describeSession(session))
    const size = tokens === undefined ? `${count(session.bytes)} bytes` : `${count(tokens)} tokens`
    const when = new Date(session.modified).toLocaleString()
    return {
      value: session.file,
      label: `${printableLine(session.id.slice(0, 8))}  ${size}  ${when}`,
      hint: `${session.format}  ${cwd ?? ''}`,
    }
  })
  const chosen = await select({ message: 'Which session?', options, output: process.stderr })
  if (isCancel(chosen)) throw new SpillwayError('usage', 'no session chosen')
  return chosen
}
