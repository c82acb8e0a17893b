/**
 * A coordinator's session of any number of delegated tasks, as Claude Code records it: in the foreground, in the
 * background with a notification a few tasks later, failed ones, and a few words of a person in between. The same
 * numbers give the same bytes.
 */
import { answered, type ClaudeEntry, call, fileOf, result, said, text } from './claude-lines.ts'

const PARTS = ['booking', 'invoice', 'calendar', 'search', 'mail', 'export', 'login', 'report', 'cache', 'webhook']
const WORK = ['Add retries to', 'Find the leak in', 'Write tests for', 'Rename the fields of', 'Document', 'Speed up']
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 5, 9)
/** Tasks that are spawned before a background task is heard of again. */
const HEARD_AFTER = 3

interface Told {
  readonly name: string
  readonly brief: string
  readonly report: string
  readonly failed: boolean
}

/** `open`: of the last tasks so many are never heard of again. */
export function delegatedRun(tasks: number, { open = 0 }: { readonly open?: number } = {}): Buffer {
  const entries: ClaudeEntry[] = []
  let parent: string | null = null
  let clock = START
  const push = (make: (key: string, parent: string | null, rest: ClaudeEntry) => ClaudeEntry): void => {
    const key = `00000000-0000-4000-8000-${entries.length.toString(16).padStart(12, '0')}`
    clock += MINUTE / 4
    entries.push(make(key, parent, { timestamp: new Date(clock).toISOString(), cwd: '/w', version: '2.1.332' }))
    parent = key
  }
  const later: { readonly at: number; readonly index: number; readonly told: Told }[] = []
  push((key, before, rest) => said(key, before, 'Bring the whole service up to date, task by task.', rest))
  for (let index = 0; index < tasks; index++) {
    const told = taskOf(index)
    const id = `toolu_${index.toString().padStart(6, '0')}`
    const background = isBackground(index) || index >= tasks - open
    const input = { description: told.name, prompt: told.brief, subagent_type: 'general-purpose' }
    push((key, before, rest) =>
      answered(key, before, [text(`Next: ${told.name}.`), call(id, 'Agent', input)], `msg_${index}`, rest),
    )
    push((key, before, rest) =>
      said(key, before, [result(id, background ? LAUNCHED(agentOf(index)) : answerOf(index, told))], {
        ...rest,
        toolUseResult: background ? launchedResult(index) : completedResult(index, told),
      }),
    )
    if (background && index < tasks - open) later.push({ at: index + HEARD_AFTER, index, told })
    while (later[0] && (later[0].at <= index || index === tasks - 1)) {
      const heard = later.shift()
      if (!heard) break
      const origin = { kind: 'task-notification', producer: 'session-task' }
      push((key, before, rest) => said(key, before, notification(heard.index, heard.told), { ...rest, origin }))
      push((key, before, rest) =>
        answered(key, before, [text(`Noted: ${heard.told.name}.`)], `msg_n${heard.index}`, rest),
      )
    }
    if (index % 50 === 49) {
      push((key, before, rest) => said(key, before, `Fine so far; after ${index + 1} go on with ${PARTS[0]}.`, rest))
    }
  }
  push((key, before, rest) => answered(key, before, [text('All done.')], 'msg_end', rest))
  return fileOf(entries.map((entry) => ({ ...entry, sessionId: SESSION })))
}

const SESSION = '5b1f0c9e-0000-4000-8000-000000000001'

function taskOf(index: number): Told {
  const part = PARTS[index % PARTS.length] ?? ''
  const name = `${WORK[index % WORK.length]} ${part} ${index}`
  const file = `src/${part}/module${index}.ts`
  // Only the background tells a failure from a call that never began.
  const failed = isBackground(index) && index % 4 === 1
  const findings = Array.from(
    { length: 12 + ((index * 7) % 60) },
    (_, line) =>
      `- step ${line}: looked at ${file}:${line * 3 + 1} and compared it with what ${part} promised in round ${index}`,
  )
  return {
    name,
    brief: `${name}. The module is ${file}; run its tests and say what you changed. Keep to the house style, do not touch other modules, and report paths and conclusions only.`,
    report: failed
      ? `Error: the tests of ${file} cannot run, database ${index} is not reachable.`
      : `I changed \`${file}\` and added \`tests/${part}/module${index}.test.ts\`.\n\n${findings.join('\n')}\n\nAll ${index + 3} tests pass.`,
    failed,
  }
}

function isBackground(index: number): boolean {
  return index % 5 === 3
}

function agentOf(index: number): string {
  return `a${index.toString(16).padStart(16, '0')}`
}

const LAUNCHED = (agent: string): string =>
  `Async agent launched successfully.\nagentId: ${agent} (internal ID)\nThe agent is working in the background. You will be notified when it completes.`

function answerOf(index: number, { report }: Told): ClaudeEntry[] {
  const usage = `<usage>total_tokens: ${9000 + index}\ntool_uses: ${3 + (index % 9)}\nduration_ms: ${MINUTE}</usage>`
  return [
    text(report),
    text(`agentId: ${agentOf(index)} (for resuming to continue this agent's work if needed)\n${usage}`),
  ]
}

function launchedResult(index: number): ClaudeEntry {
  return { isAsync: true, status: 'async_launched', agentId: agentOf(index), prompt: taskOf(index).brief }
}

function completedResult(index: number, { report, brief }: Told): ClaudeEntry {
  return {
    status: 'completed',
    prompt: brief,
    agentId: agentOf(index),
    content: [text(report)],
    totalDurationMs: MINUTE,
    totalTokens: 9000 + index,
    totalToolUseCount: 3 + (index % 9),
  }
}

function notification(index: number, { name, report, failed }: Told): string {
  const status = failed ? 'failed' : 'completed'
  return `<task-notification>\n<task-id>${agentOf(index)}</task-id>\n<tool-use-id>toolu_${index.toString().padStart(6, '0')}</tool-use-id>\n<status>${status}</status>\n<summary>Agent "${name}" ${failed ? 'failed' : 'completed'}</summary>\n<result>${report}</result>\n<usage><subagent_tokens>${9000 + index}</subagent_tokens><tool_uses>4</tool_uses><duration_ms>${MINUTE}</duration_ms></usage>\n</task-notification>`
}
