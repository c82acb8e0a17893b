/** Workers that were cut off in mid-work: what their own threads say of them, so that the coordinator can be told. */
import { type Task, tasksOf } from '../../core/tasks/index.ts'
import { exchangesOf, type Transcript } from '../../core/transcript.ts'
import { textOf } from '../../formats/fields.ts'
import type { Recorded } from './recorded.ts'

export interface HalfDone {
  /** The call that started it. */
  readonly callId: string
  readonly role: string
  /** What it was to do, in short. */
  readonly name: string
  /** Calls that were carried out: neither refused nor stopped on the way. */
  readonly calls: number
  /** The end of its last text; '' when it said nothing. */
  readonly lastWords: string
}

const MOST_WORDS = 300

/**
 * The delegated tasks of this session that never came to an end.
 * @param stopped ids of workers that were told to stop: whatever the harness says of them, they were not done
 * @param reported calls of which was told before
 */
export async function halfDoneIn(
  { main, children }: Recorded,
  stopped: ReadonlySet<string>,
  reported: readonly string[],
): Promise<HalfDone[]> {
  const isHalfDone = ({ state, ids, spawn }: Task): boolean =>
    (state === 'running' || ids.some((id) => stopped.has(id))) && !reported.includes(spawn.call.id)
  if (!tasksOf(main).some(isHalfDone)) return []
  return tasksOf(main, { children: await children() })
    .filter(isHalfDone)
    .map(described)
}

function described(task: Task): HalfDone {
  const { call } = task.spawn
  const child = task.child
  return {
    callId: call.id,
    role: textOf(call.input.subagent_type) ?? call.tool,
    name: task.name,
    calls: child ? exchangesOf(child).filter(({ result }) => result && !result.invented && !result.denied).length : 0,
    lastWords: child ? lastWordsOf(child) : '',
  }
}

function lastWordsOf(child: Transcript): string {
  for (const message of child.messages.toReversed()) {
    if (message.role !== 'assistant' || message.kind === 'api-error') continue
    const text = message.blocks
      .flatMap((block) => (block.type === 'text' ? block.text : []))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim()
    if (text !== '') return Array.from(text).slice(-MOST_WORDS).join('')
  }
  return ''
}
