/** What a finished task shrinks to (seed O4): about 100 tokens in the agent's own language. */

/** Lists may be empty; texts are one line. */
export interface TaskRecord {
  /** Who did it: the child's session key or agent id, else the tool. */
  readonly origin: string
  readonly task: string
  readonly outcome: string
  readonly result: string
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  readonly errors: readonly string[]
  /** Commands and ways that did not work. */
  readonly triedAndFailed: readonly string[]
  readonly toRemember: readonly string[]
  /** References into the archive. */
  readonly references: readonly string[]
}
