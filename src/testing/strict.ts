/** The strict server: refuses whatever a rule of formats/legality says is refused, the rules that remember included. */
import {
  checkRequest,
  prefixMemory,
  type RequestContext,
  type RequestFormat,
  remember,
} from '../formats/legality/index.ts'
import { isMistral } from './apis/chat.ts'
import type { WireBlock, WireError } from './wire.ts'

/** What the request does not say itself. */
export interface Facts extends Omit<RequestContext, 'memory'> {
  readonly format: RequestFormat
}

export interface StrictRules {
  /** The first broken rule of this request. */
  check(request: unknown, facts: Facts): WireError | undefined
  /** Takes the request, and the answer to it, as made by the model in exactly this conversation. */
  remember(request: unknown, answer?: readonly WireBlock[]): void
}

const TYPES: Readonly<Record<number, string>> = { 404: 'not_found_error', 413: 'request_too_large' }

export function createStrictRules(): StrictRules {
  const memory = prefixMemory()
  return {
    check(request, { format, ...context }) {
      const findings = checkRequest(spokenBy(request, format), request, { ...context, memory })
      const refusal = findings.find(({ severity }) => severity === 'reject')
      if (!refusal) return undefined
      const { rule, status, message } = refusal
      return { rule, status, message, type: TYPES[status] ?? 'invalid_request_error' }
    },
    remember: (request, answer) => remember(memory, request, answer),
  }
}

/** Two providers speak others' APIs with rules of their own; the model's name tells. */
function spokenBy(request: unknown, format: RequestFormat): RequestFormat {
  const model = typeof request === 'object' && request !== null && 'model' in request ? String(request.model) : ''
  if (model.includes('deepseek')) return 'deepseek'
  return format === 'openai-chat' && isMistral(model) ? 'mistral' : format
}
