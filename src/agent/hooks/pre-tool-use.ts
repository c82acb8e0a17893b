/** The frame of every guard: it looks at a call before it runs and may refuse or change it. It fails safe. */
import type { HookCallbackMatcher, HookJSONOutput, Options, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { type OnHookEvent, reasonOf, tell } from './hook-event.ts'

/** Hooks as `query()` takes them; `mergeHooks` joins several. */
export type Hooks = NonNullable<Options['hooks']>

export interface GuardFrame {
  readonly guard: string
  /** Tools it is asked about: exact names joined by `|`, or a regular expression; every tool by default. */
  readonly matcher?: string
  readonly onEvent?: OnHookEvent | undefined
}

/** What a guard decides: nothing, a refusal with the way forward, or another input. */
export type Decision = undefined | { readonly deny: string } | { readonly input: Readonly<Record<string, unknown>> }

/** A guard as a hook: when `decide` throws, the call is denied. */
export function preToolUse(frame: GuardFrame, decide: (call: GuardedCall) => Decision): Hooks {
  const callback = async (input: unknown): Promise<HookJSONOutput> => {
    const hook = input as PreToolUseHookInput
    try {
      const call = guardedCall(hook)
      const decision = decide(call)
      if (decision === undefined) return {}
      if ('input' in decision) {
        return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { ...decision.input } } }
      }
      return denied(frame, hook, decision.deny)
    } catch (error) {
      const reason = `${frame.guard} failed: ${reasonOf(error)}`
      tell(frame.onEvent, { type: 'hook-failed', hook: frame.guard, ...named(hook), reason })
      return refusal(`${reason}. The call was not run.`)
    }
  }
  const matcher: HookCallbackMatcher = { hooks: [callback] }
  return { PreToolUse: [frame.matcher === undefined ? matcher : { matcher: frame.matcher, ...matcher }] }
}

/** A call as guards see it. */
export interface GuardedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly cwd: string
  /** The subagent that calls; undefined on the main thread. */
  readonly agentId: string | undefined
  /** Its role, by the name it has among `agents`. */
  readonly agentType: string | undefined
}

function guardedCall(hook: PreToolUseHookInput): GuardedCall {
  const { tool_name: tool, tool_input: input, cwd } = hook
  return {
    tool,
    input: isRecord(input) ? input : {},
    cwd,
    // An empty id names nobody: that is the main thread.
    agentId: hook.agent_id || undefined,
    agentType: hook.agent_id ? hook.agent_type : undefined,
  }
}

function denied({ guard, onEvent }: GuardFrame, hook: PreToolUseHookInput, reason: string): HookJSONOutput {
  const { tool_name: tool, tool_use_id: callId, agent_id: agentId } = hook
  tell(onEvent, { type: 'call-denied', guard, tool, callId, reason, ...(agentId ? { agentId } : {}) })
  return refusal(reason)
}

function refusal(permissionDecisionReason: string): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
  }
}

function named(hook: Partial<PreToolUseHookInput> | undefined): { tool?: string; callId?: string } {
  return {
    ...(hook?.tool_name === undefined ? {} : { tool: hook.tool_name }),
    ...(hook?.tool_use_id === undefined ? {} : { callId: hook.tool_use_id }),
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
