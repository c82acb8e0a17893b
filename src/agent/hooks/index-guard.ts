/**
 * Keeps the workbench's index fresh (F3): a file written inside it, by an editing tool or by a command, refreshes the
 * index; one that is read or run is noted as used. It changes no answer.
 */
import { resolve } from 'node:path'
import type { HookJSONOutput, PostToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { Workbench } from '../workbench/workbench.ts'
import { type OnHookEvent, reasonOf, tell } from './hook-event.ts'
import { type Hooks, isRecord } from './pre-tool-use.ts'

export interface IndexGuardOptions {
  readonly workbench: Workbench
  readonly onEvent?: OnHookEvent
}

const WRITERS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']
const MATCHER = [...WRITERS, 'Read', 'Bash'].join('|')
/** Words of a command that may be paths; quotes and operators are no part of them. */
const WORDS = /[^\s'"`;|&<>()=$]+/g
const MOST_WORDS = 500

export function indexGuard({ workbench, onEvent }: IndexGuardOptions): Hooks {
  const look = async (input: unknown): Promise<HookJSONOutput> => {
    const hook = input as PostToolUseHookInput
    try {
      const touched = pathsOf(hook).filter((path) => workbench.holds(path))
      if (touched.length === 0) return {}
      for (const path of touched) workbench.used(path)
      if (hook.tool_name === 'Read') return {}
      const { folders } = workbench.refresh()
      const entries = folders.reduce((sum, folder) => sum + folder.entries.length + folder.more, 0)
      tell(onEvent, { type: 'index-refreshed', entries })
    } catch (error) {
      const reason = `the index is not refreshed: ${reasonOf(error)}`
      tell(onEvent, {
        type: 'hook-failed',
        hook: 'index guard',
        tool: hook.tool_name,
        callId: hook.tool_use_id,
        reason,
      })
    }
    return {}
  }
  return { PostToolUse: [{ matcher: MATCHER, hooks: [look] }] }
}

/** The files that a call names, as far as its words tell. */
function pathsOf({ tool_name: tool, tool_input: input, cwd }: PostToolUseHookInput): string[] {
  if (!isRecord(input)) return []
  if (tool === 'Bash') {
    const words = typeof input.command === 'string' ? (input.command.match(WORDS) ?? []) : []
    return words
      .slice(0, MOST_WORDS)
      .filter((word) => word.includes('/'))
      .map((word) => resolve(cwd, word))
  }
  const path = input.file_path ?? input.notebook_path
  return typeof path === 'string' ? [resolve(cwd, path)] : []
}
