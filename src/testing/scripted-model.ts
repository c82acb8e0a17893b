/**
 * A model that says what a script says: a loopback server for the Anthropic Messages API. Tests of an agent run
 * against it offline, for free, and get the same answers every time.
 */
import { once } from 'node:events'
import { createPromptCache } from './prompt-cache.ts'
import type { Script } from './script.ts'
import { createLoopbackServer, type ReceivedRequest } from './server.ts'
import { createStrictRules } from './strict/index.ts'
import type { WireRequest } from './wire.ts'

export interface ScriptedModelOptions {
  /** The replies in order, or a function of the request; when it has none left, the answer is a 400. */
  readonly script: Script
  /** Refuse what the real API refuses (default false). */
  readonly strict?: boolean
  /** Milliseconds since the epoch, for the lifetime of the prompt cache (default the real clock). */
  readonly clock?: () => number
}

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`: give it to the client as ANTHROPIC_BASE_URL or `baseURL`. */
  readonly url: string
  /** Every request so far, verbatim, with how it was answered. */
  readonly requests: readonly ReceivedRequest[]
  /** The requests a rule refused (strict only). */
  refusals(): ReceivedRequest[]
  /**
   * Strict only: take all thinking of this request as made by the model in exactly this conversation, so that a
   * session recorded elsewhere can go on here. Give it the request of the unedited session.
   */
  learn(request: WireRequest): void
  close(): Promise<void>
}

/** Starts the server on a free port of 127.0.0.1. Close it when done; open connections are cut. */
export async function scriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = []
  const rules = options.strict === true ? createStrictRules() : undefined
  const server = createLoopbackServer({
    script: options.script,
    rules,
    cache: createPromptCache(),
    clock: options.clock ?? Date.now,
    requests,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    refusals: () => requests.filter((request) => request.refusal !== undefined),
    learn: (request) => rules?.learn(request),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
