/**
 * The lifecycle scan (seed O3): spawns, what their answers say, everything that tells of an end, and the measures of
 * each. Pairs by identity first (call id, child session key, run id, agent id), by name last.
 */
import type { Message, Transcript } from '../transcript.ts'
import { eventsIn, type TaskEvent } from './completions.ts'
import { measuresOf } from './measures.ts'
import { recordIn } from './record.ts'
import { answerTo, wordsOf } from './spawn-errors.ts'
import { type Spawn, spawnsIn } from './spawns.ts'
import { endsMidWork, finalWords, wholeReport } from './suspicion.ts'
import { type ChildThread, type Completion, DEFAULT_SPAWN_TOOLS, type Task, type TaskOptions } from './task.ts'
import type { Told } from './told.ts'

/** What is known of a task while the transcript is walked. */
interface Open {
  readonly spawn: Spawn
  readonly ids: Set<string>
  /** One of them is a child's session key. Thousands of ids may gather, so they are not asked again and again. */
  hasKey: boolean
  readonly told: Told[]
  readonly completions: Completion[]
  /** The newest event that says how it stands. */
  latest: Told | undefined
  readonly record: string | undefined
}

const NO_OPTIONS: TaskOptions = {}
/** Several rules ask of the same transcript, which never changes once it is made. */
const known = new WeakMap<Transcript, { readonly options: TaskOptions; readonly tasks: readonly Task[] }>()

/** The delegated tasks of one thread, in the order of their spawns. Linear in the transcript. */
export function tasksOf(transcript: Transcript, options: TaskOptions = NO_OPTIONS): readonly Task[] {
  const earlier = known.get(transcript)
  if (earlier?.options === options) return earlier.tasks
  const tasks = scan(transcript, options)
  known.set(transcript, { options, tasks })
  return tasks
}

function scan(transcript: Transcript, options: TaskOptions): Task[] {
  const tools = new Set(options.spawnTools ?? DEFAULT_SPAWN_TOOLS)
  const open = spawnsIn(transcript, tools).map((spawn) => opened(transcript, spawn))
  if (open.length === 0) return []
  pairUp(open, eventsIn(transcript))
  const children = childrenById(options.children ?? [])
  return open.map((one) => closed(transcript, one, childOf(one, children)))
}

function opened(transcript: Transcript, spawn: Spawn): Open {
  const { call, result, resultMessage } = spawn.exchange
  const record = result && recordIn(wordsOf(result))
  const answer: Told | undefined =
    result && record ? { status: record.outcome, ids: [...(result.task?.ids ?? []), ...record.ids] } : answerTo(spawn)
  const holder = resultMessage === undefined ? undefined : transcript.messages[resultMessage]
  const ends = answer && answer.status !== 'launched' && answer.status !== 'refused'
  return {
    spawn,
    ids: new Set([call.id, ...(answer?.ids ?? [])]),
    hasKey: [call.id, ...(answer?.ids ?? [])].some(isKey),
    told: answer ? [answer] : [],
    completions: ends && result && holder ? [answerAt(result.at, holder, resultMessage ?? 0)] : [],
    latest: answer,
    record: record?.text,
  }
}

function answerAt(at: Completion['at'], holder: Message, message: number): Completion {
  return { kind: 'answer', at, message, tasks: 1, ...(holder.time === undefined ? {} : { time: holder.time }) }
}

/** Events reach the newest earlier spawn with their id; by name, the oldest one that still runs. */
function pairUp(open: readonly Open[], events: readonly TaskEvent[]): void {
  const byId = new Map<string, Open>()
  const byName = new Map<string, Namesakes>()
  const running = new Set<Open>()
  // Where announcements are stored, or were taken out, an answer that nobody asked for proves nothing.
  const heard = open.some(({ record }) => record !== undefined) || events.some(tellsOfItself)
  let next = 0
  for (const event of events) {
    for (let one = open[next]; one && one.spawn.exchange.message < event.message; one = open[++next]) {
      for (const id of one.ids) byId.set(id, one)
      for (const name of namesOf(one.spawn)) collect(byName, name, one)
      if (isRunning(one)) running.add(one)
    }
    const task = heard && isUnasked(event) ? undefined : taskOf(event, byId, byName, running)
    if (!task) continue
    take(task, event)
    for (const id of event.told.ids) if (event.completion && !byId.has(id)) byId.set(id, task)
    if (isRunning(task)) running.add(task)
    else running.delete(task)
  }
}

/** Tasks of one name in the order of their spawns; those before `next` have ended. */
interface Namesakes {
  readonly tasks: Open[]
  next: number
}

function collect(map: Map<string, Namesakes>, key: string, one: Open): void {
  const others = map.get(key)
  if (others) others.tasks.push(one)
  else map.set(key, { tasks: [one], next: 0 })
}

/** Moves on over those that have ended: thousands may share a name. */
function oldestRunning(named: Namesakes, running: ReadonlySet<Open>): Open | undefined {
  for (let one = named.tasks[named.next]; one; one = named.tasks[++named.next]) if (running.has(one)) return one
  return undefined
}

function taskOf(
  { told, completion }: Pick<TaskEvent, 'told' | 'completion'>,
  byId: ReadonlyMap<string, Open>,
  byName: ReadonlyMap<string, Namesakes>,
  running: ReadonlySet<Open>,
): Open | undefined {
  const known = told.ids.map((id) => byId.get(id)).find((found) => found !== undefined)
  if (known || !completion) return known
  if (told.name !== undefined) {
    const named = byName.get(normalised(told.name))
    const one = named && (oldestRunning(named, running) ?? named.tasks.at(-1))
    // A child's key that no spawn has belongs to somebody else's child, whatever its name.
    const foreign = one?.hasKey && told.ids.some(isKey)
    return foreign ? undefined : one
  }
  // The only worker that is still out has reported.
  return isUnasked({ told, completion }) && running.size === 1 ? [...running][0] : undefined
}

/** An answer to something that was not stored, and does not say to what. */
function isUnasked({ told, completion }: Pick<TaskEvent, 'told' | 'completion'>): boolean {
  return completion?.kind === 'reply' && told.ids.length === 0
}

function tellsOfItself({ told, completion }: TaskEvent): boolean {
  return completion?.kind === 'announcement' || (completion?.kind === 'reply' && told.ids.length > 0)
}

function isKey(id: string): boolean {
  return id.startsWith('agent:')
}

function namesOf({ name, brief, exchange }: Spawn): Set<string> {
  const { label, taskName, description } = exchange.call.input
  const names = [name, brief, label, taskName, description].filter((each) => typeof each === 'string' && each !== '')
  return new Set(names.map((each) => normalised(String(each))))
}

function normalised(name: string): string {
  return name.replace(/\s+/g, ' ').trim()
}

function isRunning({ latest }: Open): boolean {
  return latest === undefined || latest.status === 'launched' || latest.status === 'running'
}

function take(task: Open, { told, completion }: TaskEvent): void {
  if (completion) {
    for (const id of told.ids) task.ids.add(id)
    task.hasKey ||= told.ids.some(isKey)
  }
  if (!completion) {
    if (task.record === undefined) task.latest = told
    return
  }
  task.completions.push(completion)
  // A poll that finds it running, and the reply to what was announced before, say nothing new.
  if (told.status === 'running' || (completion.kind === 'reply' && !isRunning(task))) return
  task.told.push(told)
  task.latest = told
}

function closed(transcript: Transcript, one: Open, child: Transcript | undefined): Task {
  const { spawn, told, latest, completions, record } = one
  const report = wholeReport(told.findLast((each) => each.report !== undefined)?.report, child)
  const state = record === undefined ? stateOf(one, report, child) : recordedState(latest)
  const error = latest?.error
  return {
    id: spawn.id,
    ids: [...one.ids],
    name: spawn.name,
    state,
    spawn: spawn.exchange,
    completions,
    brief: spawn.brief,
    ...(report === undefined ? {} : { report }),
    ...(error === undefined ? {} : { error }),
    ...measuresOf(transcript, spawn, completions, told),
    ...(child ? { child } : {}),
    ...(record === undefined ? {} : { record }),
  }
}

function stateOf(
  { latest, completions }: Open,
  report: string | undefined,
  child: Transcript | undefined,
): Task['state'] {
  switch (latest?.status) {
    case 'refused':
      return 'failed-to-start'
    case 'failed':
    case 'timed-out':
      return latest.status
    case 'completed':
      return isSuspicious(latest, completions, report, child) ? 'suspicious' : 'completed'
    default:
      // Nobody told the parent, but the worker's own thread has come to its end.
      return latest?.status === 'launched' && child && finalWords(child) !== undefined ? 'completed' : 'running'
  }
}

function isSuspicious(
  latest: Told,
  completions: readonly Completion[],
  report: string | undefined,
  child: Transcript | undefined,
): boolean {
  if (latest.tokens === 0) return true
  if (report !== undefined && endsMidWork(report)) return true
  // Inline threads of foreground workers are recorded without their last words.
  const announced = completions.some(({ kind }) => kind !== 'answer')
  return announced && child !== undefined && child.messages.length > 0 && finalWords(child) === undefined
}

function recordedState(latest: Told | undefined): Task['state'] {
  return latest?.status === 'failed' ? 'failed' : 'completed'
}

function childrenById(children: readonly ChildThread[]): Map<string, Transcript> {
  return new Map(children.flatMap(({ ids, transcript }) => ids.map((id) => [id, transcript] as const)))
}

function childOf({ ids }: Open, children: ReadonlyMap<string, Transcript>): Transcript | undefined {
  for (const id of ids) {
    const child = children.get(id)
    if (child) return child
  }
  return undefined
}
