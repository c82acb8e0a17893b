/**
 * What a prompt costs: prices per model as data, each table with its source and date.
 *
 * Only ratios decide when to rewrite, so every price is relative to an input token that is not cached (1).
 */
import { factsOf } from '../core/models.ts'

export interface Prices {
  readonly name: string
  /** Of a token read from the cache. */
  readonly read: number
  /** Of a token written to the cache. */
  readonly write: number
  /** Of a token that the model puts out. */
  readonly output: number
  /** Milliseconds that an unused cache entry lives. */
  readonly ttl: number
  /** Tokens of the shortest prefix that is cached, where known. */
  readonly minimum?: number
  /** Dollars of a million uncached input tokens, where known: turns ratios into money. */
  readonly dollars?: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Providers that cache without being asked keep entries 5 to 10 minutes; the shorter is assumed. */
const TTL = 5 * MINUTE

/** Price schemes by name: what `--prices` takes beside the name of a model. */
export const SCHEMES = {
  'anthropic-5m': { read: 0.1, write: 1.25, output: 5, ttl: 5 * MINUTE },
  'anthropic-1h': { read: 0.1, write: 2, output: 5, ttl: HOUR },
  'openai-like': { read: 0.1, write: 1, output: 8, ttl: TTL },
  'read-quarter': { read: 0.25, write: 1, output: 4, ttl: TTL },
  'read-half': { read: 0.5, write: 1, output: 4, ttl: TTL },
  'no-cache': { read: 1, write: 1, output: 5, ttl: TTL },
} as const satisfies Readonly<Record<string, Omit<Prices, 'name'>>>
export type SchemeName = keyof typeof SCHEMES
export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly SchemeName[]

/** Assumed for a model without a price here: wrong beliefs cost at most a few points (planner.md section 4). */
export const ASSUMED_SCHEME: SchemeName = 'anthropic-5m'

interface ModelPrice {
  readonly scheme: SchemeName
  readonly dollars?: number
  /** Where it differs from the scheme. */
  readonly read?: number
  readonly output?: number
}

/**
 * First match wins. Claude: platform.claude.com/docs/en/about-claude/pricing and the models' own pages, read
 * 2026-11-30 (reads of Opus 5.5 and Sonnet 5.5 cost 0.05, of Fable and Mythos 5.1 0.025 of input; Haiku 5.5 is five
 * times dearer for prompts over 100,000 tokens). OpenAI: developers.openai.com/api/docs/pricing as told on 2026-11-06:
 * newest models read at a tenth, GPT-4.1 and the o-models at a quarter, GPT-4o at half; writing is free.
 */
const MODEL_PRICES: readonly (readonly [RegExp, ModelPrice])[] = [
  [/claude-(fable|mythos)-5-1/, { scheme: 'anthropic-5m', dollars: 10, read: 0.025 }],
  [/claude-(fable|mythos)-5/, { scheme: 'anthropic-5m', dollars: 10 }],
  [/claude-opus-5-5/, { scheme: 'anthropic-5m', dollars: 4, read: 0.05 }],
  [/claude-opus-(5|4-[5-8])/, { scheme: 'anthropic-5m', dollars: 5 }],
  [/claude-(opus-4|3-opus)/, { scheme: 'anthropic-5m', dollars: 15 }],
  [/claude-sonnet-5-5/, { scheme: 'anthropic-5m', dollars: 2, read: 0.05 }],
  [/claude-sonnet-5/, { scheme: 'anthropic-5m', dollars: 2 }],
  [/claude-.*sonnet/, { scheme: 'anthropic-5m', dollars: 3 }],
  [/claude-haiku-5-5/, { scheme: 'anthropic-5m', dollars: 0.5 }],
  [/claude-haiku-4/, { scheme: 'anthropic-5m', dollars: 1 }],
  [/claude-3-5-haiku/, { scheme: 'anthropic-5m', dollars: 0.8 }],
  [/claude/, { scheme: 'anthropic-5m' }],
  [/\bgpt-5|codex/, { scheme: 'openai-like' }],
  [/\bgpt-4\.1|\bo[134]\b/, { scheme: 'read-quarter' }],
  [/\bgpt-4o/, { scheme: 'read-half' }],
]

export interface PriceChoice {
  readonly prices: Prices
  /** One line a person reads: what the prices rest on. */
  readonly basis: string
}

/**
 * The prices of a model, or of a scheme by its name. `overrides` replace single numbers (a contract, another cache
 * lifetime). A model that is not in the table gets the assumed scheme, and `basis` says so.
 */
export function pricesFor(name: string | undefined, overrides: Partial<Omit<Prices, 'name'>> = {}): PriceChoice {
  if (name !== undefined && isScheme(name)) return choice(name, { scheme: name }, overrides, `prices ${name}`)
  const known = name === undefined ? undefined : MODEL_PRICES.find(([pattern]) => pattern.test(name))?.[1]
  if (known) return choice(name ?? '', known, overrides, `prices of ${name} (${known.scheme})`)
  const what = name === undefined ? 'no model is recorded' : `${name} has no price here`
  const basis = `${what}: assumed ${ASSUMED_SCHEME} (read 0.1, write 1.25, kept 5 minutes)`
  return choice(name ?? ASSUMED_SCHEME, { scheme: ASSUMED_SCHEME }, overrides, basis)
}

export function isScheme(name: string): name is SchemeName {
  return Object.hasOwn(SCHEMES, name)
}

function choice(
  name: string,
  { scheme, ...price }: ModelPrice,
  overrides: Partial<Omit<Prices, 'name'>>,
  basis: string,
): PriceChoice {
  const minimum = factsOf(name)?.cacheMinimum
  const shortest = minimum === undefined ? {} : { minimum }
  return { prices: { name, ...SCHEMES[scheme], ...price, ...shortest, ...overrides }, basis }
}

/**
 * Cost of one request whose first `cached` tokens are in the cache and whose rest is written, in uncached input
 * tokens. Prompts under the provider's minimum are never cached.
 */
export function requestCost(prices: Prices, total: number, cached: number): number {
  const held = cached < (prices.minimum ?? 0) ? 0 : cached
  return prices.read * held + prices.write * (total - held)
}
