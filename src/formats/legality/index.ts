/**
 * Would a provider accept this request? The rules of reference message-rules on raw requests, each with its id,
 * evidence and the provider's own words (docs/legality.md).
 */
export { type PrefixMemory, prefixMemory } from './anthropic/memory/prefix-memory.ts'
export { remember } from './anthropic/memory/remember.ts'
export { checkRequest, REQUEST_FORMATS, type RegisteredRule, type RequestFormat, RULES } from './registry.ts'
export type { Finding, RequestContext } from './rule.ts'
