/**
 * The prompt cache of the Messages API, simulated: a breakpoint (`cache_control`) stores everything before it for
 * its lifetime; a later request reads the longest stored prefix that ends within 20 blocks of one of its own
 * breakpoints. Reading renews the lifetime. Byte for byte: one changed block loses everything after it.
 */
import { createHash } from 'node:crypto'
import { factsOf } from '../core/models.ts'
import { tokensIn } from './tokens.ts'
import { blocksOf, type WireRequest, type WireUsage } from './wire.ts'

/** Prefixes shorter than this are not stored, for models whose own minimum the core's table does not name. */
const ASSUMED_MINIMUM_TOKENS = 1024
/** How many blocks before a breakpoint a stored prefix may end and still be found. */
const LOOK_BACK_BLOCKS = 20
const LIFETIMES = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const
type Lifetime = keyof typeof LIFETIMES

interface Stage {
  readonly hash: string
  /** Tokens of everything up to and including this block. */
  readonly tokens: number
  readonly breakpoint?: Lifetime
}

export interface PromptCache {
  /** Usage of this request (output excluded) at this moment; stores and renews prefixes. */
  serve(request: WireRequest, now: number): WireUsage
}

export function createPromptCache(): PromptCache {
  const stored = new Map<string, { until: number; lifetime: Lifetime }>()

  function longestStored(stages: readonly Stage[], now: number): number {
    let oldest = stages.length
    for (let index = stages.length - 1; index >= 0; index--) {
      const stage = stages[index]
      if (stage?.breakpoint) oldest = Math.max(0, index - LOOK_BACK_BLOCKS)
      if (stage === undefined || index < oldest) continue
      const entry = stored.get(stage.hash)
      if (entry && entry.until > now) return index
    }
    return -1
  }

  return {
    serve(request, now) {
      const stages = stagesOf(request)
      const minimumTokens = factsOf(request.model)?.cacheMinimum ?? ASSUMED_MINIMUM_TOKENS
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
        stored.set(stage.hash, { until: now + LIFETIMES[stage.breakpoint], lifetime: stage.breakpoint })
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
export function promptTokens(request: WireRequest): number {
  return stagesOf(request).at(-1)?.tokens ?? 0
}

/** The prompt in the order the cache sees it: tools, system, messages; one stage a block. */
function stagesOf(request: WireRequest): Stage[] {
  const running = createHash('sha256').update(request.model)
  let tokens = 0
  const stages: Stage[] = []
  const add = (kind: string, block: Readonly<Record<string, unknown>>): void => {
    const { cache_control: control, ...rest } = block
    const json = JSON.stringify(rest)
    running.update(`\n${kind}\n${json}`)
    tokens += tokensIn(json)
    const stage = { hash: running.copy().digest('hex'), tokens }
    const breakpoint = lifetimeOf(control)
    stages.push(breakpoint ? { ...stage, breakpoint } : stage)
  }
  for (const tool of request.tools ?? []) add('tool', tool)
  for (const block of blocksOf(request.system)) add('system', block)
  for (const message of request.messages) for (const block of blocksOf(message.content)) add(message.role, block)
  return stages
}

function lifetimeOf(control: unknown): Lifetime | undefined {
  if (typeof control !== 'object' || control === null) return undefined
  return 'ttl' in control && control.ttl === '1h' ? '1h' : '5m'
}
