/**
 * One step: queries that follow each other on one session until the work is done, an error is final or somebody ends
 * it. An epoch, a person's words and an error that may pass all end a query the same way: the session is resumed.
 */
import type { EventBody, WorkerName } from '../events/events.ts'
import { type MessageReader, messageReader } from '../events/message-reader.ts'
import type { AgentSpec } from '../roles/agent-spec.ts'
import type { Row } from './books.ts'
import { type Boundary, createBoundary } from './boundary.ts'
import { type Errand, errandAfter, firstErrand } from './errand.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { StepError, StepOptions, StepResult } from './options.ts'
import { queryOptions } from './query-options.ts'
import { reachable } from './reachable.ts'
import { type Ending, runQuery } from './run-query.ts'
import { type StepEvents, stepEvents } from './step-events.ts'
import { stepHooks } from './step-hooks.ts'
import { createTally, type Tally } from './tally.ts'

const ABORTED: StepError = { class: 'aborted', text: 'the step was ended from outside' }
const NOTHING_RECORDED = 'the harness answered and nothing of it was recorded: this session cannot be resumed'
/** The binary's last words, kept for the case that it dies of them. */
const MOST_STDERR = 2000

export interface RunningStep {
  /** Ends the turn at the next boundary; the session goes on with these words. */
  interrupt(message: string): void
  /** Ends the step at once. */
  abort(): void
  readonly result: Promise<StepResult>
}

/** The query that runs now. */
interface RunningQuery {
  readonly boundary: Boundary
  readonly figures: MessageReader
  readonly controller: AbortController
}

export function startStep(runtime: OpenRuntime, spec: AgentSpec, prompt: string, options: StepOptions): RunningStep {
  const step = new Step(runtime, spec, options)
  return {
    interrupt: (message) => step.interrupt(message),
    abort: () => step.abort(),
    result: step.run(prompt, options),
  }
}

class Step {
  readonly #runtime: OpenRuntime
  readonly #spec: AgentSpec
  readonly #name: string
  readonly #events: StepEvents
  readonly #ended = new AbortController()
  /** Words that came while no query ran. */
  readonly #words: string[] = []
  #query: RunningQuery | undefined

  constructor(runtime: OpenRuntime, spec: AgentSpec, options: StepOptions) {
    this.#runtime = runtime
    this.#spec = spec
    this.#name = options.stepName ?? spec.name
    this.#events = stepEvents(runtime, this.#name, options.onEvent)
  }

  interrupt(message: string): void {
    const query = this.#query
    if (!query) {
      this.#words.push(message)
      return
    }
    query.boundary.interrupt(message)
    // No boundary will come: the main thread only waits for workers in the background.
    if (query.figures.idle && query.figures.background > 0) query.controller.abort()
  }

  readonly abort = (): void => {
    this.#ended.abort()
    this.#query?.controller.abort()
  }

  async run(prompt: string, options: StepOptions): Promise<StepResult> {
    options.signal?.addEventListener('abort', this.abort, { once: true })
    if (options.signal?.aborted) this.abort()
    try {
      return await this.#toTheEnd(prompt, options)
    } finally {
      options.signal?.removeEventListener('abort', this.abort)
    }
  }

  async #toTheEnd(prompt: string, options: StepOptions): Promise<StepResult> {
    let errand = await firstErrand(this.#runtime, prompt, options)
    const resumed = errand.start.kind !== 'fresh'
    const tally = createTally(this.#costBefore(errand))
    let attempt = 1
    let failures = 0
    let row = this.#openRow(errand, attempt, tally)
    this.#emit(errand, { type: 'step', state: 'started', agent: this.#spec.name })

    const end = (error: StepError | undefined): StepResult => {
      const state = error === undefined ? 'done' : error.class === 'aborted' ? 'stopped' : 'failed'
      this.#closeRow(row, tally, state, error)
      this.#emit(errand, { type: 'step', state: 'ended', agent: this.#spec.name, ok: error === undefined })
      return tally.result({ sessionId: errand.start.sessionId, error, attempts: attempt, resumed })
    }

    try {
      for (;;) {
        const { ending, figures, stopped } = await this.#ask(errand, row, tally)
        if (ending.kind === 'done') return end(undefined)
        if (ending.kind === 'aborted') return end(ABORTED)
        if (ending.kind === 'failed') {
          // What went well in between counts: only tries without any answer add up.
          failures = figures.turns > 0 ? 1 : failures + 1
          tally.addError(ending.error)
          const final = await this.#finalError(errand, ending.error, failures, attempt)
          if (final) return end(final)
          this.#closeRow(row, tally, 'failed', ending.error)
          attempt++
        }
        const words = this.#words.splice(0)
        errand = await errandAfter(this.#runtime, { errand, ending, figures, stopped, words })
        if (ending.kind === 'failed') row = this.#openRow(errand, attempt, tally)
        else row.update({ sessionId: errand.start.sessionId })
      }
    } catch (error) {
      // The machine's fault, or ours: it is thrown, but the books do not stay open.
      end({ class: 'fatal', text: error instanceof Error ? error.message : String(error) })
      throw error
    }
  }

  /** One query: the errand's prompt in the errand's session. */
  async #ask(
    errand: Errand,
    row: Row,
    tally: Tally,
  ): Promise<{ ending: Ending; figures: MessageReader; stopped: ReadonlySet<string> }> {
    const runtime = this.#runtime
    const { start, prompt, appended } = errand
    const { sessionId } = start
    const figures = messageReader()
    const exhausted = this.#limitReached(tally)
    if (exhausted) return { ending: { kind: 'failed', error: exhausted }, figures, stopped: new Set() }
    const emit = (body: EventBody, worker?: WorkerName): void =>
      this.#events.emit(sessionId, body, figures.context, worker)
    const boundary = createBoundary(
      runtime.texts.stopped,
      async () => figures.background === 0 && (await runtime.economy.decide(runtime.key(sessionId)))?.flush === true,
      (problem) => emit({ type: 'alarm', what: 'epoch', reason: String(problem) }),
    )
    const onHook = (body: EventBody, agentId: string | undefined): void =>
      emit(body, agentId === undefined ? undefined : figures.workerNamed(agentId))
    const controller = new AbortController()
    if (this.#ended.signal.aborted) controller.abort()
    let stderr = ''
    const options = queryOptions({
      workspace: runtime.workspace,
      runtime: runtime.options,
      environment: runtime.environment,
      spec: this.#spec,
      start,
      appended,
      hooks: stepHooks(runtime, this.#spec, boundary.hooks, onHook),
      store: runtime.store,
      abortController: controller,
      onStderr: (text) => {
        stderr = `${stderr}${text}`.slice(-MOST_STDERR)
      },
      onProblem: (problem) => emit({ type: 'alarm', what: 'leash', reason: problem.message }),
      turnsLeft: left(this.#spec.maxTurns, tally.turns),
      dollarsLeft: left(this.#spec.maxBudgetUsd, tally.cost),
    })
    let recorded = start.kind !== 'fresh'
    const unwatch = runtime.watch(sessionId, {
      onStoreEvent: (event) => this.#events.store(sessionId, event),
      onKey: ({ projectKey }) => {
        recorded = true
        row.update({ projectKey })
      },
    })
    this.#query = { boundary, figures, controller }
    emit({ type: 'prompt', text: prompt })
    try {
      const ending = await runQuery({
        sdk: runtime.sdk,
        prompt,
        options,
        figures,
        boundary,
        isAborted: () => this.#ended.signal.aborted,
        stderr: () => stderr.trim(),
        onEvent: ({ body, worker }) => {
          emit(body, worker)
          row.note({ turns: tally.attempt.turns + figures.turns, context: figures.context })
        },
      })
      tally.add(figures)
      if (!recorded && figures.turns > 0) emit({ type: 'alarm', what: 'session store', reason: NOTHING_RECORDED })
      return { ending, figures, stopped: boundary.stopped }
    } finally {
      this.#query = undefined
      unwatch()
    }
  }

  /** Why the step cannot go on after this error; undefined once the wait before the next try is over. */
  async #finalError(
    errand: Errand,
    error: StepError,
    failures: number,
    attempt: number,
  ): Promise<StepError | undefined> {
    const { resilience, economy, key } = this.#runtime
    const { class: kind, text, status } = error
    this.#emit(errand, { type: 'error', class: kind, text, ...(status === undefined ? {} : { status }) })
    if (!resilience || kind === 'fatal') return error
    if (kind === 'overflow') {
      // Once the view is as small as it gets, another try changes nothing.
      if (failures > 1) return error
      economy.force(key(errand.start.sessionId), 'asked')
      return undefined
    }
    if (failures >= resilience.attempts) return error
    const wait = { retry: failures - 1, attempt: attempt + 1, signal: this.#ended.signal }
    const answers = await reachable(this.#runtime, resilience, wait, (body) => this.#emit(errand, body))
    if (this.#ended.signal.aborted) return ABORTED
    return answers ? undefined : error
  }

  #limitReached(tally: Tally): StepError | undefined {
    const { maxTurns, maxBudgetUsd } = this.#spec
    if (maxTurns !== undefined && tally.turns >= maxTurns) {
      return { class: 'fatal', text: `the limit of ${maxTurns} turns is reached` }
    }
    if (maxBudgetUsd !== undefined && tally.cost >= maxBudgetUsd) {
      return { class: 'fatal', text: `the budget of $${maxBudgetUsd} is used up` }
    }
    return undefined
  }

  #costBefore({ start }: Errand): number {
    if (start.kind === 'fresh') return 0
    return this.#runtime.books.session(start.kind === 'fork' ? start.from : start.sessionId).cost
  }

  #openRow({ start }: Errand, attempt: number, tally: Tally): Row {
    const { books, timing, key } = this.#runtime
    tally.beginAttempt()
    return books.open({
      run: books.run,
      step: this.#name,
      agent: this.#spec.name,
      attempt,
      sessionId: start.sessionId,
      projectKey: start.kind === 'resume' ? key(start.sessionId).projectKey : null,
      state: 'running',
      startedAt: new Date(timing.now()).toISOString(),
      endedAt: null,
      ...tally.attempt,
      context: tally.context,
      resumed: start.kind !== 'fresh',
      error: null,
      processId: process.pid,
    })
  }

  #closeRow(row: Row, tally: Tally, state: 'done' | 'failed' | 'stopped', error: StepError | undefined): void {
    const endedAt = new Date(this.#runtime.timing.now()).toISOString()
    row.update({ state, endedAt, ...tally.attempt, context: tally.context, error: error?.text ?? null })
  }

  #emit({ start }: Errand, body: EventBody): void {
    this.#events.emit(start.sessionId, body)
  }
}

function left(limit: number | undefined, used: number): number | undefined {
  return limit === undefined ? undefined : limit - used
}
