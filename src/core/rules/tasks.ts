/**
 * Finished tasks fold into records, old records roll up into lines (seeds O4 to O6): the thread then grows with its
 * open tasks, not with time. A running or suspicious task is never touched; one that would hardly shrink stays whole
 * until it rolls up with its neighbours.
 */
import type { Edit } from '../edits.ts'
import { companionsOf } from '../tasks/companions.ts'
import {
  announcementEdit,
  type FinishedTask,
  foldEdits,
  isDroppable,
  isFinished,
  recordOf,
  sharedOut,
} from '../tasks/fold.ts'
import { groupLineIn } from '../tasks/group-line.ts'
import { type Leaf, type NewLine, newLines, type RecordedTask, type StandingLine } from '../tasks/grouping.ts'
import { renderRecord } from '../tasks/record.ts'
import { rollUpEdits } from '../tasks/roll-up.ts'
import { tasksOf } from '../tasks/scan.ts'
import type { Transcript } from '../transcript.ts'
import { addressKey, turnsOf } from '../transcript.ts'
import type { Rule, RuleContext } from './rule.ts'

export interface TasksOptions {
  /** A task folds once this many turns have begun since its end was told: the turn that read it, and the next. */
  readonly afterTurns: number
  /** The newest finished tasks, which never roll up. */
  readonly keep: number
  /** A task folds when that frees at least this share of what it takes. */
  readonly shrink: number
}

export const DEFAULT_TASK_TURNS = 2
export const DEFAULT_KEEP_RECORDS = 20
export const DEFAULT_TASK_SHRINK = 0.8
export const DEFAULT_TASKS: TasksOptions = {
  afterTurns: DEFAULT_TASK_TURNS,
  keep: DEFAULT_KEEP_RECORDS,
  shrink: DEFAULT_TASK_SHRINK,
}

export const tasks: Rule<TasksOptions> = (transcript, options, context) => {
  const turns = turnsOf(transcript)
  const end = options.afterTurns === 0 ? transcript.messages.length : turns[turns.length - options.afterTurns]?.start
  if (end === undefined) return []
  const finished = tasksOf(transcript, context.tasks).filter(isFinished).filter(isBefore(end))
  if (finished.length === 0) return []
  const rolled = rollUps(finished, transcript, options, context, end)
  const folded = folds(
    finished.filter((task) => !rolled.tasks.has(task)),
    transcript,
    options,
    context,
  )
  const leaving = [...rolled.tasks, ...folded.map(({ task }) => task)]
  const own = folded.flatMap(({ edits }) => edits)
  const done = new Set(own.flatMap((edit) => (edit.kind === 'drop-message' ? [edit.at.entry] : [])))
  const others = announcements(leaving, finished, transcript).filter(({ at }) => !done.has(at.entry))
  return [...rolled.edits, ...own, ...others]
}

function isBefore(end: number): (task: FinishedTask) => boolean {
  return ({ spawn, completions }) => spawn.resultMessage < end && completions.every(({ message }) => message < end)
}

interface Folded {
  readonly task: FinishedTask
  readonly edits: readonly Edit[]
}

function folds(
  candidates: readonly FinishedTask[],
  transcript: Transcript,
  options: TasksOptions,
  context: RuleContext,
): Folded[] {
  const recorded = candidates.filter(({ record }) => record !== undefined)
  const edits = new Map<FinishedTask, Edit[]>()
  for (const task of candidates) {
    if (task.record !== undefined) continue
    const own = [
      ...foldEdits(task, recordOf(task, context.summaries), transcript),
      ...ownAnnouncements(task, transcript),
    ]
    const shared = sharedOut(own)
    if (shared) edits.set(task, shared)
  }
  // Whether a message leaves depends on all whom it tells of: those that would hardly shrink drop out until all hold.
  let folding = [...edits.keys()]
  for (;;) {
    const leaving = leavingAnnouncements([...recorded, ...folding], transcript)
    const worth = folding.filter((task) => {
      const own = edits.get(task)?.reduce((sum, { frees }) => sum + frees, 0) ?? 0
      return own + announced(task, leaving, transcript) >= options.shrink * task.tokens.main
    })
    if (worth.length === folding.length) break
    folding = worth
  }
  return folding.map((task) => ({ task, edits: edits.get(task) ?? [] }))
}

/** Announcements that tell of this task alone leave with it, and pay for its record. */
function ownAnnouncements(task: FinishedTask, transcript: Transcript): Edit[] {
  const own = new Map(task.completions.map((completion) => [completion.message, completion]))
  return [...own.values()].flatMap((completion) => {
    if (completion.kind !== 'announcement' || completion.tasks !== 1) return []
    return announcementEdit(task, completion, transcript) ?? []
  })
}

/** Its share of the announcements that leave and tell of others too. */
function announced({ completions }: FinishedTask, leaving: ReadonlySet<number>, transcript: Transcript): number {
  return completions
    .filter(({ kind, message, tasks: sharers }) => kind === 'announcement' && sharers > 1 && leaving.has(message))
    .reduce((sum, { message, tasks: sharers }) => {
      const blocks = transcript.messages[message]?.blocks ?? []
      return sum + blocks.reduce((total, { tokens }) => total + tokens, 0) / sharers
    }, 0)
}

/** Announcements that tell of these tasks alone; one that tells of a running task stays. */
function leavingAnnouncements(gone: readonly FinishedTask[], transcript: Transcript): ReadonlySet<number> {
  const told = new Map<number, number>()
  const leaving = new Set<number>()
  for (const { completions } of gone) {
    for (const { kind, message, tasks: sharers } of completions) {
      if (kind !== 'announcement') continue
      const count = (told.get(message) ?? 0) + 1
      told.set(message, count)
      if (count === sharers && isDroppable(transcript, message)) leaving.add(message)
    }
  }
  return leaving
}

/** Announcements leave once every task they tell of has left. */
function announcements(
  leaving: readonly FinishedTask[],
  finished: readonly FinishedTask[],
  transcript: Transcript,
): Edit[] {
  const gone = [...new Set([...leaving, ...finished.filter(({ record }) => record !== undefined)])]
  const messages = new Map(
    gone.flatMap((task) => task.completions.map((completion) => [completion.message, { task, completion }] as const)),
  )
  return [...leavingAnnouncements(gone, transcript)].flatMap((message) => {
    const told = messages.get(message)
    return told ? (announcementEdit(told.task, told.completion, transcript) ?? []) : []
  })
}

interface RolledUp {
  readonly tasks: ReadonlySet<FinishedTask>
  readonly edits: readonly Edit[]
}

function rollUps(
  finished: readonly FinishedTask[],
  transcript: Transcript,
  options: TasksOptions,
  context: RuleContext,
  end: number,
): RolledUp {
  const lines = standingLines(transcript, end)
  const old = finished.slice(0, Math.max(0, finished.length - options.keep))
  const recorded = old.map((task): RecordedTask => {
    const text = task.record ?? renderRecord(recordOf(task, context.summaries))
    return { kind: 'task', task, text, message: task.spawn.message }
  })
  const fresh = newLines(recorded, lines)
  const leaves = fresh.flatMap((line) => line.leaves)
  const companions = fresh.length === 0 ? [] : companionsOf(transcript, leavingBlocks(leaves), end)
  const written = fresh.flatMap((line) => {
    const own = companions.filter(({ message }) => lineAt(fresh, message) === line)
    const edits = sharedOut(rollUpEdits(line, own, transcript))
    return edits ? [{ line, edits }] : []
  })
  return {
    tasks: new Set(
      written.flatMap(({ line }) => line.leaves.flatMap((leaf) => (leaf.kind === 'task' ? leaf.task : []))),
    ),
    edits: written.flatMap(({ edits }) => edits),
  }
}

function standingLines(transcript: Transcript, end: number): StandingLine[] {
  return transcript.messages.slice(0, end).flatMap((message, index) => {
    if (message.role !== 'assistant') return []
    return message.blocks.flatMap((block): StandingLine[] => {
      const line = block.type === 'text' ? groupLineIn(block.text) : undefined
      return line && block.type === 'text' ? [{ ...line, kind: 'line', block, message: index }] : []
    })
  })
}

function leavingBlocks(leaves: readonly Leaf[]) {
  const blocks = new Set<string>()
  const messages = new Set<number>()
  for (const leaf of leaves) {
    if (leaf.kind === 'line') {
      blocks.add(addressKey(leaf.block.at))
      continue
    }
    blocks.add(addressKey(leaf.task.spawn.call.at))
    blocks.add(addressKey(leaf.task.spawn.result.at))
    for (const { kind, message } of leaf.task.completions) if (kind === 'announcement') messages.add(message)
  }
  return { blocks, messages }
}

/** The line that began last before this message; what earlier tasks left behind goes with the first. */
function lineAt(lines: readonly NewLine[], message: number): NewLine | undefined {
  let found = lines[0]
  let begin = -1
  for (const line of lines) {
    const first = line.leaves[0]?.message ?? 0
    if (first <= message && first > begin) {
      found = line
      begin = first
    }
  }
  return found
}
