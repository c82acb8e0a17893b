/** What one text says of one task, in neutral terms. */

export type ToldStatus = 'launched' | 'refused' | 'running' | 'completed' | 'failed' | 'timed-out'

/** What one text says of one task. */
export interface Told {
  readonly status: ToldStatus
  /** Child session key, session id, agent id, call id, run id. */
  readonly ids: readonly string[]
  /** Label or brief, where the text names the task. */
  readonly name?: string
  readonly report?: string
  readonly error?: string
  readonly tokens?: number
  readonly durationMs?: number
}

/** `completed`, `failed` and `timed-out` in the words of any version; what is unknown counts as done, not as failed. */
export function statusOf(words: string): ToldStatus {
  if (/time[ds]?[ -]?out/i.test(words)) return 'timed-out'
  if (/fail|error|kill|cancel|abort|stopped|lost/i.test(words)) return 'failed'
  if (/running|pending|queued|in[ _-]progress/i.test(words)) return 'running'
  return 'completed'
}

export function reportFacts(report: string | undefined): Pick<Told, 'report'> {
  const words = report?.trim()
  return words && words !== '(no output)' ? { report: words } : {}
}

export function errorFacts(status: ToldStatus, words: string | undefined): Pick<Told, 'error'> {
  return status === 'completed' || words === undefined || words.trim() === '' ? {} : { error: words.trim() }
}
