/** All hooks of a step, merged in the order in which they change things: guards, the user's own, spill, index, boundary. */
import type { EventBody } from '../events/events.ts'
import type { HookEvent } from '../hooks/hook-event.ts'
import { indexGuard } from '../hooks/index-guard.ts'
import { mergeHooks } from '../hooks/merge-hooks.ts'
import type { Hooks } from '../hooks/pre-tool-use.ts'
import { spillGuard } from '../hooks/spill-guard.ts'
import { workbenchContext } from '../hooks/workbench-context.ts'
import type { AgentSpec } from '../roles/agent-spec.ts'
import { roleGuards } from '../roles/role-guards.ts'
import type { OpenRuntime } from './open-runtime.ts'

/** @param agentId the subagent it is about, if any */
export type OnHook = (body: EventBody, agentId: string | undefined) => void

export function stepHooks(runtime: OpenRuntime, spec: AgentSpec, boundary: Hooks, onHook: OnHook): Hooks {
  const { options, archive, workbench } = runtime
  const onEvent = (event: HookEvent): void => {
    const body = bodyOf(event)
    if (body) onHook(body, 'agentId' in event ? event.agentId : undefined)
  }
  const { spillThreshold: threshold } = options
  return mergeHooks(
    roleGuards(spec, {
      ...(workbench === undefined ? {} : { workbench }),
      handsOn: options.handsOn ?? [],
      background: options.background ?? false,
      onEvent,
    }),
    // What is spilled is what the user's own hooks made of a result, and they see commands as the model wrote them.
    options.hooks,
    spillGuard({
      preset: options.preset === 'seed' ? 'seed' : 'default',
      ...options.spill,
      ...(threshold === undefined ? {} : { threshold }),
      archive,
      stored: true,
      onEvent,
    }),
    workbench ? indexGuard({ workbench, onEvent }) : undefined,
    workbench ? workbenchContext({ workbench, onEvent }) : undefined,
    boundary,
  )
}

function bodyOf(event: HookEvent): EventBody | undefined {
  switch (event.type) {
    case 'call-denied': {
      const { guard, tool, callId, reason } = event
      return { type: 'denial', guard, tool, callId, reason }
    }
    case 'result-spilled': {
      const { ref, tool, callId, size, unit, path } = event
      return { type: 'spill', ref, tool, callId, size, unit, path }
    }
    case 'hook-failed':
      return { type: 'alarm', what: event.hook, reason: event.reason }
    default:
      return undefined
  }
}
