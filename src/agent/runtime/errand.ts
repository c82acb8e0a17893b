/** What the next query is to do: in which session, with which prompt. */
import { randomUUID } from 'node:crypto'
import { SpillwayError } from '../../core/errors.ts'
import type { MessageReader } from '../events/message-reader.ts'
import { type Generation, newGeneration, readGeneration, writeGeneration } from './generation.ts'
import { halfDoneIn } from './half-done.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { StepOptions } from './options.ts'
import type { Start } from './query-options.ts'
import { endsWithPrompt, type Recorded, recordedSession } from './recorded.ts'
import type { Ending } from './run-query.ts'

export interface Errand {
  readonly start: Start
  readonly prompt: string
  /** Behind the role's instructions; the same bytes as long as the session lives. */
  readonly appended: string
}

/** @throws SpillwayError `not-found` for a session that the store does not have */
export async function firstErrand(runtime: OpenRuntime, prompt: string, options: StepOptions): Promise<Errand> {
  const { resume, fork = false, resumeAt: at } = options
  if (resume === undefined) return freshErrand(runtime, prompt)
  const recorded = await recordedSession(runtime.recorded, runtime.key(resume))
  if (!recorded) throw new SpillwayError('not-found', `${resume}: no such session in ${runtime.recorded.file}`)
  const start: Start = fork
    ? { kind: 'fork', from: resume, sessionId: randomUUID(), at }
    : { kind: 'resume', sessionId: resume, at }
  const generation = generationOf(runtime, resume)
  return withNotes(runtime, { start, said: [prompt], generation, recorded, stopped: new Set() })
}

function freshErrand(runtime: OpenRuntime, prompt: string): Errand {
  const sessionId = randomUUID()
  const generation = newGeneration(runtime.workbench?.refresh())
  writeGeneration(runtime.runDirectory, sessionId, generation)
  return { start: { kind: 'fresh', sessionId }, prompt, appended: appendedBy(runtime, generation) }
}

interface Ended {
  readonly errand: Errand
  readonly ending: Exclude<Ending, { kind: 'done' | 'aborted' }>
  readonly figures: MessageReader
  /** Workers that were told to stop. */
  readonly stopped: ReadonlySet<string>
  /** What a person said while no query ran. */
  readonly words: readonly string[]
}

/** How the same session goes on; where nothing of it was kept, the errand begins again. */
export async function errandAfter(runtime: OpenRuntime, ended: Ended): Promise<Errand> {
  const { errand, ending, figures, stopped, words } = ended
  const { sessionId } = errand.start
  const recorded = await recordedSession(runtime.recorded, runtime.key(sessionId))
  if (!recorded) {
    const message = ending.kind === 'interrupt' ? [ending.message] : []
    return begunAgain(runtime, errand, [errand.prompt, ...message, ...words].join('\n\n'))
  }
  const arrived = figures.turns > 0 || endsWithPrompt(recorded.main, errand.prompt)
  const said = [...sayingAfter(runtime, ending, arrived ? undefined : errand.prompt), ...words]
  const generation = generationOf(runtime, sessionId)
  // Until the prompt has arrived, what it was to leave out is still there.
  const at = arrived || errand.start.kind === 'fresh' ? undefined : errand.start.at
  return withNotes(runtime, { start: { kind: 'resume', sessionId, at }, said, generation, recorded, stopped })
}

/** A new id: the binary may have noted the old one. */
function begunAgain(runtime: OpenRuntime, { start, appended }: Errand, prompt: string): Errand {
  if (start.kind === 'fresh') return freshErrand(runtime, prompt)
  return { start: start.kind === 'fork' ? { ...start, sessionId: randomUUID() } : start, prompt, appended }
}

function sayingAfter({ texts }: OpenRuntime, ending: Ended['ending'], lost: string | undefined): string[] {
  if (ending.kind === 'interrupt') return [...(lost === undefined ? [] : [lost]), ending.message]
  if (lost !== undefined) return [lost]
  return [ending.kind === 'epoch' ? texts.goOn : texts.broke]
}

interface Parts {
  readonly start: Start
  readonly said: readonly string[]
  readonly generation: Generation
  readonly recorded: Recorded
  readonly stopped: ReadonlySet<string>
}

/** Behind the prompt: which workers were cut off, and what is new in the workbench. Each is told once. */
async function withNotes(runtime: OpenRuntime, { start, said, generation, recorded, stopped }: Parts): Promise<Errand> {
  const { texts, workbench, runDirectory } = runtime
  const workers = await halfDoneIn(recorded, stopped, generation.reported)
  const changes = generation.told && workbench ? workbench.changesSince(generation.told) : ''
  const notes = [
    ...(workers.length > 0 ? [texts.halfDone(workers)] : []),
    ...(changes === '' ? [] : [texts.workbench(changes)]),
  ]
  writeGeneration(runDirectory, start.sessionId, {
    ...generation,
    told: changes === '' ? generation.told : (workbench?.refresh() ?? null),
    reported: [...generation.reported, ...workers.map(({ callId }) => callId)],
  })
  return { start, prompt: [...said, ...notes].join('\n\n'), appended: appendedBy(runtime, generation) }
}

function generationOf(runtime: OpenRuntime, sessionId: string): Generation {
  return readGeneration(runtime.runDirectory, sessionId) ?? newGeneration(runtime.workbench?.refresh())
}

function appendedBy({ workbench }: OpenRuntime, { index }: Generation): string {
  return workbench && index ? workbench.promptBlock(index) : ''
}
