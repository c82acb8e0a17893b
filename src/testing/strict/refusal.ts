import type { WireError } from '../wire.ts'

/** Every broken rule of a request answers 400 with the API's own words. */
export function refusal(rule: string, message: string): WireError {
  return { status: 400, type: 'invalid_request_error', message, rule }
}
