/** Workers of an isolated role get a git worktree of their own, without the coordinator having to ask for it. */
import type { OnHookEvent } from './hook-event.ts'
import { type Hooks, preToolUse } from './pre-tool-use.ts'

export interface IsolateGuardOptions {
  /** Roles that work in a worktree, by the name they have among `agents`. */
  readonly roles: readonly string[]
  readonly onEvent?: OnHookEvent
}

/** `isolation: "worktree"` is added to Agent calls of these roles that name neither a `cwd` nor an `isolation`. */
export function isolateGuard({ roles, onEvent }: IsolateGuardOptions): Hooks {
  return preToolUse({ guard: 'isolate guard', matcher: AGENT_TOOLS, onEvent }, ({ input }) => {
    if (!roles.includes(String(input.subagent_type))) return undefined
    if (input.cwd !== undefined || input.isolation !== undefined) return undefined
    return { input: { ...input, isolation: 'worktree' } }
  })
}

/** The tool is `Agent` to hooks; earlier versions of the binary said `Task`. */
export const AGENT_TOOLS = 'Agent|Task'
