/**
 * A delegated piece of work with its lifecycle (seed O3): spawned by a call, carried out in a thread of its own,
 * completed by an answer or an announcement. Everything here is plain data found in one transcript.
 */
import type { Address, Exchange, Transcript } from '../transcript.ts'

/**
 * `suspicious`: announced as done, but what came back says that the worker was still at it (no tokens, a last line
 * that goes on). Only `completed` and `failed` tasks ever fold.
 */
export type TaskState = 'running' | 'failed-to-start' | 'completed' | 'failed' | 'timed-out' | 'suspicious'

/** One place that told of a task's end. */
export interface Completion {
  /** The spawn's own answer, an announcement message, a poll for the result, or the answer to an unstored announcement. */
  readonly kind: 'answer' | 'announcement' | 'poll' | 'reply'
  /** The result block, or the message (its first entry). */
  readonly at: Address
  /** Index of the message in the transcript. */
  readonly message: number
  /** Of an announcement: how many tasks it tells of; a message that several children share leaves only with all. */
  readonly tasks: number
  /** Milliseconds since the epoch, where recorded. */
  readonly time?: number
  /** Of an announcement: its words. */
  readonly words?: string
}

export interface Task {
  /** The spawn call's id; `#2` and so on where a session repeats it. */
  readonly id: string
  /** Everything it is known by: call id, child session key, run id, agent id. */
  readonly ids: readonly string[]
  /** Label, description, or the opening of the brief. */
  readonly name: string
  readonly state: TaskState
  /** The call that spawned it and its answer. */
  readonly spawn: Exchange
  /** In order; empty while it runs and when it failed to start. */
  readonly completions: readonly Completion[]
  /** What the worker was told. */
  readonly brief: string
  /** What came back, in full where the worker's own thread is at hand; absent when nothing was recorded. */
  readonly report?: string
  /** Why it failed, in the harness's words. */
  readonly error?: string
  /** Milliseconds since the epoch. */
  readonly spawnedAt?: number
  readonly completedAt?: number
  readonly durationMs?: number
  /** `main`: estimated tokens it takes in this thread; `worker`: what the harness counted for the worker. */
  readonly tokens: { readonly main: number; readonly worker?: number }
  /** The worker's own thread, where it is at hand. */
  readonly child?: Transcript
  /** The record that stands in place of its history, once it is folded. */
  readonly record?: string
}

/** A worker's thread read from elsewhere (inline entries, a subagents folder, a store). */
export interface ChildThread {
  /** Agent id, child session key, run id: any that a spawn or a completion may name. */
  readonly ids: readonly string[]
  readonly transcript: Transcript
}

/** Tools that delegate. TaskCreate and its like keep a list, they spawn nothing. */
export const DEFAULT_SPAWN_TOOLS: readonly string[] = ['sessions_spawn', 'delegate_task', 'Task', 'Agent']

export interface TaskOptions {
  /** Default: DEFAULT_SPAWN_TOOLS. */
  readonly spawnTools?: readonly string[]
  /** Workers' threads at hand; default none. */
  readonly children?: readonly ChildThread[]
}
