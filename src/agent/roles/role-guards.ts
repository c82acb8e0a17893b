/** The guards that a role needs, merged: what its lists of tools cannot say. */
import { isAbsolute } from 'node:path'
import { SpillwayError } from '../../core/errors.ts'
import { delegateGuard } from '../hooks/delegate-guard.ts'
import { foregroundGuard } from '../hooks/foreground-guard.ts'
import type { OnHookEvent } from '../hooks/hook-event.ts'
import { isolateGuard } from '../hooks/isolate-guard.ts'
import { mergeHooks } from '../hooks/merge-hooks.ts'
import type { Hooks } from '../hooks/pre-tool-use.ts'
import { isListed } from '../hooks/tool-names.ts'
import { whitelistGuard } from '../hooks/whitelist-guard.ts'
import type { Workbench } from '../workbench/workbench.ts'
import type { AgentSpec } from './agent-spec.ts'

export interface RoleGuardOptions {
  readonly workbench?: Pick<Workbench, 'folder' | 'name'>
  /** Further tools that do hands-on work (MCP tools that write). */
  readonly handsOn?: readonly string[]
  /** Workers may run in the background. Default false. */
  readonly background?: boolean
  readonly onEvent?: OnHookEvent
}

/**
 * @throws SpillwayError `usage` where isolated workers have a workbench inside the workspace: the binary lets no worker
 * in a worktree write into the checkout that it came from
 */
export function roleGuards(spec: AgentSpec, options: RoleGuardOptions = {}): Hooks {
  const { background = false, handsOn = [], workbench } = options
  const watched = options.onEvent === undefined ? {} : { onEvent: options.onEvent }
  const named = (test: (role: AgentSpec['agents'][string]) => boolean): string[] =>
    Object.entries(spec.agents).flatMap(([name, role]) => (test(role) ? name : []))
  const delegating = named(({ delegateOnly }) => delegateOnly)
  const isolated = named(({ isolate }) => isolate)
  if (isolated.length > 0 && workbench !== undefined && !isAbsolute(workbench.name)) {
    const message = `${isolated.join(', ')} works in a worktree of its own: the workbench must be a folder outside of the repository`
    throw new SpillwayError('usage', message)
  }
  const { delegateOnly, glance, tools } = spec
  // The session's list of tools is one for all threads: what only workers were given is not the coordinator's.
  const workersOnly = Object.values(spec.agents).flatMap((role) => role.tools.filter((tool) => !isListed(tool, tools)))
  return mergeHooks(
    delegateOnly || delegating.length > 0
      ? delegateGuard({
          main: delegateOnly,
          glance,
          handsOn,
          workersOnly,
          delegating,
          ...(workbench === undefined ? {} : { workbench: workbench.folder }),
          ...watched,
        })
      : undefined,
    delegateOnly ? undefined : whitelistGuard({ tools, handsOn, ...watched }),
    isolated.length > 0 ? isolateGuard({ roles: isolated, ...watched }) : undefined,
    background ? undefined : foregroundGuard(watched),
  )
}
