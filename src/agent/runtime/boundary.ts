/**
 * Where a turn can end without cutting anything: behind a batch of calls that all have their results. A hook there
 * says "stop", the binary records what it has and ends the turn, and the same session goes on with the next prompt.
 */
import type { HookJSONOutput, PostToolBatchHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { Hooks } from '../hooks/pre-tool-use.ts'

/** Why the turn ended: a person spoke, or the history is due. */
export type Stop = { readonly kind: 'interrupt'; readonly message: string } | { readonly kind: 'epoch' }

export interface Boundary {
  readonly hooks: Hooks
  /** What ended the turn, if this did. */
  readonly stop: Stop | undefined
  /** Ids of the workers that were told to stop. */
  readonly stopped: ReadonlySet<string>
  /** Asks for an end at the next boundary of the main thread; workers stop at their own next one. */
  interrupt(message: string): void
  /** A person's words that no boundary came for. */
  takeMessage(): string | undefined
}

/**
 * @param text what the harness shows as the reason
 * @param isDue asked at each boundary of the main thread: should the history change now?
 * @param onProblem hears of an `isDue` that threw; the turn goes on
 */
export function createBoundary(
  text: string,
  isDue: () => Promise<boolean>,
  onProblem: (problem: unknown) => void,
): Boundary {
  const messages: string[] = []
  const stopped = new Set<string>()
  let stop: Stop | undefined
  const end: HookJSONOutput = { continue: false, stopReason: text }

  async function callback(input: unknown): Promise<HookJSONOutput> {
    const { agent_id: agentId } = input as PostToolBatchHookInput
    if (agentId) {
      if (messages.length === 0) return {}
      stopped.add(agentId)
      return end
    }
    if (messages.length > 0) {
      stop = { kind: 'interrupt', message: messages.splice(0).join('\n\n') }
      return end
    }
    try {
      if (!(await isDue())) return {}
    } catch (problem) {
      onProblem(problem)
      return {}
    }
    stop = { kind: 'epoch' }
    return end
  }

  return {
    hooks: { PostToolBatch: [{ hooks: [callback] }] },
    get stop() {
      return stop
    },
    stopped,
    interrupt: (message) => messages.push(message),
    takeMessage: () => (messages.length > 0 ? messages.splice(0).join('\n\n') : undefined),
  }
}
