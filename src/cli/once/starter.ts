/** The agent that `spillway once` runs: a coordinator with two workers that fit any task. */
import { type AgentSpec, coordinator, worker } from '../../agent/index.ts'

export interface StarterOptions {
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly maxCost?: number | undefined
}

export const STARTER_NAME = 'spillway'

export function starterAgent({ model, maxTurns, maxCost }: StarterOptions): AgentSpec {
  const maker = worker(
    'Hands-on work of any kind: changes files, runs commands, builds, tests, fixes.',
    'You carry out one task in this project and prove by a command that it is done.',
  )
  const scout = worker(
    'Finds things out: reads code and logs, searches, counts, compares. Changes nothing.',
    'You find out what you are asked and name your sources. You change no file of the project.',
    { tools: ['Read', 'Glob', 'Grep', 'Bash'] },
  )
  return coordinator(
    STARTER_NAME,
    'You lead the work on this project.',
    { maker, scout },
    {
      ...(model === undefined ? {} : { model }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxCost === undefined ? {} : { maxBudgetUsd: maxCost }),
    },
  )
}
