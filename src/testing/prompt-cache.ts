/**
 * The prompt cache, simulated: a breakpoint stores everything before it for its lifetime; a later request reads the
 * longest stored prefix that ends within 20 parts of one of its own breakpoints. Reading renews the lifetime. Byte
 * for byte: one changed part loses everything after it.
 */
import { createHash } from 'node:crypto'
import { factsOf } from '../core/models.ts'
import type { WireUsage } from './wire.ts'

/** Prefixes shorter than this are not stored, for models whose own minimum the core's table does not name. */
const ASSUMED_MINIMUM_TOKENS = 1024
/** How many parts before a breakpoint a stored prefix may end and still be found. */
const LOOK_BACK_PARTS = 20
const LIFETIMES = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const
export type Lifetime = keyof typeof LIFETIMES

/** A request in the order the cache sees it. */
export interface Prompt {
  readonly model: string
  readonly parts: readonly PromptPart[]
}

export interface PromptPart {
  readonly kind: string
  /** Without the marks of the cache. */
  readonly json: string
  readonly tokens: number
  readonly breakpoint?: Lifetime
}

interface Stage {
  readonly hash: string
  /** Tokens of everything up to and including this part. */
  readonly tokens: number
  readonly breakpoint?: Lifetime
}

export interface PromptCache {
  /** Usage of this prompt (output excluded) at this moment; stores and renews prefixes. */
  serve(prompt: Prompt, now: number): WireUsage
}

export function createPromptCache(): PromptCache {
  const stored = new Map<string, { until: number; lifetime: Lifetime }>()

  function longestStored(stages: readonly Stage[], now: number): number {
    let oldest = stages.length
    for (let index = stages.length - 1; index >= 0; index--) {
      const stage = stages[index]
      if (stage?.breakpoint) oldest = Math.max(0, index - LOOK_BACK_PARTS)
      if (stage === undefined || index < oldest) continue
      const entry = stored.get(stage.hash)
      if (entry && entry.until > now) return index
    }
    return -1
  }

  function store(hash: string, lifetime: Lifetime, now: number): void {
    const until = now + LIFETIMES[lifetime]
    const entry = stored.get(hash)
    if (!entry || entry.until < until) stored.set(hash, { until, lifetime })
  }

  return {
    serve(prompt, now) {
      const stages = stagesOf(prompt)
      const minimumTokens = factsOf(prompt.model)?.cacheMinimum ?? ASSUMED_MINIMUM_TOKENS
      const total = stages.at(-1)?.tokens ?? 0
      const readIndex = longestStored(stages, now)
      const read = stages[readIndex]
      const readEntry = read && stored.get(read.hash)
      if (readEntry) readEntry.until = now + LIFETIMES[readEntry.lifetime]
      const written = { '5m': 0, '1h': 0 }
      let covered = read?.tokens ?? 0
      stages.forEach((stage, index) => {
        if (!stage.breakpoint || stage.tokens < minimumTokens) return
        if (index > readIndex) {
          written[stage.breakpoint] += stage.tokens - covered
          covered = stage.tokens
        }
        store(stage.hash, stage.breakpoint, now)
      })
      return {
        input_tokens: total - covered,
        cache_creation_input_tokens: written['5m'] + written['1h'],
        cache_read_input_tokens: read?.tokens ?? 0,
        output_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
      }
    },
  }
}

/** Tokens of the whole prompt, whatever the cache holds. */
export function promptTokens({ parts }: Prompt): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

function stagesOf({ model, parts }: Prompt): Stage[] {
  const running = createHash('sha256').update(model)
  let covered = 0
  return parts.map(({ kind, json, tokens, breakpoint }) => {
    running.update(`\n${kind}\n${json}`)
    covered += tokens
    return { hash: running.copy().digest('hex'), tokens: covered, ...(breakpoint && { breakpoint }) }
  })
}
