/**
 * The rules about thinking that need a memory (A29-A34): every block is known by its signature, with the words it
 * had, the conversation it was made in and the thinking that stood before it.
 */
import { createHash, type Hash } from 'node:crypto'
import { thinkingRuleOf } from '../../core/models.ts'
import {
  blocksOf,
  canonical,
  isThinking,
  signatureOf,
  type WireBlock,
  type WireError,
  type WireRequest,
} from '../wire.ts'
import { refusal } from './refusal.ts'

interface Origin {
  readonly model: string
  readonly words: string
  /** Hash of system, tools and everything before the block, thinking left out. */
  readonly prefix: string
  readonly place: Place
  /** Signatures of all thinking in the same answer. */
  readonly siblings: readonly string[]
}

/** Where a thinking block stands among the thinking of its conversation. */
interface Place {
  /** How many thinking blocks stand before it, and the signature of the nearest of them. */
  readonly count: number
  readonly previous: string | undefined
}

interface PlacedThinking {
  readonly block: WireBlock
  readonly at: string
  readonly prefix: string
  readonly place: Place
  /** Number of the assistant run it stands in. */
  readonly run: number
}

interface Walk {
  readonly thinking: readonly PlacedThinking[]
  readonly runs: readonly WireBlock[][]
}

export interface ThinkingMemory {
  check(request: WireRequest): WireError | undefined
  /** Takes every thinking block of a request as made by the model in exactly this conversation. */
  learn(request: WireRequest): void
  /** Remembers an answer to a request. */
  remember(request: WireRequest, content: readonly WireBlock[]): void
}

export function createThinkingMemory(): ThinkingMemory {
  const origins = new Map<string, Origin>()
  /** Calls whose answer had no thinking: A31 is not held against the client when the script left it out. */
  const bareCalls = new Set<string>()

  const learn = (request: WireRequest): void => {
    const { thinking, runs } = walk(request)
    for (const { block, prefix, place, run } of thinking) {
      const signature = signatureOf(block)
      if (origins.has(signature)) continue
      const siblings = (runs[run] ?? []).filter(isThinking).map(signatureOf)
      origins.set(signature, { model: request.model, words: wordsOf(block), prefix, place, siblings })
    }
    for (const run of runs) noteBareCalls(run)
  }

  const noteBareCalls = (blocks: readonly WireBlock[]): void => {
    if (blocks[0] && isThinking(blocks[0])) return
    for (const block of blocks) if (block.type === 'tool_use') bareCalls.add(String(block.id))
  }

  return {
    learn,
    remember(request, content) {
      learn({ ...request, messages: [...request.messages, { role: 'assistant', content }] })
    },
    check(request) {
      const { thinking, runs } = walk(request)
      return (
        checkFirst(request) ??
        checkOpenLoop(request, bareCalls) ??
        checkOrigins(request, thinking, origins, runs.length - 1)
      )
    },
  }
}

/** A29, A30, A33, A34 in the order of the conversation; the first fault is the one the API names. */
function checkOrigins(
  request: WireRequest,
  thinking: readonly PlacedThinking[],
  origins: ReadonlyMap<string, Origin>,
  lastRun: number,
): WireError | undefined {
  const present = new Set(thinking.map(({ block }) => signatureOf(block)))
  for (const { block, at, prefix, place, run } of thinking) {
    const origin = origins.get(signatureOf(block))
    if (!origin) return refusal('A29', `${at}: Invalid \`signature\` in \`thinking\` block`)
    const latest = run === lastRun
    const changed = origin.words !== wordsOf(block)
    if (latest && (changed || origin.siblings.some((signature) => !present.has(signature)))) {
      return refusal(
        'A30',
        `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      )
    }
    if (changed) return refusal('A29', `${at}: Invalid \`signature\` in \`thinking\` block`)
    // Another model drops the block without a word (A36); an older one does not look at what stood before it.
    if (thinkingRuleOf(request.model) !== 'bound' || origin.model !== request.model) continue
    if (origin.prefix !== prefix) return bound('A33', at)
    if (!isNewestPart(place, origin.place)) return bound('A34', at)
  }
  return undefined
}

function bound(rule: string, at: string): WireError {
  return refusal(
    rule,
    `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  )
}

/**
 * Thinking may go from the oldest on, so what is kept before a block must be the newest part of what was there. Each
 * block before it has passed already, so its nearest neighbour and their number decide.
 */
function isNewestPart(kept: Place, original: Place): boolean {
  return kept.count === 0 || (kept.previous === original.previous && kept.count <= original.count)
}

/** A32: an answer with thinking begins with it. */
function checkFirst(request: WireRequest): WireError | undefined {
  for (const [index, message] of request.messages.entries()) {
    if (message.role !== 'assistant') continue
    const blocks = blocksOf(message.content)
    const first = blocks[0]
    if (first && blocks.some(isThinking) && !isThinking(first)) {
      return refusal(
        'A32',
        `messages.${index}.content.0: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${first.type}\`.`,
      )
    }
  }
  return undefined
}

/** A31: with manual thinking, the answer that a running tool loop continues begins with thinking. */
function checkOpenLoop(request: WireRequest, bareCalls: ReadonlySet<string>): WireError | undefined {
  if (request.thinking?.type !== 'enabled') return undefined
  const spoken = request.messages
    .map((message, index) => ({ message, index }))
    .filter((item) => item.message.role !== 'system')
  const lastUser = spoken.at(-1)
  const before = spoken.findLast((item) => item.message.role === 'assistant')
  const running = blocksOf(lastUser?.message.content).some((block) => block.type === 'tool_result')
  if (lastUser?.message.role !== 'user' || !running || !before) return undefined
  const blocks = blocksOf(before.message.content)
  const first = blocks[0]
  const ours = blocks.some((block) => block.type === 'tool_use' && bareCalls.has(String(block.id)))
  if (!first || isThinking(first) || ours) return undefined
  return refusal(
    'A31',
    `messages.${before.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  )
}

function wordsOf(block: WireBlock): string {
  return String(block.type === 'thinking' ? block.thinking : block.data)
}

/** One pass over the conversation with a running hash, so that a history of n blocks costs n, not n squared. */
function walk(request: WireRequest): Walk {
  const running = createHash('sha256')
  for (const block of blocksOf(request.system)) if (!isBilling(block)) feed(running, 'system', block)
  for (const tool of request.tools ?? []) feed(running, 'tool', tool)
  const thinking: PlacedThinking[] = []
  const runs: WireBlock[][] = []
  let previous: string | undefined
  let role = ''
  for (const [index, message] of request.messages.entries()) {
    if (message.role === 'assistant' && role !== 'assistant') runs.push([])
    if (message.role !== 'system') role = message.role
    for (const [position, block] of blocksOf(message.content).entries()) {
      if (message.role === 'assistant') runs.at(-1)?.push(block)
      if (!isThinking(block)) {
        feed(running, message.role, block)
        continue
      }
      const prefix = running.copy().digest('hex')
      const at = `messages.${index}.content.${position}`
      thinking.push({ block, at, prefix, place: { count: thinking.length, previous }, run: runs.length - 1 })
      previous = signatureOf(block)
    }
  }
  return { thinking, runs }
}

/** Claude Code's first system block counts its requests; the API does not take it for a part of the prompt. */
function isBilling(block: WireBlock): boolean {
  return block.type === 'text' && String(block.text).startsWith('x-anthropic-billing-header:')
}

function feed(hash: Hash, kind: string, block: unknown): void {
  hash.update(`\n${kind}\n${JSON.stringify(canonical(block))}`)
}
