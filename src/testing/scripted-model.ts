/**
 * A model that says what a script says: a loopback server for the Anthropic Messages API and for OpenAI's Chat
 * Completions and Responses. Tests of an agent run against it offline, for free, and get the same answers every time.
 */
import { once } from 'node:events'
import { createPromptCache } from './prompt-cache.ts'
import type { Script } from './script.ts'
import { createLoopbackServer, type ReceivedRequest } from './server.ts'
import { createStrictRules } from './strict.ts'
import type { WireBlock, WireRequest } from './wire.ts'

export interface ScriptedModelOptions {
  /** The replies in order, or a function of the request; when it has none left, the answer is a 400. */
  readonly script: Script
  /** Refuse what the real API refuses (default false). */
  readonly strict?: boolean
  /** Milliseconds since the epoch, for the lifetime of the prompt cache (default the real clock). */
  readonly clock?: () => number
  /**
   * Tokens (as the server counts them) above which every prompt is refused as too long. Default: none, and with
   * `strict` the model's own window.
   */
  readonly window?: number
}

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`: the client's ANTHROPIC_BASE_URL or `baseURL`; OpenAI clients want `<url>/v1`. */
  readonly url: string
  /** Every request so far, verbatim, with how it was answered. */
  readonly requests: readonly ReceivedRequest[]
  /** The requests a rule refused (strict only). */
  refusals(): ReceivedRequest[]
  /**
   * Strict only: take all thinking of this request as made by the model in exactly this conversation, so that a
   * session recorded elsewhere can go on here. Give it the request of the unedited session, and what was answered.
   */
  learn(request: WireRequest, answer?: readonly WireBlock[]): void
  close(): Promise<void>
}

/** Starts the server on a free port of 127.0.0.1. Close it when done; open connections are cut. */
export async function scriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = []
  const rules = options.strict === true ? createStrictRules() : undefined
  const server = createLoopbackServer({
    script: options.script,
    rules,
    window: options.window,
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
    learn: (request, answer) => rules?.remember(request, answer),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
