/**
 * The one line that many old records become: an ordinary pointer that names how many tasks it stands for. Ten records
 * become a line, ten lines a line of a hundred tasks, and so on: thousands of tasks stay a few dozen lines.
 */
import { elide, pointerTo } from '../pointer.ts'
import { REFERENCE_LENGTH } from '../reference.ts'

/** Records to a line, and lines to a line of lines. */
export const GROUP_SIZE = 10

const MOST_NAME_CHARS = 24
const LINE = new RegExp(
  `^\\[spillway ([a-z2-7]{${REFERENCE_LENGTH}}): (10+) tasks (.*), (\\d+) completed(?:, (\\d+) failed)?\\. Back: [^\\n]*\\]$`,
)

export interface GroupLine {
  /** 1 for ten tasks, 2 for a hundred, … */
  readonly level: number
  readonly completed: number
  readonly failed: number
  readonly names: string
}

/** What this text stands for, undefined where it is no such line. */
export function groupLineIn(text: string): GroupLine | undefined {
  const match = text.length > 400 ? null : LINE.exec(text)
  if (!match) return undefined
  const [, , count = '', names = '', completed, failed] = match
  return { level: count.length - 1, completed: Number(completed), failed: Number(failed ?? 0), names }
}

export interface GroupFacts extends GroupLine {
  readonly ref: string
}

export function groupLine({ ref, level, completed, failed, names }: GroupFacts): string {
  return pointerTo({
    ref,
    tool: `${GROUP_SIZE ** level} tasks`,
    target: names,
    size: `${completed} completed${failed > 0 ? `, ${failed} failed` : ''}`,
  })
}

/** From the first to the last of them. */
export function namesOf(names: readonly string[]): string {
  const [first = ''] = names
  const last = names.at(-1) ?? ''
  const opening = elide(first.split(' … ')[0] ?? '', MOST_NAME_CHARS)
  return `${opening} … ${elide(last.split(' … ').at(-1) ?? '', MOST_NAME_CHARS)}`
}
