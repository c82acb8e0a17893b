/**
 * Several hooks as one. The binary runs the hooks of an event in parallel, gives each the original, and the last to
 * finish wins: two that change the same call or the same result would undo each other. Merged, they run in order,
 * each on what the one before left, so that there is one writer.
 */
import type { Hooks } from './pre-tool-use.ts'

export function mergeHooks(...all: readonly (Hooks | undefined)[]): Hooks {
  const merged: Hooks = {}
  for (const hooks of all) {
    for (const [event, matchers] of Object.entries(hooks ?? {}) as [keyof Hooks, Hooks[keyof Hooks]][]) {
      merged[event] = [...(merged[event] ?? []), ...(matchers ?? [])]
    }
  }
  return merged
}
