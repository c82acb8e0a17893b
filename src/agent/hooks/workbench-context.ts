/** Workers are told where the workbench is, and what is in it, as they start: the system prompt does not reach them. */
import type { Workbench } from '../workbench/workbench.ts'
import type { OnHookEvent } from './hook-event.ts'
import type { Hooks } from './pre-tool-use.ts'

export function workbenchContext(_options: { readonly workbench: Workbench; readonly onEvent?: OnHookEvent }): Hooks {
  return {}
}
