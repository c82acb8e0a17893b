/**
 * Which old records roll up (issue "Finished tasks fold into records"). Groups are formed of the oldest, by fixed
 * size, and only when they are full: a line once written never changes until ten of its kind become one.
 */

import { referenceOf } from '../reference.ts'
import type { TextBlock } from '../transcript.ts'
import type { FinishedTask } from './fold.ts'
import { GROUP_SIZE, type GroupLine, groupLine, namesOf } from './group-line.ts'

/** A line that stands in the transcript. */
export interface StandingLine extends GroupLine {
  readonly kind: 'line'
  readonly block: TextBlock
  /** Index of its message. */
  readonly message: number
}

/** A task with the text of its record, standing or still to be written. */
export interface RecordedTask {
  readonly kind: 'task'
  readonly task: FinishedTask
  readonly text: string
  readonly message: number
}

export type Leaf = StandingLine | RecordedTask

/** A line to be written in place of these leaves. */
export interface NewLine extends GroupLine {
  /** The texts it stands for: records, or lines of a lower level. */
  readonly members: readonly string[]
  /** What lines of a lower level stand for that were never written. */
  readonly contents: readonly string[]
  /** In the order in which they stand. */
  readonly leaves: readonly Leaf[]
}

interface Node extends GroupLine {
  readonly text: string
  readonly members: readonly string[]
  readonly contents: readonly string[]
  readonly leaves: readonly Leaf[]
  readonly isNew: boolean
  /** Where it begins. */
  readonly message: number
}

/** `tasks`: those old enough to roll up; both in the order in which they stand. */
export function newLines(tasks: readonly RecordedTask[], lines: readonly StandingLine[]): NewLine[] {
  const levels: Node[][] = [[]]
  for (const line of lines) levelAt(levels, line.level).push(standing(line))
  const old = tasks.map(leaf)
  for (let at = 0; at + GROUP_SIZE <= old.length; at += GROUP_SIZE) {
    levelAt(levels, 1).push(merged(1, old.slice(at, at + GROUP_SIZE)))
  }
  for (let level = 1; level < levels.length; level++) {
    const nodes = levelAt(levels, level).sort((a, b) => a.message - b.message)
    while (nodes.length > GROUP_SIZE) levelAt(levels, level + 1).push(merged(level + 1, nodes.splice(0, GROUP_SIZE)))
  }
  return levels.flat().filter(({ isNew }) => isNew)
}

function levelAt(levels: Node[][], level: number): Node[] {
  while (levels.length <= level) levels.push([])
  return levels[level] ?? []
}

function standing(line: StandingLine): Node {
  return { ...line, text: line.block.text, members: [], contents: [], leaves: [line], isNew: false }
}

function leaf(task: RecordedTask): Node {
  const failed = task.task.state === 'failed'
  return {
    level: 0,
    completed: failed ? 0 : 1,
    failed: failed ? 1 : 0,
    names: task.task.name,
    text: task.text,
    members: [],
    contents: [],
    leaves: [task],
    isNew: false,
    message: task.message,
  }
}

function merged(level: number, nodes: readonly Node[]): Node {
  const members = nodes.map(({ text }) => text)
  const facts = {
    level,
    completed: nodes.reduce((sum, { completed }) => sum + completed, 0),
    failed: nodes.reduce((sum, { failed }) => sum + failed, 0),
    names: namesOf(nodes.map(({ names }) => names)),
  }
  return {
    ...facts,
    text: groupLine({ ...facts, ref: referenceOf(contentOf(members)) }),
    members,
    contents: nodes.flatMap((node) => [...(node.isNew ? [contentOf(node.members)] : []), ...node.contents]),
    leaves: nodes.flatMap(({ leaves }) => leaves).sort((a, b) => a.message - b.message),
    isNew: true,
    message: Math.min(...nodes.map(({ message }) => message)),
  }
}

/** What the archive keeps under a line's reference. */
export function contentOf(members: readonly string[]): string {
  return members.join('\n\n')
}
