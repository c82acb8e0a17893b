/** A role as options of the Claude Agent SDK. */
import type { AgentDefinition, Options } from '@anthropic-ai/claude-agent-sdk'
import type { AgentSpec, WorkerSpec } from './agent-spec.ts'

/**
 * The part of `query()`'s options that the role decides. `tools` and `allowedTools` are lists of the whole session
 * and exclude nobody: what the main thread alone must not do is denied by hooks (`roleGuards`).
 */
export function roleOptions(
  spec: AgentSpec,
): Pick<Options, 'agents' | 'tools' | 'allowedTools' | 'model' | 'permissionMode' | 'maxTurns' | 'maxBudgetUsd'> {
  const workers = Object.values(spec.agents)
  const everyTool = [...new Set([...spec.tools, ...workers.flatMap(({ tools }) => tools)])]
  return {
    agents: Object.fromEntries(Object.entries(spec.agents).map(([name, given]) => [name, definition(given)])),
    tools: everyTool.filter((tool) => !tool.startsWith('mcp__')),
    // Nobody is there to ask: what a role was given, it may use.
    allowedTools: everyTool,
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...(spec.permissionMode === undefined ? {} : { permissionMode: spec.permissionMode }),
    ...(spec.maxTurns === undefined ? {} : { maxTurns: spec.maxTurns }),
    ...(spec.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: spec.maxBudgetUsd }),
  }
}

function definition({ description, prompt, tools, model, maxTurns }: WorkerSpec): AgentDefinition {
  return { description, prompt, tools: [...tools], model, ...(maxTurns === undefined ? {} : { maxTurns }) }
}
