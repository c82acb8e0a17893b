/** From a role and a runtime to the options of one `query()`. */
import type { McpServerConfig, Options, SessionStore } from '@anthropic-ai/claude-agent-sdk'
import type { Hooks } from '../hooks/pre-tool-use.ts'
import type { AgentSpec } from '../roles/agent-spec.ts'
import { roleOptions } from '../roles/sdk-options.ts'
import { spawnOnLeash } from './leash.ts'
import type { RuntimeOptions } from './options.ts'

/** Where a query begins: a new session, or one that goes on. */
export type Start =
  | { readonly kind: 'fresh'; readonly sessionId: string }
  | { readonly kind: 'resume'; readonly sessionId: string; readonly at?: string | undefined }
  | { readonly kind: 'fork'; readonly from: string; readonly sessionId: string; readonly at?: string | undefined }

export interface QueryParts {
  readonly workspace: string
  readonly runtime: RuntimeOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly spec: AgentSpec
  readonly start: Start
  /** Behind the role's instructions: the workbench's index. */
  readonly appended: string
  readonly hooks: Hooks
  readonly store: SessionStore
  readonly abortController: AbortController
  readonly onStderr: (text: string) => void
  /** Something of the machine is missing; the query runs all the same. */
  readonly onProblem: (problem: Error) => void
  /** What is left of the role's limits. */
  readonly turnsLeft: number | undefined
  readonly dollarsLeft: number | undefined
}

export function queryOptions(parts: QueryParts): Options {
  const { spec, runtime, start } = parts
  const role = roleOptions(spec)
  return {
    ...role,
    // Nobody is there to approve: what a role was given it may use. What the main thread may not is denied by hooks.
    allowedTools: [
      ...new Set([...(role.allowedTools ?? []), ...Object.values(spec.agents).flatMap(({ tools }) => tools)]),
    ],
    permissionMode: role.permissionMode ?? 'default',
    permissionPrompts: 'none',
    ...(parts.turnsLeft === undefined ? {} : { maxTurns: parts.turnsLeft }),
    ...(parts.dollarsLeft === undefined ? {} : { maxBudgetUsd: parts.dollarsLeft }),
    cwd: parts.workspace,
    env: { ...parts.environment, ...(runtime.nativeCompaction ? {} : { DISABLE_AUTO_COMPACT: '1' }) },
    systemPrompt: { type: 'preset', preset: 'claude_code', append: appendedText(parts) },
    settingSources: (runtime.portable ?? true) ? [] : ['user', 'project', 'local'],
    plugins: (runtime.plugins ?? []).map((path) => ({ type: 'local', path })),
    ...(runtime.mcpServers === undefined
      ? {}
      : {
          mcpServers: runtime.mcpServers as Record<string, McpServerConfig>,
          // What they are given stays off the command line, which other users of the machine can read.
          mcpServersDelivery: 'initialize' as const,
        }),
    hooks: parts.hooks,
    sessionStore: parts.store,
    sessionStoreFlush: 'eager',
    abortController: parts.abortController,
    spawnClaudeCodeProcess: (spawn) => spawnOnLeash(spawn, parts.onStderr, parts.onProblem),
    ...startOptions(start),
  }
}

function appendedText({ spec, appended }: QueryParts): string {
  return [spec.instructions, appended].filter((text) => text !== '').join('\n\n')
}

function startOptions(start: Start): Partial<Options> {
  if (start.kind === 'fresh') return { sessionId: start.sessionId }
  const at = start.at === undefined ? {} : { resumeSessionAt: start.at }
  if (start.kind === 'resume') return { resume: start.sessionId, ...at }
  return { resume: start.from, forkSession: true, sessionId: start.sessionId, ...at }
}
