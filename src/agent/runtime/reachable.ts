/** The wait between two tries: a while, then until the configured endpoint answers. */
import type { EventBody } from '../events/events.ts'
import { delayBefore } from '../resilience/backoff.ts'
import { endpointOf, waitForEndpoint } from '../resilience/endpoint.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { ResilienceOptions } from './options.ts'

interface Wait {
  /** 0 before the first retry. */
  readonly retry: number
  /** Of the try that follows. */
  readonly attempt: number
  readonly signal: AbortSignal
}

/** @returns false when the endpoint did not answer in time, or the signal fired */
export async function reachable(
  { timing, environment }: Pick<OpenRuntime, 'timing' | 'environment'>,
  options: ResilienceOptions,
  { retry, attempt, signal }: Wait,
  emit: (body: EventBody) => void,
): Promise<boolean> {
  const delayMs = delayBefore(retry, timing.random(), options)
  emit({ type: 'retry', waitsFor: 'backoff', attempt, delayMs })
  await timing.wait(delayMs, signal)
  return waitForEndpoint(endpointOf(environment), options, {
    timing,
    signal,
    onWaiting: () => emit({ type: 'retry', waitsFor: 'endpoint', attempt, delayMs: options.probeEveryMs }),
  })
}
