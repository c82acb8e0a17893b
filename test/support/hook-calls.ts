/** Calls hooks as the binary does, without the binary. */
import type { HookCallbackMatcher, HookInput } from '@anthropic-ai/claude-agent-sdk'
import type { Hooks } from '../../src/agent/index.ts'

type Json = Record<string, unknown>

const SIGNAL = { signal: new AbortController().signal }

export interface ToolCall {
  readonly tool: string
  readonly input?: unknown
  readonly response?: unknown
  readonly error?: string
  readonly cwd?: string
  readonly agentId?: string
  readonly agentType?: string
  readonly transcript?: string
}

/** The `hookSpecificOutput` of every hook of this event that looks at the tool. */
export async function askHooks(hooks: Hooks, event: keyof Hooks, call: ToolCall): Promise<Json[]> {
  const answers: Json[] = []
  for (const matcher of hooks[event] ?? []) {
    if (!looksAt(matcher, call.tool)) continue
    for (const hook of matcher.hooks) {
      const answer = (await hook(inputOf(event, call), 'toolu_1', SIGNAL)) as { hookSpecificOutput?: Json }
      if (answer.hookSpecificOutput !== undefined) answers.push(answer.hookSpecificOutput)
    }
  }
  return answers
}

function looksAt({ matcher }: HookCallbackMatcher, tool: string): boolean {
  if (matcher === undefined || matcher === '*') return true
  return /^[\w|]+$/.test(matcher) ? matcher.split('|').includes(tool) : new RegExp(matcher).test(tool)
}

function inputOf(event: keyof Hooks, call: ToolCall): HookInput {
  const { tool, input = {}, response, error, cwd = '/', agentId, agentType, transcript = '/none/session.jsonl' } = call
  return {
    session_id: 'session',
    transcript_path: transcript,
    cwd,
    permission_mode: 'default',
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_1',
    ...(agentId === undefined ? {} : { agent_id: agentId, agent_type: agentType ?? 'worker' }),
    ...(event === 'PostToolUse' ? { tool_response: response } : {}),
    ...(event === 'PostToolUseFailure' ? { error } : {}),
  } as unknown as HookInput
}

/** Why the call is denied; undefined when it may run. */
export async function denialOf(hooks: Hooks, call: ToolCall): Promise<string | undefined> {
  for (const answer of await askHooks(hooks, 'PreToolUse', call)) {
    if (answer.permissionDecision === 'deny') return String(answer.permissionDecisionReason)
  }
  return undefined
}

/** What the model gets in place of the answer; undefined when the answer passes as it is. */
export async function replacedBy(hooks: Hooks, call: ToolCall): Promise<unknown> {
  return (await askHooks(hooks, 'PostToolUse', call)).findLast((answer) => 'updatedToolOutput' in answer)
    ?.updatedToolOutput
}
