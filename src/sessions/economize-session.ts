/**
 * The economy over all threads of one file: the main thread by the policy; the threads recorded beside it
 * (sidechains) get repairs only, since nobody re-sends them on every turn but a resumed worker must be legal too.
 */
import { type Economized, economize } from '../core/economy.ts'
import { type EconomyContext, type Policy, REPAIR_ONLY } from '../core/policy.ts'
import type { ChildThread } from '../core/tasks/index.ts'
import type { Transcript } from '../core/transcript.ts'
import type { Session } from '../formats/format.ts'

/** Threads that stand in entries of their own; copies inside other entries cannot be edited. */
export function editableThreads(session: Session): readonly Transcript[] {
  return session.others.filter((thread) => thread.links.length > 0)
}

/** Workers' threads in the same file, by their agent's id. */
function inlineChildren(session: Session): ChildThread[] {
  return session.others.map((transcript) => ({ ids: [transcript.thread], transcript }))
}

/** As `economize` for the main thread, with the other threads' repairs added to edits, removed content and report. */
export function economizeSession(session: Session, policy: Policy, context: EconomyContext): Economized {
  const main = economize(session.main, policy, { tasks: { children: inlineChildren(session) }, ...context })
  if (context.repair === false) return main
  const beside = editableThreads(session)
    .map((thread) => economize(thread, REPAIR_ONLY, { ...context, repairs: [] }))
    .filter(({ edits }) => edits.length > 0)
  if (beside.length === 0) return main
  return {
    ...main,
    edits: [...main.edits, ...beside.flatMap(({ edits }) => edits)],
    removed: [...main.removed, ...beside.flatMap(({ removed }) => removed)],
    report: { ...main.report, repairs: [...main.report.repairs, ...beside.flatMap(({ report }) => report.repairs)] },
    outcome: main.outcome === 'unchanged' ? 'repaired' : main.outcome,
  }
}
