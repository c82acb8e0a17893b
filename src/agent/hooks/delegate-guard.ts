/**
 * Division of labour, enforced (F1): on the main thread hands-on calls are denied, with the way forward. Subagents
 * pass. The test is whether the hook input names a subagent, never wording.
 */
import { classify } from '../../shell/index.ts'
import type { OnHookEvent } from './hook-event.ts'
import { type Hooks, preToolUse } from './pre-tool-use.ts'
import { HANDS_ON_TOOLS, isListed } from './tool-names.ts'

export interface DelegateGuardOptions {
  /** Guards the main thread. Default true; false where only some subagents delegate. */
  readonly main?: boolean
  /** Bash passes where `classify` allows the command (F10). Default true. */
  readonly glance?: boolean
  /** Further tools that do hands-on work, MCP tools that write above all; `mcp__files__*` names a whole server. */
  readonly handsOn?: readonly string[]
  /** Tools that were given to workers alone, whatever they do: denied on the main thread. */
  readonly workersOnly?: readonly string[]
  /** Subagents that delegate too, by the name they have among `agents`. */
  readonly delegating?: readonly string[]
  /** The workbench's folder, for the way forward; without one the report alone is asked for. */
  readonly workbench?: string
  readonly texts?: Partial<DelegateTexts>
  readonly onEvent?: OnHookEvent
}

export interface DelegateTexts {
  readonly delegate: (tool: string, workbench: string | undefined) => string
  readonly notGlance: (reason: string) => string
}

/** Short: a refusal stays in the conversation. */
export const DELEGATE_TEXTS: DelegateTexts = {
  delegate: (tool, workbench) =>
    `${tool} is for workers: dispatch one with the Agent tool. Goal and acceptance criteria in the task, ${
      workbench === undefined ? '' : `long output into ${workbench}/artifacts/, `
    }paths and conclusions in the report.`,
  notGlance: (reason) => `No glance: ${reason}. Commands that only look still pass.`,
}

export function delegateGuard(options: DelegateGuardOptions = {}): Hooks {
  const { main = true, glance = true, handsOn = [], workersOnly = [], delegating = [], workbench, onEvent } = options
  const texts = { ...DELEGATE_TEXTS, ...options.texts }
  const refused = [...HANDS_ON_TOOLS, ...handsOn]
  const refusedOnMain = [...refused, ...workersOnly]
  return preToolUse({ guard: 'delegate guard', onEvent }, ({ tool, input, cwd, agentId, agentType }) => {
    const guarded = agentId === undefined ? main : agentType !== undefined && delegating.includes(agentType)
    if (!guarded) return undefined
    if (!isListed(tool, agentId === undefined ? refusedOnMain : refused)) return undefined
    const forward = texts.delegate(tool, workbench)
    if (tool !== 'Bash' || !glance) return { deny: forward }
    const command = typeof input.command === 'string' ? input.command : ''
    const verdict = classify(command, { cwd })
    return verdict.allow ? undefined : { deny: `${texts.notGlance(verdict.reason)} ${forward}` }
  })
}
