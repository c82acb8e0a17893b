/**
 * A stage for agents: the real binary in a home of its own, a strict scripted model, runtimes on them. What a test
 * claims it reads from disk, from the store or from the wire.
 */
import { join } from 'node:path'
import type { RunEvent, RunEventType } from '../../src/agent/events/events.ts'
import type { RuntimeOptions } from '../../src/agent/index.ts'
import { readManifest } from '../../src/agent/lineage/manifest.ts'
import { Runtime } from '../../src/agent/runtime/runtime.ts'
import { type SessionStoreEntry, SqliteSessionStore } from '../../src/stores/index.ts'
import { type ReceivedRequest, type Reply, type ScriptedModel, scriptedModel } from '../../src/testing/index.ts'
import { type ClaudeHome, createClaudeHome, environmentFor } from './claude-code.ts'

/** As the product waits, only shorter. */
export const SHORT_WAITS = { baseMs: 20, capMs: 200, probeTimeoutMs: 1000, probeEveryMs: 50, probeAtMostMs: 20_000 }

export interface AgentStage {
  readonly home: ClaudeHome
  readonly model: ScriptedModel
  readonly events: RunEvent[]
  environment(): Record<string, string>
  /** Closed with the stage; its events are collected. */
  runtime(options?: Partial<RuntimeOptions>): Runtime
  eventsOf<Type extends RunEventType>(type: Type): Extract<RunEvent, { type: Type }>[]
  refusals(): string[]
  close(): Promise<void>
}

export async function agentStage(
  reply: (request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined>,
  options: { readonly window?: number } = {},
): Promise<AgentStage> {
  const home = createClaudeHome()
  const model = await scriptedModel({ script: reply, strict: true, window: options.window ?? Number.MAX_SAFE_INTEGER })
  // The binary's own retries would only take time: it is ours that are looked at.
  const environment = () => ({ ...environmentFor(home, model.url), CLAUDE_CODE_MAX_RETRIES: '0' })
  const runtimes: Runtime[] = []
  const events: RunEvent[] = []
  return {
    home,
    model,
    events,
    environment,
    runtime(given = {}) {
      const runtime = new Runtime({
        workspace: home.project,
        environment: environment(),
        resilience: SHORT_WAITS,
        ...given,
        onEvent: (event) => {
          events.push(event)
          given.onEvent?.(event)
        },
      })
      runtimes.push(runtime)
      return runtime
    },
    eventsOf: (type) => events.filter((event) => event.type === type) as never,
    refusals: () => model.refusals().map(({ refusal }) => `${refusal?.rule} ${refusal?.message}`),
    async close() {
      for (const runtime of runtimes) await runtime.close()
      await model.close()
      home.remove()
    },
  }
}

/** Is this a worker's request? The binary says so in the first system block. */
export function isWorker({ body }: ReceivedRequest): boolean {
  return JSON.stringify(body.system).includes('cc_is_subagent=true')
}

/** Everything the store has recorded of a session's main thread, unchanged. */
export async function recordedEntries(runDirectory: string, sessionId: string): Promise<SessionStoreEntry[]> {
  const projectKey = readManifest(runDirectory).find((row) => row.sessionId === sessionId && row.projectKey)?.projectKey
  const store = new SqliteSessionStore(join(runDirectory, 'sessions.db'))
  try {
    return (await store.load({ projectKey: projectKey ?? '', sessionId })) ?? []
  } finally {
    await store.close()
  }
}
