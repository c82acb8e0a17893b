/** Workers are told where the workbench is, and what is in it, as they start: the system prompt does not reach them. */
import type { HookJSONOutput } from '@anthropic-ai/claude-agent-sdk'
import type { Workbench } from '../workbench/workbench.ts'
import { type OnHookEvent, reasonOf, tell } from './hook-event.ts'
import type { Hooks } from './pre-tool-use.ts'

export interface WorkbenchContextOptions {
  readonly workbench: Workbench
  readonly onEvent?: OnHookEvent
}

export function workbenchContext({ workbench, onEvent }: WorkbenchContextOptions): Hooks {
  const introduce = async (): Promise<HookJSONOutput> => {
    try {
      const additionalContext = workbench.subagentContext()
      return { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext } }
    } catch (error) {
      const reason = `the worker was not told about the workbench: ${reasonOf(error)}`
      tell(onEvent, { type: 'hook-failed', hook: 'workbench context', reason })
      return {}
    }
  }
  return { SubagentStart: [{ hooks: [introduce] }] }
}
