/**
 * Division of labour (F1): a coordinator that only decomposes, delegates, reads and decides, and the workers that do
 * the work in threads of their own.
 */
import { type AgentSpec, agentSpec, WORKER_TOOLS, type WorkerInput, type WorkerSpec } from './agent-spec.ts'
import { COORDINATOR_RULES, GLANCE_RULES, WORKER_RULES } from './rule-texts.ts'

/** The binary's list tool: TodoWrite, or the four Task tools, whichever it offers. */
export const LIST_TOOLS: readonly string[] = ['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate']
export const COORDINATOR_TOOLS: readonly string[] = ['Agent', 'Read', ...LIST_TOOLS]
export interface WorkerOptions {
  /** Default `WORKER_TOOLS`. */
  readonly tools?: readonly string[]
  /** Default `inherit`: delegation saves context, it does not downgrade the model. */
  readonly model?: string
  /** A git worktree of its own; the workbench must then live outside the repository. Default false. */
  readonly isolate?: boolean
  /** A coordinator below the coordinator: hands-on calls of its own are denied. Default false. */
  readonly delegateOnly?: boolean
  readonly maxTurns?: number
  /** In place of `WORKER_RULES`. */
  readonly rules?: string
}

/**
 * A subagent that does hands-on work. `description` is what the coordinator chooses by; `prompt` is what it is told.
 */
export function worker(description: string, prompt: string, options: WorkerOptions = {}): WorkerSpec {
  const {
    tools = WORKER_TOOLS,
    model = 'inherit',
    isolate = false,
    delegateOnly = false,
    rules = WORKER_RULES,
  } = options
  const limit = options.maxTurns === undefined ? {} : { maxTurns: options.maxTurns }
  return { description, prompt: joined(prompt, rules), tools, model, isolate, delegateOnly, ...limit }
}

export interface CoordinatorOptions {
  /** Bash for glances, judged by `classify`. Default true. */
  readonly glance?: boolean
  /** Further tools of the main thread (a human channel, read-only MCP tools). */
  readonly tools?: readonly string[]
  readonly model?: string
  readonly maxTurns?: number
  readonly maxBudgetUsd?: number
  /** In place of `COORDINATOR_RULES`. */
  readonly rules?: string
  /** In place of `GLANCE_RULES`. */
  readonly glanceRules?: string
}

/** The agent whose main thread never does the work itself. `workers` by name, in any script. */
export function coordinator(
  name: string,
  instructions: string,
  workers: Readonly<Record<string, WorkerInput>>,
  options: CoordinatorOptions = {},
): AgentSpec {
  const { glance = true, tools = [], rules = COORDINATOR_RULES, glanceRules = GLANCE_RULES, ...limits } = options
  return agentSpec({
    name,
    instructions: joined(instructions, rules, glance ? glanceRules : ''),
    tools: [...new Set([...COORDINATOR_TOOLS, ...(glance ? ['Bash'] : []), ...tools])],
    agents: workers,
    delegateOnly: true,
    glance,
    permissionMode: 'acceptEdits',
    ...limits,
  })
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n')
}
