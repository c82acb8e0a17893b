/**
 * What an agent is: its name, its rules, the tools of its main thread, its subagents. Plain data; the runtime compiles
 * it into options of the Claude Agent SDK. Names may be in any script.
 */
import { SpillwayError } from '../../core/errors.ts'

/** A subagent: the SDK's AgentDefinition, with what Spillway's hooks need to know about it. */
export interface WorkerSpec {
  /** When to use it: what the coordinator reads. */
  readonly description: string
  /** Its system prompt, the rules of the role included. */
  readonly prompt: string
  readonly tools: readonly string[]
  /** `inherit`: the model of the main thread. */
  readonly model: string
  /** Works in a git worktree of its own. */
  readonly isolate: boolean
  /** Delegates like a coordinator: its own hands-on calls are denied. */
  readonly delegateOnly: boolean
  readonly maxTurns?: number
}

export interface AgentSpec {
  readonly name: string
  /** Appended to Claude Code's own system prompt, never in its place (F11). */
  readonly instructions: string
  /** The tools of the main thread. */
  readonly tools: readonly string[]
  /** Subagents by name, as in the SDK. */
  readonly agents: Readonly<Record<string, WorkerSpec>>
  /** Hands-on work on the main thread is denied (F1). */
  readonly delegateOnly: boolean
  /** Bash passes on the main thread where `classify` allows the command (F10). */
  readonly glance: boolean
  readonly model?: string
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'
  readonly maxTurns?: number
  readonly maxBudgetUsd?: number
}

/** A subagent as little said as the SDK's AgentDefinition asks for; `worker()` adds the rules of the role. */
export type WorkerInput = Pick<WorkerSpec, 'description' | 'prompt'> & Partial<WorkerSpec>
export type AgentSpecInput = Pick<AgentSpec, 'name' | 'instructions'> &
  Partial<Omit<AgentSpec, 'agents'>> & { readonly agents?: Readonly<Record<string, WorkerInput>> }

export const WORKER_TOOLS: readonly string[] = [
  'Read',
  'Write',
  'Edit',
  'Bash',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
]

/** A role of your own. @throws SpillwayError `usage` for an empty name or a subagent without a name */
export function agentSpec(input: AgentSpecInput): AgentSpec {
  if (input.name.trim() === '') throw new SpillwayError('usage', 'an agent needs a name')
  const agents = Object.entries(input.agents ?? {}).map(([name, given]) => {
    if (name.trim() === '') throw new SpillwayError('usage', `${input.name}: a subagent needs a name`)
    const defaults = { tools: WORKER_TOOLS, model: 'inherit', isolate: false, delegateOnly: false }
    return [name, { ...defaults, ...given }] as const
  })
  return { tools: [], delegateOnly: false, glance: false, ...input, agents: Object.fromEntries(agents) }
}
