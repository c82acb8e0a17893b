/** The rules that need a memory, judged in one walk: A28-A30, A33, A34, A36, A41, A48, A50, A52, A61. */
import { thinkingRuleOf } from '../../../../core/models.ts'
import { fieldsOf, textOf } from '../../../fields.ts'
import { arrayOf, idText } from '../../places.ts'
import type { Found } from '../../rule.ts'
import type { MessagesReading, Turn } from '../reading.ts'
import { type Chain, type Opening, type PlacedThinking, walk } from './chain.ts'
import { digestOf } from './digest.ts'
import { opaqueFieldsOf } from './opaque.ts'
import type { PrefixMemory, ThinkingOrigin } from './prefix-memory.ts'
import { compactionWords, resultDigest, wordsOf } from './remember.ts'

const RULES = ['A28', 'A29', 'A30', 'A33', 'A34', 'A36', 'A41', 'A48', 'A50', 'A52', 'A61'] as const
export type MemoryRule = (typeof RULES)[number]
type Faults = Readonly<Record<MemoryRule, Found[]>>

/** A stored prefix is looked for this many blocks before each breakpoint. */
const LOOK_BACK_BLOCKS = 20

const judged = new WeakMap<MessagesReading, Faults>()

/** Nothing without a memory. */
export function memoryFaults(
  reading: MessagesReading,
  memory: PrefixMemory | undefined,
  rule: MemoryRule,
): readonly Found[] {
  if (memory === undefined) return []
  const known = judged.get(reading)
  if (known) return known[rule]
  const faults = judge(reading, memory)
  judged.set(reading, faults)
  return faults[rule]
}

function judge(reading: MessagesReading, memory: PrefixMemory): Faults {
  const faults = Object.fromEntries(RULES.map((rule) => [rule, []])) as unknown as Faults
  const chain = walk(reading, memory)
  judgeOpaque(reading, memory, faults)
  judgeThinking(reading, memory, chain, faults)
  judgeStripped(reading, memory, chain, faults)
  judgeOpening(chain, faults)
  judgeResults(reading, memory, faults)
  judgeCache(memory, chain, faults)
  return faults
}

function judgeOpaque(reading: MessagesReading, memory: PrefixMemory, faults: Faults): void {
  for (const message of reading.messages) {
    for (const block of message.blocks) {
      for (const { field, type, at, key } of opaqueFieldsOf(block)) {
        if (!memory.opaque[key]) faults.A28.push({ at, message: `${at}: Invalid \`${field}\` in \`${type}\` block` })
      }
    }
  }
}

function judgeThinking(reading: MessagesReading, memory: PrefixMemory, chain: Chain, faults: Faults): void {
  const open = openTurns(reading)
  const latest = reading.turns.findLast(({ role }) => role === 'assistant')
  let broken = false
  for (const thinking of chain.thinking) {
    const { at } = thinking.block
    const origin = memory.thinking[thinking.key]
    if (!origin) {
      if (thinking.block.type === 'thinking') faults.A29.push({ at, message: invalidSignature(at) })
      continue
    }
    const changed = origin.words !== wordsOf(thinking.block)
    if (changed && open.has(thinking.turn)) faults.A30.push({ at, message: modified(at) })
    else if (changed) faults.A29.push({ at, message: invalidSignature(at) })
    if (thinking.fallbacks !== origin.fallbacks) {
      faults.A41.push({ at, message: `${at}: the thinking around a \`fallback\` block cannot be validated` })
    }
    // Another model drops the block without a word (A36); an older one does not look at what stood before it.
    if (broken || !isBound(reading, origin)) continue
    broken = judgePlace(thinking, origin, chain, faults)
  }
  const kept = chain.thinking.filter(({ turn }) => turn === latest)
  if (kept[0] && isFiltered(kept, memory)) {
    const { at } = kept[0].block
    faults.A30.push({ at, message: modified(at) })
  }
}

/** True when the block is broken: everything after it is, too, and the API names the first. */
function judgePlace(thinking: PlacedThinking, origin: ThinkingOrigin, chain: Chain, faults: Faults): boolean {
  const { at } = thinking.block
  const before = chain.opening && origin.compaction !== chain.opening.key
  const merged = before && chain.opening?.origin && !isCutCleanly(chain.opening)
  if (origin.prefix !== thinking.prefix || merged) {
    faults[before ? 'A50' : 'A33'].push({ at, message: bound(at) })
    return true
  }
  if (isNewestPart(thinking, origin)) return false
  faults.A34.push({ at, message: bound(at) })
  return true
}

function isBound({ model, thinking }: MessagesReading, origin: ThinkingOrigin): boolean {
  if (thinkingRuleOf(model) !== 'bound' || !isSameModel(model, origin.model)) return false
  return fieldsOf(thinking.block_binding)?.prefix_mismatch_behavior !== 'drop_block'
}

/** A model that is not named on one side is taken for the same. */
function isSameModel(model: string | undefined, other: string | null): boolean {
  const plain = (name: string): string => name.replace(/[-@]20\d{6}$/, '')
  return model === undefined || other === null || plain(model) === plain(other)
}

/** What is kept after a compaction must not melt into the last message it covers, nor begin with a system message. */
function isCutCleanly({ keptRole, origin }: Opening): boolean {
  return keptRole !== 'system' && keptRole !== origin?.lastRole
}

/**
 * Thinking may go from the oldest on, so what is kept before a block must be the newest part of what was there. Each
 * block before it has passed already, so its nearest neighbour and their number decide.
 */
function isNewestPart(kept: PlacedThinking, origin: ThinkingOrigin): boolean {
  return kept.count === 0 || (kept.previous === origin.previous && kept.count <= origin.count)
}

/** The newest answer keeps all of its thinking, in order, or none. */
function isFiltered(kept: readonly PlacedThinking[], memory: PrefixMemory): boolean {
  const present = kept.map(({ key }) => key).filter((key) => memory.thinking[key])
  const whole = [...new Set(present.map((key) => memory.thinking[key]?.answer ?? ''))]
  const original = whole.flatMap((answer) => memory.answers[answer] ?? [])
  const expected = [...new Set(original)]
  return (
    present.length > 0 && (present.length !== expected.length || present.some((key, index) => key !== expected[index]))
  )
}

/** The assistant turns since somebody last spoke: tool results alone do not end an answer. */
function openTurns({ turns }: MessagesReading): ReadonlySet<Turn> {
  const spoken = turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'),
  )
  const open = new Set(turns.slice(spoken + 1).filter(({ role }) => role === 'assistant'))
  const latest = turns.findLast(({ role }) => role === 'assistant')
  return latest ? open.add(latest) : open
}

function judgeStripped(reading: MessagesReading, memory: PrefixMemory, chain: Chain, faults: Faults): void {
  const present = new Set(chain.thinking.map(({ key }) => key))
  for (const prefix of new Set([chain.floor, ...chain.stages])) {
    const key = memory.places[prefix]
    const origin = key === undefined ? undefined : memory.thinking[key]
    if (key === undefined || !origin || present.has(key) || isSameModel(reading.model, origin.model)) continue
    const message = `thinking of ${origin.model} was removed for ${reading.model}, which would have dropped it by itself`
    faults.A36.push({ message })
  }
}

function judgeOpening({ opening }: Chain, faults: Faults): void {
  if (!opening) return
  const { at } = opening.block
  if (!opening.origin) {
    faults.A48.push({
      at,
      message: `${at}: compaction_signature_invalid: the \`signature\` is not the one that was returned`,
    })
  } else if (opening.origin.words !== compactionWords(opening.block)) {
    faults.A48.push({ at, message: `${at}: compaction_content_mismatch: send the block back as it was returned` })
  }
}

/** The provider clears its own copy; a client that clears, too, edits the history. */
function judgeResults(reading: MessagesReading, memory: PrefixMemory, faults: Faults): void {
  const edits = arrayOf(fieldsOf(reading.request.context_management)?.edits)
  if (!edits.some((edit) => textOf(fieldsOf(edit)?.type)?.startsWith('clear_tool_uses'))) return
  for (const { blocks } of reading.messages) {
    for (const block of blocks) {
      if (block.type !== 'tool_result') continue
      const first = memory.results[digestOf(block.fields.tool_use_id)]
      if (first === undefined || first === resultDigest(block)) continue
      const message = `${block.at}: the result was sent with other content before; server-side clearing expects the original`
      faults.A52.push({ at: block.at, id: idText(block.fields.tool_use_id), message })
    }
  }
}

function judgeCache(memory: PrefixMemory, { stages, breakpoints }: Chain, faults: Faults): void {
  const stored = stages.findLastIndex((prefix) => memory.cached[prefix])
  const nearest = breakpoints.find((index) => index >= stored)
  if (stored < 0 || nearest === undefined || nearest - stored <= LOOK_BACK_BLOCKS) return
  const message = `the cached prefix ends ${nearest - stored} blocks before the next breakpoint; only ${LOOK_BACK_BLOCKS} are searched`
  faults.A61.push({ message })
}

function invalidSignature(at: string): string {
  return `${at}: Invalid \`signature\` in \`thinking\` block`
}

function modified(at: string): string {
  return `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
}

function bound(at: string): string {
  return `${invalidSignature(at)}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`
}
