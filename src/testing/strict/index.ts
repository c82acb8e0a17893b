/**
 * The strict server: refuses what the real API refuses, in the API's words. Its rules are written from
 * reference/message-rules on the wire shape, apart from the core's own checker, so that a mistake in one is seen by
 * the other.
 */
import type { WireBlock, WireError, WireRequest } from '../wire.ts'
import { checkPairing } from './pairing-rules.ts'
import { checkShape } from './shape-rules.ts'
import { createThinkingMemory } from './thinking-memory.ts'

export interface StrictRules {
  /** The first broken rule of this request. */
  check(request: WireRequest): WireError | undefined
  learn(request: WireRequest): void
  remember(request: WireRequest, content: readonly WireBlock[]): void
}

export function createStrictRules(): StrictRules {
  const thinking = createThinkingMemory()
  return {
    check: (request) => checkShape(request) ?? checkPairing(request) ?? thinking.check(request),
    learn: (request) => thinking.learn(request),
    remember: (request, content) => thinking.remember(request, content),
  }
}
