/** What a hook of ours has to say to whoever watches the run; plain data, no type of the SDK. */

export type HookEvent =
  /** A call was refused; the model was told why. */
  | {
      readonly type: 'call-denied'
      readonly guard: string
      readonly tool: string
      readonly callId: string
      readonly reason: string
      /** The subagent that asked; absent on the main thread. */
      readonly agentId?: string
    }
  /** A result, or a part of one, was moved to disk before the model saw it. */
  | {
      readonly type: 'result-spilled'
      readonly ref: string
      readonly tool: string
      readonly callId: string
      /** Characters of a text, bytes of an image or document. */
      readonly size: number
      readonly unit: 'characters' | 'bytes'
      readonly path: string
      readonly agentId?: string
    }
  /** The workbench's index was written anew. */
  | { readonly type: 'index-refreshed'; readonly entries: number }
  /** A hook failed. A guard has denied the call; a spill has let the original through. */
  | {
      readonly type: 'hook-failed'
      readonly hook: string
      readonly tool?: string
      readonly callId?: string
      readonly reason: string
    }

export type OnHookEvent = (event: HookEvent) => void

/** Tells who watches. A watcher that fails must neither open a guard nor lose a spill: it becomes a warning of Node's. */
export function tell(onEvent: OnHookEvent | undefined, event: HookEvent): void {
  try {
    onEvent?.(event)
  } catch (error) {
    process.emitWarning(`a watcher of Spillway's hooks failed: ${reasonOf(error)}`)
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
