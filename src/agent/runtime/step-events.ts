/** From what happens in a step to the events that are heard outside: who, when, and how full the context is. */
import type { StoreEvent } from '../../stores/index.ts'
import type { EventBody, OnRunEvent, RunEvent, WorkerName } from '../events/events.ts'
import type { OpenRuntime } from './open-runtime.ts'

export interface StepEvents {
  emit(sessionId: string, body: EventBody, context?: number, worker?: WorkerName): void
  store(sessionId: string, event: StoreEvent): void
}

export function stepEvents(
  { options, timing }: Pick<OpenRuntime, 'options' | 'timing'>,
  step: string,
  onEvent: OnRunEvent | undefined,
): StepEvents {
  const listeners = [onEvent, options.onEvent].filter((listener) => listener !== undefined)
  let context = 0

  function emit(sessionId: string, body: EventBody, seen = 0, worker?: WorkerName): void {
    if (seen > 0) context = seen
    const event: RunEvent = {
      step,
      at: timing.now(),
      sessionId,
      ...(worker === undefined ? { context } : { worker }),
      ...body,
    }
    for (const listener of listeners) tell(listener, event)
  }

  return {
    emit,
    store(sessionId, event) {
      const body = storeBody(event)
      if (body) emit(sessionId, body)
    },
  }
}

/** Who only listens cannot stop a run. */
function tell(listener: OnRunEvent, event: RunEvent): void {
  try {
    listener(event)
  } catch (error) {
    process.emitWarning(`a listener of ${event.type} events failed: ${error instanceof Error ? error.message : error}`)
  }
}

function storeBody(event: StoreEvent): EventBody | undefined {
  if (event.type === 'epoch') {
    const { outcome, tokens, edits, explanation } = event
    return { type: 'epoch', outcome, tokensBefore: tokens.before, tokensAfter: tokens.after, edits, explanation }
  }
  if (event.type === 'fallback') {
    const reason = `${event.doing}: ${event.error instanceof Error ? event.error.message : String(event.error)}`
    return { type: 'alarm', what: `session store gave out the ${event.view} view`, reason }
  }
  return { type: 'alarm', what: 'prefix', reason: 'the harness had to drop all thinking: earlier bytes had changed' }
}
