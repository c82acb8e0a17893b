/** The guards that a role needs, merged: what its lists of tools cannot say. */
import { delegateGuard } from '../hooks/delegate-guard.ts'
import { foregroundGuard } from '../hooks/foreground-guard.ts'
import type { OnHookEvent } from '../hooks/hook-event.ts'
import { isolateGuard } from '../hooks/isolate-guard.ts'
import { mergeHooks } from '../hooks/merge-hooks.ts'
import type { Hooks } from '../hooks/pre-tool-use.ts'
import { whitelistGuard } from '../hooks/whitelist-guard.ts'
import type { AgentSpec } from './agent-spec.ts'

export interface RoleGuardOptions {
  /** The workbench's folder. */
  readonly workbench?: string
  /** Further tools that do hands-on work (MCP tools that write). */
  readonly handsOn?: readonly string[]
  /** Workers may run in the background. Default false. */
  readonly background?: boolean
  readonly onEvent?: OnHookEvent
}

export function roleGuards(spec: AgentSpec, options: RoleGuardOptions = {}): Hooks {
  const { background = false, handsOn = [], workbench } = options
  const watched = options.onEvent === undefined ? {} : { onEvent: options.onEvent }
  const named = (test: (role: AgentSpec['agents'][string]) => boolean): string[] =>
    Object.entries(spec.agents).flatMap(([name, role]) => (test(role) ? name : []))
  const delegating = named(({ delegateOnly }) => delegateOnly)
  const isolated = named(({ isolate }) => isolate)
  const { delegateOnly, glance, tools } = spec
  return mergeHooks(
    delegateOnly || delegating.length > 0
      ? delegateGuard({
          main: delegateOnly,
          glance,
          handsOn,
          delegating,
          ...(workbench === undefined ? {} : { workbench }),
          ...watched,
        })
      : undefined,
    delegateOnly ? undefined : whitelistGuard({ tools, handsOn, ...watched }),
    isolated.length > 0 ? isolateGuard({ roles: isolated, ...watched }) : undefined,
    background ? undefined : foregroundGuard(watched),
  )
}
