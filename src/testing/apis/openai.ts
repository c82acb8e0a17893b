/** What OpenAI's two APIs have in common: the words of their errors and their cache, which needs no marks. */
import type { PromptPart } from '../prompt-cache.ts'
import type { Failure } from '../script.ts'
import { tokensIn } from '../tokens.ts'
import type { WireError } from '../wire.ts'

/** How OpenAI says what goes wrong at the provider; everything else is said as the script says it. */
const TRANSLATED: Readonly<Record<string, Omit<WireError, 'retryAfterSeconds'>>> = {
  overloaded_error: {
    status: 503,
    type: 'server_error',
    message: 'The engine is currently overloaded, please try again later',
  },
  rate_limit_error: {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests',
  },
  api_error: {
    status: 500,
    type: 'server_error',
    message: 'The server had an error while processing your request. Sorry about that!',
  },
}

export function failed({ errorType: type, ...rest }: Failure): WireError {
  return { type, ...rest, ...TRANSLATED[type] }
}

export function overflowed(tokens: number, limit: number): WireError {
  return {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    rule: 'B11',
  }
}

export function errorBody({ type, message, code }: WireError): unknown {
  return { error: { message, type, param: null, code: code ?? null } }
}

/** Every part may end a cached prefix. */
export function cachedPart(kind: string, value: unknown): PromptPart {
  return { kind, json: JSON.stringify(value), tokens: tokensIn(value), breakpoint: '5m' }
}
