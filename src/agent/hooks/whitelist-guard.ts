/**
 * The hands-on tools that a role was not given are denied on its main thread: the SDK's lists of tools hold for the
 * whole session and exclude nobody.
 */
import type { OnHookEvent } from './hook-event.ts'
import { type Hooks, preToolUse } from './pre-tool-use.ts'
import { HANDS_ON_TOOLS, isListed } from './tool-names.ts'

export interface WhitelistGuardOptions {
  /** What the role was given; `mcp__files__*` names a whole server. */
  readonly tools: readonly string[]
  /** Further tools that do hands-on work (MCP tools that write). */
  readonly handsOn?: readonly string[]
  readonly text?: (tool: string) => string
  readonly onEvent?: OnHookEvent
}

export const WHITELIST_TEXT = (tool: string): string =>
  `This role has no ${tool}; this is intended. Put your conclusion into the reply.`

export function whitelistGuard(options: WhitelistGuardOptions): Hooks {
  const { tools, handsOn = [], text = WHITELIST_TEXT, onEvent } = options
  const refused = [...HANDS_ON_TOOLS, ...handsOn]
  return preToolUse({ guard: 'whitelist guard', onEvent }, ({ tool, agentId }) => {
    if (agentId !== undefined || !isListed(tool, refused) || isListed(tool, tools)) return undefined
    return { deny: text(tool) }
  })
}
