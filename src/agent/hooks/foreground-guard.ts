/**
 * Workers run in the foreground: the binary's default is the background, where the main thread ends its turn before
 * the report is there, and one prompt gives two results.
 */
import type { OnHookEvent } from './hook-event.ts'
import { AGENT_TOOLS } from './isolate-guard.ts'
import { type Hooks, preToolUse } from './pre-tool-use.ts'

/** Agent calls get `run_in_background: false`. */
export function foregroundGuard({ onEvent }: { readonly onEvent?: OnHookEvent } = {}): Hooks {
  return preToolUse({ guard: 'foreground guard', matcher: AGENT_TOOLS, onEvent }, ({ input }) =>
    input.run_in_background === false ? undefined : { input: { ...input, run_in_background: false } },
  )
}
