/** What the runtime itself says to the model. Nothing in it changes with time, and no error is ever quoted. */
import type { HalfDone } from './half-done.ts'

export interface RuntimeTexts {
  /** After a turn was ended so that the history could be tidied: the first thing the model reads is its own past. */
  readonly goOn: string
  /** After the connection or the process broke. */
  readonly broke: string
  /** Why a turn ends early; the harness shows it beside the next message. */
  readonly stopped: string
  readonly halfDone: (workers: readonly HalfDone[]) => string
  /** Before what has changed in the workbench since this generation's index. */
  readonly workbench: (changes: string) => string
}

export const RUNTIME_TEXTS: RuntimeTexts = {
  goOn: 'Go on with the task where you were.',
  broke: 'The work was interrupted from outside. Everything above is still so; go on with the task where you were.',
  stopped: 'the conversation goes on with the next message',
  halfDone: (workers) =>
    `These workers were cut off in mid-work; what they wrote is still there, and they will not report any more:\n${workers
      .map(lineOf)
      .join('\n')}\nSee what is left to do before you delegate it anew.`,
  workbench: (changes) => `The workbench has changed since its index was made:\n${changes}`,
}

function lineOf({ role, name, calls, lastWords }: HalfDone): string {
  const said = lastWords === '' ? '' : ` Its last words: ${lastWords}`
  return `- ${role}: ${name} (${calls} ${calls === 1 ? 'call' : 'calls'} done).${said}`
}
