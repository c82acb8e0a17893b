/**
 * The stable stream of a run: all that a user interface sees. Plain JSON data of ours, no type of the SDK; kinds are
 * only ever added, so a reader skips those it does not know.
 */

/** Where it happened; absent `worker`: on the main thread. */
interface EventBase {
  readonly step: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly sessionId?: string
  /** Tokens of the main thread's newest prompt: on every event of the main thread, 0 before the first answer. */
  readonly context?: number
  readonly worker?: WorkerName
}

/** A subagent, by the call of the main thread that started it. */
export interface WorkerName {
  readonly callId: string
  readonly role?: string
}

export type EventBody =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** What a thread was asked: by us, by a person, or by the thread that started it. */
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'tool_call'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly callId: string
      readonly tool: string
      /** As the model got it. */
      readonly text: string
      readonly isError: boolean
      readonly images: number
    }
  /** Delegated work, from its start to its end. */
  | {
      readonly type: 'task'
      readonly state: 'started' | 'progress' | 'completed' | 'failed' | 'stopped'
      readonly taskId: string
      readonly callId?: string
      readonly role?: string
      readonly description?: string
      readonly background?: boolean
      readonly tokens?: number
      readonly calls?: number
      readonly milliseconds?: number
      readonly lastTool?: string
    }
  /** The harness itself: a session began (`init`), it compacted, a stored line was lost, … */
  | { readonly type: 'system'; readonly kind: string; readonly text: string; readonly model?: string }
  /** The conversation starts over: what a view has shown of it is history. */
  | { readonly type: 'reset'; readonly reason: string }
  /** A turn of the main thread has ended; background work may bring another. */
  | {
      readonly type: 'result'
      readonly ok: boolean
      readonly text: string
      readonly cost: number
      readonly turns: number
    }
  | {
      readonly type: 'error'
      readonly class: 'transient' | 'fatal' | 'overflow' | 'unknown' | 'aborted'
      readonly text: string
      readonly status?: number
    }
  /** `api`: the binary tries again by itself; `backoff`, `endpoint`: we wait, then resume the session. */
  | {
      readonly type: 'retry'
      readonly waitsFor: 'api' | 'backoff' | 'endpoint'
      readonly attempt: number
      readonly delayMs: number
    }
  | { readonly type: 'step'; readonly state: 'started' | 'ended'; readonly agent: string; readonly ok?: boolean }
  | { readonly type: 'handoff'; readonly state: 'near' | 'writing' | 'done'; readonly generation: number }
  | { readonly type: 'ask'; readonly question: string; readonly options: readonly string[] }
  /** The history was changed at a message boundary, or at a resume. Tokens are the view's, estimated. */
  | {
      readonly type: 'epoch'
      readonly outcome: string
      readonly tokensBefore: number
      readonly tokensAfter: number
      readonly edits: number
      readonly explanation: readonly string[]
    }
  /** A result, or a part of one, went to disk before the model saw it. */
  | {
      readonly type: 'spill'
      readonly ref: string
      readonly tool: string
      readonly callId: string
      readonly size: number
      readonly unit: 'characters' | 'bytes'
      readonly path: string
    }
  /** A guard refused a call and told the model what to do instead. */
  | {
      readonly type: 'denial'
      readonly guard: string
      readonly tool: string
      readonly callId: string
      readonly reason: string
    }
  /** Something of Spillway's own did not work; the run goes on. */
  | { readonly type: 'alarm'; readonly what: string; readonly reason: string }
  /** A message of the harness that this version does not know. */
  | { readonly type: 'unknown'; readonly kind: string }

export type RunEvent = EventBase & EventBody
export type RunEventType = RunEvent['type']
export type OnRunEvent = (event: RunEvent) => void
