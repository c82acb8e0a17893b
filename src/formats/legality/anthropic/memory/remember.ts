import { fieldsOf, textOf } from '../../../fields.ts'
import { arrayOf, idText, type Placed } from '../../places.ts'
import { isThinking, type MessagesReading, readMessages, type Turn } from '../reading.ts'
import { type Chain, walk } from './chain.ts'
import { comparable, digestOf } from './digest.ts'
import { opaqueFieldsOf } from './opaque.ts'
import type { PrefixMemory } from './prefix-memory.ts'

/**
 * Takes a request as accepted, and everything in it that memory does not know yet as made by the model in exactly
 * this conversation; with `answer` (the content blocks of the response) also what the model answered. Adds to
 * `memory` in place: what is known stays as it was first seen. Give it the unedited history first.
 */
export function remember(memory: PrefixMemory, request: unknown, answer?: readonly unknown[]): void {
  const asked = readMessages(request)
  const covered = walk(asked, memory)
  for (const index of covered.breakpoints) memory.cached[covered.stages[index] ?? ''] = true
  const askedCount = arrayOf(asked.request.messages).length
  const messages = [...arrayOf(asked.request.messages), ...(answer ? [{ role: 'assistant', content: answer }] : [])]
  const reading = answer ? readMessages({ ...asked.request, messages }) : asked
  for (const message of reading.messages) {
    for (const block of message.blocks) rememberBlock(memory, block, asked, covered, message.index < askedCount)
  }
  rememberThinking(memory, reading)
  for (const turn of reading.turns) rememberBareCalls(memory, turn)
}

function rememberBlock(
  memory: PrefixMemory,
  block: Placed,
  asked: MessagesReading,
  covered: Chain,
  inRequest: boolean,
): void {
  for (const { key } of opaqueFieldsOf(block)) memory.opaque[key] = true
  if (block.type === 'tool_result') memory.results[digestOf(block.fields.tool_use_id)] ??= resultDigest(block)
  if (block.type !== 'compaction' || typeof block.fields.signature !== 'string') return
  memory.compactions[digestOf(block.fields.signature)] ??= {
    words: compactionWords(block),
    floor: covered.floor,
    covers: inRequest ? null : covered.end,
    lastRole: asked.turns.at(-1)?.role ?? '',
  }
}

function rememberThinking(memory: PrefixMemory, reading: MessagesReading): void {
  const { thinking, opening } = walk(reading, memory)
  const keysByTurn = new Map<Turn, string[]>()
  for (const { turn, key } of thinking) {
    const keys = keysByTurn.get(turn) ?? []
    keys.push(key)
    keysByTurn.set(turn, keys)
  }
  const answers = new Map([...keysByTurn].map(([turn, keys]) => [turn, digestOf(keys)]))
  for (const { block, key, prefix, count, previous, fallbacks, turn } of thinking) {
    if (memory.thinking[key]) continue
    const answer = answers.get(turn) ?? ''
    memory.answers[answer] = keysByTurn.get(turn) ?? []
    memory.places[prefix] = key
    const model = reading.model ?? null
    const words = wordsOf(block)
    memory.thinking[key] = {
      model,
      words,
      prefix,
      count,
      previous,
      answer,
      fallbacks,
      compaction: opening?.key ?? null,
    }
  }
}

function rememberBareCalls(memory: PrefixMemory, { role, blocks }: Turn): void {
  const [first] = blocks
  if (role !== 'assistant' || first === undefined || isThinking(first)) return
  for (const { type, fields } of blocks) if (type === 'tool_use') memory.bareCalls[digestOf(idText(fields.id))] = true
}

/** Digest of what a thinking block says; the words of a redacted one are its data. */
export function wordsOf({ type, fields }: Placed): string {
  return digestOf(type === 'thinking' ? (textOf(fields.thinking) ?? '') : fields.data)
}

export function compactionWords({ fields }: Placed): string {
  const { content = null, encrypted_content: encrypted = null, tool_changes: changes = null } = fields
  return digestOf([content, encrypted, changes])
}

export function resultDigest({ fields }: Placed): string {
  return digestOf(fieldsOf(comparable(fields))?.content)
}
